// Lines at the bottom of a terminal that are redrawn in place, while other output scrolls above them.
// Hides the cursor while the lines are shown. Never reads from the terminal. The journal of `vtmirror sync` keeps
// them below its lines.
#pragma once

#include "vtmirror/ports/journal.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::terminal {

class LiveBlock {
 public:
  explicit LiveBlock(int descriptor) : descriptor_(descriptor) {}
  ~LiveBlock() { close(); }
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;

  /// Replaces the lines drawn before, in one write. If there are more lines than rows, only the last ones are drawn.
  void draw(std::vector<std::string> lines);
  /// Erases the block, so that something else can be printed; `draw_again` restores it.
  void clear();
  void draw_again();
  /// Erases the block and shows the cursor. Call it before the process ends or is suspended.
  void close();

 private:
  std::string erasure() const;

  int descriptor_;
  bool cursor_hidden_ = false;
  bool drawn_ = false;
  std::vector<std::string> lines_;
};

/// The journal of `vtmirror sync`: logs the events that matter to a person, above the live lines.
struct JournalRules {
  std::optional<ports::Level> least;  ///< from --log-level; if set, it alone decides
  bool live = false;                  ///< bars show the running downloads, so that only their ends are logged
};

/// Whether an event is logged. Without --log-level: events of level notice and above, and the start and end of each
/// file. The end of the cycle or of a verification is left to the summary.
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
