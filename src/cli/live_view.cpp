#include "cli/live_view.hpp"

#include "vtmirror/report/event.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>

namespace vtmirror::cli {
namespace {

std::optional<terminal::LiveBlock> block_of(const Arguments& arguments, const settings::Environment& environment) {
  const bool draws = !arguments.json && !arguments.quiet && !arguments.dry_run;
  if (!draws || !terminal::shows_bars(STDERR_FILENO, environment)) return std::nullopt;
  return std::optional<terminal::LiveBlock>(std::in_place, STDERR_FILENO, terminal::block_look(environment));
}

terminal::JournalRules rules_of(const Arguments& arguments, bool live) {
  terminal::JournalRules rules{arguments.log_level, live};
  if (arguments.quiet && !rules.least) rules.least = ports::Level::warning;
  return rules;
}

}  // namespace

void JsonLines::log(const ports::Event& event) {
  std::cout << report::event_line(ports::StreamEvent::journal, report::event_json(event)) << std::flush;
}

LiveView::LiveView(const Arguments& arguments, const settings::Environment& environment)
    : json_(arguments.json),
      block_(block_of(arguments, environment)),
      stderr_(wiring::stderr_journal(ports::Level::debug, arguments.colour, environment)),
      people_(*stderr_, block(), rules_of(arguments, block_.has_value())) {}

bool was_suspended(const base::Error& error, terminal::Interrupt& interrupt, terminal::LiveBlock* block, int& signal) {
  signal = error.code == base::Errc::cancelled ? interrupt.signal() : 0;
  if (signal != SIGTSTP) return false;
  block->close();
  std::raise(SIGSTOP);
  return true;
}

base::Steady steady_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<base::Milliseconds>(since)};
}

}  // namespace vtmirror::cli
