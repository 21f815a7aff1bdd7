// Beast's own functions, compiled once for the whole program.
#include <boost/beast/src.hpp>
