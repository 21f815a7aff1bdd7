// Receives the signals that end or suspend a program in a terminal through a descriptor that can be polled.
// While it exists, these signals have no other effect; afterwards their old actions are restored.
#pragma once

#include <csignal>

namespace vtmirror::terminal {

class Interrupt {
 public:
  /// Receives SIGINT, SIGTERM and SIGHUP; with `suspends`, SIGTSTP as well.
  explicit Interrupt(bool suspends);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int descriptor() const { return descriptor_; }
  /// The signal that arrived, or 0 if none did.
  int take();

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

/// Ends the process as if the signal had never been caught, so that the parent process sees which signal it was. Call
/// it only when no `Interrupt` exists.
void end_by(int signal);

}  // namespace vtmirror::terminal
