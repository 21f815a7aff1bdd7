// The journal of `vtmirror sync`: lets through what a person wants to read, and keeps the live lines below it.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/terminal/live_block.hpp"

#include <optional>

namespace vtmirror::terminal {

struct JournalRules {
  std::optional<ports::Level> least;  ///< as chosen with --log-level; nothing else counts then
  bool live = false;                  ///< bars show what starts and runs: only how files end is told
};

/// Whether an event is told: without a choice, those of level notice and above, and how each file starts and ends;
/// how the cycle ends is the summary's to tell.
bool is_told(const ports::Event& event, const JournalRules& rules);

/// Both outlive it; `block` may be null.
class SyncJournal : public ports::Journal {
 public:
  SyncJournal(ports::Journal& inner, LiveBlock* block, JournalRules rules)
      : inner_(inner), block_(block), rules_(rules) {}
  void tell(const ports::Event& event) override;

 private:
  ports::Journal& inner_;
  LiveBlock* block_;
  JournalRules rules_;
};

}  // namespace vtmirror::terminal
