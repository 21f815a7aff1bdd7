// Who watches over the process (systemd), as a seam: what the daemon tells it about its own state.
// Never fails: without a supervisor nobody listens, and nothing else changes.
#pragma once

#include "vtmirror/base/time.hpp"

#include <optional>
#include <string>

namespace vtmirror::ports {

class Supervisor {
 public:
  virtual ~Supervisor() = default;

  /// The daemon can answer. Said at the start, and again when what `reloading` began is over, however that went.
  virtual void ready() = 0;
  /// One line in words for `systemctl status`; replaces the one before.
  virtual void status(const std::string& text) = 0;
  /// The settings are being read again; `ready` ends it.
  virtual void reloading() = 0;
  virtual void stopping() = 0;

  /// How long the supervisor waits for `alive` before it takes the process for hung; empty where it does not watch.
  virtual std::optional<base::Milliseconds> watchdog() const = 0;
  virtual void alive() = 0;
};

}  // namespace vtmirror::ports
