// Signals that end or suspend a program in a terminal, as a descriptor that a wait can watch.
// While it lives, these signals do nothing else; afterwards they do what they did before.
#pragma once

#include <csignal>

namespace vtmirror::terminal {

class Interrupt {
 public:
  /// SIGINT, SIGTERM and SIGHUP; where `suspends`, SIGTSTP as well.
  explicit Interrupt(bool suspends);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int descriptor() const { return descriptor_; }
  /// The signal that came, or 0 when none did.
  int take();

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

/// Ends the process as if the signal had never been caught, so that whoever waits for us sees what ended us. Once no
/// `Interrupt` lives.
void end_by(int signal);

}  // namespace vtmirror::terminal
