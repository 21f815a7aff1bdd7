// Lines at the bottom of a terminal that are redrawn in place, while other output scrolls above them.
// Hides the cursor while the lines are shown. Never reads from the terminal. The journal of `vtmirror sync` keeps
// them below its lines.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/rate.hpp"
#include "vtmirror/settings/load.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::terminal {

/// What the terminal understands.
struct BlockLook {
  bool utf8 = false;
  bool progress = false;  ///< shows a progress of its own, such as a bar in its tab (the sequence OSC 9;4)
};
/// By the locale, and by the variables of the terminals that are known to show a progress.
BlockLook block_look(const settings::Environment& environment);

class LiveBlock {
 public:
  explicit LiveBlock(int descriptor, BlockLook look = {}) : descriptor_(descriptor), look_(look) {}
  ~LiveBlock() { close(); }
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;

  /// Draws the lines of a cycle, and reports its progress to a terminal that shows one.
  void show(const ports::CycleProgress& progress, const report::Rates& rates, base::Time now);
  /// Replaces the lines drawn before, in one write. If there are more lines than rows, only the last ones are drawn.
  void draw(std::vector<std::string> lines);
  /// Erases the block, so that something else can be printed; `draw_again` restores it.
  void clear();
  void draw_again();
  /// Erases the block, ends the terminal's own progress and shows the cursor. Call it before the process ends or is
  /// suspended.
  void close();

 private:
  std::string erasure() const;

  int descriptor_;
  BlockLook look_;
  std::string reported_;  ///< to the terminal as its progress; empty: none
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
bool is_logged(const ports::Event& event, const JournalRules& rules);

/// `inner` and `block` must outlive it; `block` may be null.
class SyncJournal : public ports::Journal {
 public:
  SyncJournal(ports::Journal& inner, LiveBlock* block, JournalRules rules)
      : inner_(inner), block_(block), rules_(rules) {}
  void log(const ports::Event& event) override;

 private:
  ports::Journal& inner_;
  LiveBlock* block_;
  JournalRules rules_;
};

}  // namespace vtmirror::terminal
