// What stdout and stderr are connected to: a terminal, its size, colour. Also a screen that is drawn in place, a secret
// that is typed, and signals.
// Promises that the terminal and the actions of signals are as before when a screen, a question or an `Interrupt` has
// ended. Never echoes a secret.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/settings/load.hpp"

#include <csignal>
#include <cstddef>
#include <string>
#include <string_view>

namespace vtmirror::terminal {

enum class ColourChoice { automatic, always, never };

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

bool is_terminal(int descriptor);
/// The current size; it is not cached, because windows are resized.
TerminalSize terminal_size(int descriptor);

/// The width for a table: the terminal's columns, or 0 (unlimited) if it is not a terminal.
std::size_t table_width(int descriptor);

/// With `automatic`, a non-empty NO_COLOR or TERM=dumb turns colours off.
bool use_colour(ColourChoice choice, int descriptor, const settings::Environment& environment);

/// Writes as much as possible. Errors are ignored, because losing the terminal must not end the work.
void write_to_terminal(int descriptor, std::string_view text);

/// Whether it is a terminal on which lines can be redrawn in place.
bool can_redraw(int descriptor, const settings::Environment& environment);

/// Whether progress is drawn in place there: a non-empty NO_PROGRESS turns it off.
bool shows_bars(int descriptor, const settings::Environment& environment);

/// A full-screen view on the alternate screen; closing it restores the terminal. Never reads from the terminal.
class Screen {
 public:
  explicit Screen(int descriptor);
  ~Screen() { close(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// Replaces what was drawn before by `text`, whose lines are no wider than the terminal. If there are more lines than
  /// rows, only the first ones are shown.
  void draw(const std::string& text);
  void open();
  void close();

 private:
  int descriptor_;
  bool open_ = false;
};

/// Receives the signals that end or suspend a program in a terminal through a descriptor that can be polled.
/// While it exists, these signals have no other effect; afterwards their old actions are restored.
class Interrupt {
 public:
  /// Receives SIGINT, SIGTERM and SIGHUP; with `suspends`, SIGTSTP as well.
  explicit Interrupt(bool suspends);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int descriptor() const { return descriptor_; }
  /// The signal that arrived, or 0 if none did.
  int signal();

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

/// Ends the process as if the signal had never been caught, so that the parent process sees which signal it was. Call
/// it only when no `Interrupt` exists.
void end_by(int signal);

/// A secret from stdin: typed without echo on a terminal, read to its end otherwise.
/// One newline at the end is dropped. Errors: config (empty, too long, not printable), cancelled (by Ctrl-C).
base::Result<base::Secret> typed_secret(int descriptor, const std::string& prompt = "New client secret (not shown): ");
/// A line typed on a terminal, without spaces around it. Errors: cancelled (Ctrl-D, or the terminal is gone).
base::Result<std::string> typed_line(int descriptor, const std::string& prompt);

}  // namespace vtmirror::terminal
