// The supervisor of the process (systemd), to which the daemon reports its state.
// Never fails: without a supervisor the calls have no effect.
#pragma once

#include "vtmirror/base/time.hpp"

#include <optional>
#include <string>

namespace vtmirror::ports {

class Supervisor {
 public:
  virtual ~Supervisor() = default;

  /// The daemon can answer. Called at start, and again when what `reloading` began has ended, with or without success.
  virtual void ready() = 0;
  /// One line of text for `systemctl status`; replaces the previous one.
  virtual void status(const std::string& text) = 0;
  /// The settings are being read again; `ready` ends it.
  virtual void reloading() = 0;
  virtual void stopping() = 0;
  /// The stop may take so long from now on, even if the supervisor would wait less.
  virtual void extend_stop(base::Milliseconds by) = 0;

  /// How long the supervisor waits for `alive` before it considers the process hung; empty if it does not watch.
  virtual std::optional<base::Milliseconds> watchdog() const = 0;
  virtual void alive() = 0;
};

}  // namespace vtmirror::ports
