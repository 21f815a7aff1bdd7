#include "wiring/unqueued.hpp"

#include "support/silent_journal.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

using namespace vtmirror;

TEST_CASE("an attempt to notify that its time limit ended is logged as one that took too long") {
  test::TemporaryDirectory directory;
  const auto program = directory.path() / "sendmail";
  std::ofstream(program) << "#!/bin/sh\nexec sleep 60\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  settings::Config config;
  config.notify.mail_to = {"ops@fleet.example"};
  config.notify.sendmail = program.string();
  test::SilentJournal journal;
  core::Notice notice{.topic = core::Topic::warning, .code = "low_space"};
  notice.message = "the disk is full";
  wiring::send_unqueued(config, notice, journal, std::chrono::milliseconds(100));
  REQUIRE(journal.count(ports::EventKind::notice_delayed) == 1);
  const auto& message = journal.events.back().message;
  CAPTURE(message);
  CHECK(message.find("could not deliver \"the disk is full\": ") != std::string::npos);
  CHECK(message.ends_with("it took too long; it is not sent again"));
  CHECK(message.find("the stop") == std::string::npos);
}
