#include "vtmirror/terminal/sync_journal.hpp"

#include <algorithm>

namespace vtmirror::terminal {
namespace {

/// Whether the event reports the end of the cycle, which the summary shows.
bool is_of_the_cycle(const ports::Event& event) {
  return std::any_of(event.fields.begin(), event.fields.end(),
                     [](const auto& field) { return field.key == "problem" && field.value == "cycle_failed"; });
}

}  // namespace

bool is_told(const ports::Event& event, const JournalRules& rules) {
  if (rules.least) return event.level >= *rules.least;
  // The summary says it in more detail.
  if (event.kind == ports::EventKind::cycle_finished) return false;
  if (event.kind == ports::EventKind::problem_began && is_of_the_cycle(event)) return false;
  if (event.level >= ports::Level::notice) return true;
  switch (event.kind) {
    case ports::EventKind::fetch_started:
      return !rules.live;
    case ports::EventKind::published:
    case ports::EventKind::fetch_failed:
    case ports::EventKind::quarantined:
    case ports::EventKind::hook_output:
      return true;
    default:
      return false;
  }
}

void SyncJournal::tell(const ports::Event& event) {
  if (!is_told(event, rules_)) return;
  if (block_ != nullptr) block_->clear();
  inner_.tell(event);
  if (block_ != nullptr) block_->draw_again();
}

}  // namespace vtmirror::terminal
