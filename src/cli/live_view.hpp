// What a person sees on stderr while `sync`, `verify` or `adopt` works, or while a daemon does it for them: progress in
// place where it can be drawn, and the events as lines. With --json the events are lines of JSON on stdout instead,
// each with its event's name as `event`. Never prints a secret: the events hold none.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/stream_event.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/terminal/live_block.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::cli {

/// Prints every event as a line of JSON on stdout.
class JsonLines final : public ports::Journal {
 public:
  void log(const ports::Event& event) override;
};

class LiveView {
 public:
  /// Nothing is drawn with --quiet, --json or --dry-run; of the events, --quiet leaves warnings and errors.
  LiveView(const Arguments& arguments, const settings::Environment& environment);
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  terminal::LiveBlock* block() { return block_ ? &*block_ : nullptr; }  ///< null if nothing is drawn
  ports::Journal& journal() { return json_ ? static_cast<ports::Journal&>(lines_) : people_; }

 private:
  bool json_;
  std::optional<terminal::LiveBlock> block_;
  std::unique_ptr<ports::Journal> stderr_;
  terminal::SyncJournal people_;
  JsonLines lines_;
};

/// Whether the wait for a daemon's event ended because the person pressed Ctrl-Z: then this returns when the process
/// goes on. Otherwise `signal` is the one that ended the wait, or 0. `block` is closed before the stop.
bool was_suspended(const base::Error& error, terminal::Interrupt& interrupt, terminal::LiveBlock* block, int& signal);

/// The monotonic clock of rates.
base::Steady steady_now();

}  // namespace vtmirror::cli
