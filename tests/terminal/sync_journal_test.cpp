#include "vtmirror/terminal/live_block.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace vtmirror::terminal {
namespace {

using ports::EventKind;
using ports::Level;

struct Notes : ports::Journal {
  std::vector<std::string> logged;
  void log(const ports::Event& event) override { logged.push_back(event.message); }
};

ports::Event event(EventKind kind, Level level) { return {kind, level, "said", {}}; }

TEST_CASE("without a terminal, each file's start and end is logged, and other important events") {
  const JournalRules rules{};
  CHECK(is_logged(event(EventKind::fetch_started, Level::info), rules));
  CHECK(is_logged(event(EventKind::fetch_progress, Level::info), rules));
  CHECK(is_logged(event(EventKind::published, Level::info), rules));
  CHECK(is_logged(event(EventKind::fetch_failed, Level::info), rules));
  CHECK(is_logged(event(EventKind::hook_output, Level::info), rules));
  CHECK(is_logged(event(EventKind::space_low, Level::notice), rules));
  CHECK_FALSE(is_logged(event(EventKind::cycle_finished, Level::error), rules));
  CHECK_FALSE(is_logged(event(EventKind::verified, Level::error), rules));
  CHECK(is_logged(event(EventKind::damage_found, Level::error), rules));
  CHECK_FALSE(is_logged(event(EventKind::listed, Level::info), rules));
  CHECK_FALSE(is_logged(event(EventKind::checked, Level::debug), rules));
}

TEST_CASE("a problem is logged, but not that this cycle failed or a file's: the summary or the file's line says so") {
  const auto problem = [](const std::string& code) {
    return ports::Event{EventKind::problem_began, Level::error, "said", {{"problem", code}}};
  };
  CHECK(is_logged(problem("late_delta"), {}));
  CHECK(is_logged(problem("secret_expired"), {}));
  for (const auto* code : {"cycle_failed", "empty_listing", "refused_entry", "quarantined_file", "missing_files",
                           "damaged_file", "low_space", "secret_refused", "key_revoked"}) {
    CAPTURE(code);
    CHECK_FALSE(is_logged(problem(code), {}));
  }
  CHECK(is_logged(problem("cycle_failed"), {Level::info, false}));
}

TEST_CASE("with live lines, the start of a file is not logged") {
  const JournalRules rules{{}, true};
  CHECK_FALSE(is_logged(event(EventKind::fetch_started, Level::info), rules));
  CHECK_FALSE(is_logged(event(EventKind::fetch_progress, Level::info), rules));
  CHECK(is_logged(event(EventKind::published, Level::info), rules));
}

TEST_CASE("a chosen level decides alone") {
  const JournalRules rules{Level::warning, false};
  CHECK_FALSE(is_logged(event(EventKind::published, Level::info), rules));
  CHECK(is_logged(event(EventKind::fetch_retried, Level::warning), rules));
  CHECK(is_logged(event(EventKind::listed, Level::debug), {Level::debug, true}));
}

TEST_CASE("an event that is logged reaches the inner journal, the rest does not") {
  Notes notes;
  SyncJournal journal(notes, nullptr, {});
  journal.log(event(EventKind::listed, Level::info));
  journal.log(event(EventKind::published, Level::info));
  CHECK(notes.logged.size() == 1);
}

}  // namespace
}  // namespace vtmirror::terminal
