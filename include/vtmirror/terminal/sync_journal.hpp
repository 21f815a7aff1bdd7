// The journal of `vtmirror sync`: logs the events that matter to a person, above the live lines.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/terminal/live_block.hpp"

#include <optional>

namespace vtmirror::terminal {

struct JournalRules {
  std::optional<ports::Level> least;  ///< from --log-level; if set, it alone decides
  bool live = false;                  ///< bars show the running downloads, so that only their ends are logged
};

/// Whether an event is logged. Without --log-level: events of level notice and above, and the start and end of each
/// file. The end of the cycle is left to the summary.
bool is_told(const ports::Event& event, const JournalRules& rules);

/// `inner` and `block` must outlive it; `block` may be null.
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
