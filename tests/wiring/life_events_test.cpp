#include "wiring/life_events.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace vtmirror::wiring {
namespace {

TEST_CASE("the first line of a daemon names its version, the files that it holds and where") {
  report::Status status;
  status.version = "1.2.3";
  status.mirror.directory = "/srv/mirror";
  status.mirror.files = 12;
  status.mirror.generation = 42;
  CHECK(daemon_started(status).message == "vtmirror 1.2.3 started: 12 files in /srv/mirror");
  status.mirror.files = 1;
  CHECK(daemon_started(status).message == "vtmirror 1.2.3 started: 1 file in /srv/mirror");
  CHECK(daemon_started(status).level == ports::Level::info);
}

TEST_CASE("before it is known what a mirror holds, no number of files is said") {
  report::Status status;
  status.version = "1.2.3";
  status.mirror.directory = "/srv/mirror";
  status.mirror.generation.reset();
  CHECK(daemon_started(status).message == "vtmirror 1.2.3 started: the mirror is in /srv/mirror");
}

TEST_CASE("the last line of a daemon names the signal that stopped it") {
  CHECK(daemon_stopped(SIGTERM).message.ends_with(" stopped by SIGTERM"));
  CHECK(daemon_stopped(SIGINT).message.ends_with(" stopped by SIGINT"));
}

}  // namespace
}  // namespace vtmirror::wiring
