// The only translation of errno into an Error. Names the object and the operation that failed.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string_view>

namespace vtmirror::mirror {

/// A full disk or quota is `no_space`; everything else is `io`: "v1/a.zip: cannot write at 4096: Input/output error".
base::Error failure(int error, std::string_view object, std::string_view cannot);

}  // namespace vtmirror::mirror
