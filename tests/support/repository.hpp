// The repository that a test program was built from, for cases that compare the program with its other files.
#pragma once

#include <filesystem>

namespace vtmirror::test {

/// Its top directory. The name of a source file (__FILE__) does not lead there: a package is built with shortened ones.
std::filesystem::path repository();

}  // namespace vtmirror::test
