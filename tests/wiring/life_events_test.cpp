#include "wiring/life_events.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>

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

TEST_CASE("the page's address is logged, with a warning where other machines can read it") {
  const auto here = page_served("127.0.0.1:9465");
  CHECK(here.message == "the status page is at http://127.0.0.1:9465/");
  CHECK(here.level == ports::Level::info);
  CHECK(page_served("[::1]:9465").level == ports::Level::info);
  for (const auto* address : {"0.0.0.0:9465", "192.0.2.7:9465", "[::]:9465"}) {
    const auto open = page_served(address);
    CHECK(open.level == ports::Level::warning);
    CHECK(open.message == "the status page is at http://" + std::string(address) +
                              "/: every machine that reaches this address can read it (control.web)");
  }
}

TEST_CASE("the last line of a daemon names the signal that stopped it") {
  CHECK(daemon_stopped(SIGTERM).message.ends_with(" stopped by SIGTERM"));
  CHECK(daemon_stopped(SIGINT).message.ends_with(" stopped by SIGINT"));
}

}  // namespace
}  // namespace vtmirror::wiring
