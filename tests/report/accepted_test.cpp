#include "vtmirror/report/accepted.hpp"

#include "vtmirror/report/event.hpp"
#include "vtmirror/report/verification.hpp"

#include <doctest/doctest.h>

namespace vtmirror::report {

TEST_CASE("an accepted request is answered with the number of its work") {
  CHECK(cycle_accepted(7) == "{\"schema\":1,\"accepted\":true,\"cycle\":7}\n");
  CHECK(verification_number(verification_accepted(8)) == 8);
  CHECK(settings_reloaded() == "{\"schema\":1,\"reloaded\":true}\n");
}

TEST_CASE("an event in a line has its name first, also one that only a newer daemon knows") {
  CHECK(event_line(ports::StreamEvent::verification, verification_accepted(8)) ==
        "{\"event\":\"verification\",\"schema\":1,\"accepted\":true,\"verification\":8}\n");
  CHECK(event_line("of \"tomorrow\"", "{\"a\":1}") == "{\"event\":\"of \\\"tomorrow\\\"\",\"a\":1}\n");
}

}  // namespace vtmirror::report
