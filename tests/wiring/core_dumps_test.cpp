#include "vtmirror/wiring/machine.hpp"

#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace vtmirror::wiring {
namespace {

TEST_CASE("a process forbids its own core dumps whatever its limit is, and leaves the limit to its children") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_CORE, &before) == 0);
  for (const rlim_t soft : {before.rlim_cur, rlim_t{0}}) {
    const rlimit limit{soft, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_CORE, &limit) == 0);
    ::prctl(PR_SET_DUMPABLE, 1);
    forbid_core_dumps();
    CHECK(::prctl(PR_GET_DUMPABLE) == 0);
    rlimit after{};
    REQUIRE(::getrlimit(RLIMIT_CORE, &after) == 0);
    CHECK(after.rlim_cur == soft);
    CHECK(after.rlim_max == before.rlim_max);
  }
  ::prctl(PR_SET_DUMPABLE, 1);
  CHECK(::setrlimit(RLIMIT_CORE, &before) == 0);
}

}  // namespace
}  // namespace vtmirror::wiring
