// The daemon's own loop: sleeps until the schedule, a question or a signal wakes it, and runs cycles.
// Promises that nothing runs in between but a look at the clock once a minute, by which changes of the clock and
// suspends are met. Never talks to systemd, the socket or a person: a Watcher is told.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/health.hpp"
#include "vtmirror/agent/rotation.hpp"
#include "vtmirror/core/daemon_state.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace vtmirror::agent {

struct DaemonSettings {
  ServiceSettings service;
  CycleSettings cycle;
  HealthSettings health;  ///< with the schedule and the credentials
  RotationSettings rotation{};
  std::shared_ptr<ports::Secrets> secrets{};  ///< null: no secret is ever changed
};

/// Told on the loop's thread; must not wait.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void state_changed() = 0;
  virtual void cycle_ended() = 0;
  /// Another secret lies in the state directory: the settings are to be read again.
  virtual void secret_changed() {}
};

class Daemon {
 public:
  Daemon(Parts parts, DaemonSettings settings, Watcher& watcher);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Until the stop signal, or until the catalogue is found damaged or the mirror's directory taken away. Errors: those
  /// of `Agent::recover`, catalogue, and io; a cycle's failure is a problem, not an end.
  boost::asio::awaitable<base::Result<void>> run();

  /// The cycle that runs will do; where none does, the next one begins at once. Returns its number.
  std::int64_t ask_for_cycle();
  /// New settings, from the next cycle on. Where secret or key were refused, a cycle tries them at once.
  void take(DaemonSettings settings);

  /// As `Agent::plan`. Errors: as there; locked, while the daemon is starting and does not know the mirror yet.
  boost::asio::awaitable<base::Result<core::Plan>> plan();

  const core::DaemonState& state() const;
  /// The cycle that runs; null when none does.
  const ports::CycleProgress* progress() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
