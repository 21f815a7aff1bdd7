#include "vtmirror/base/descriptor.hpp"

#include <doctest/doctest.h>

namespace vtmirror::base {
namespace {

TEST_CASE("a disk is full for everybody or for this user, and neither passes by itself") {
  for (const int full : {ENOSPC, EDQUOT}) {
    CHECK(is_full(full));
    CHECK_FALSE(may_pass(full));
  }
  for (const int other : {0, EIO, EACCES, EROFS, EFBIG, EMFILE}) CHECK_FALSE(is_full(other));
}

TEST_CASE("the directory of a file is what stands before its name") {
  CHECK(directory_of("v1/public/a.zip") == "v1/public");
  CHECK(directory_of("/srv/a.zip") == "/srv");
  CHECK(directory_of("a.zip") == ".");
  CHECK(directory_of("/a.zip") == "/");
  CHECK(directory_of("") == ".");
}

}  // namespace
}  // namespace vtmirror::base
