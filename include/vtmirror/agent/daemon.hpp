// The daemon's main loop: sleeps until the schedule, a request or a signal wakes it, and runs cycles.
// In between it only checks the clock once a minute, which detects clock changes and suspends. Never talks to systemd,
// the socket or a person: it informs a Watcher.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/health.hpp"
#include "vtmirror/agent/rotation.hpp"
#include "vtmirror/core/health.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace vtmirror::agent {

class Slots;

struct DaemonSettings {
  ServiceSettings service;
  CycleSettings cycle;
  HealthSettings health;  ///< with the schedule and the credentials
  RotationSettings rotation{};
  std::shared_ptr<ports::Secrets> secrets{};  ///< null if the secret is never changed
};

/// Callbacks on the loop's thread; they must not block.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void state_changed() = 0;
  virtual void cycle_ended() = 0;
  /// Another secret is in the state directory: the settings must be read again.
  virtual void secret_changed() {}
};

class Daemon {
 public:
  Daemon(Ports ports, DaemonSettings settings, Watcher& watcher);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Runs until the stop signal, or until the catalogue is found damaged or the mirror's directory removed. Errors:
  /// those of `Agent::recover`, catalogue, and io; a cycle's failure is a problem, not an end.
  boost::asio::awaitable<base::Result<void>> run();

  /// Requests a cycle: a running cycle is enough; otherwise the next one starts at once. Returns its number.
  std::int64_t ask_for_cycle();
  /// Applies new settings from the next cycle on. If the last cycle was not complete, one tries them at once, unless
  /// the service asked for a wait.
  void take(DaemonSettings settings);
  /// Other settings were refused: a problem until some are taken.
  void refuse(core::Cause why);

  /// As `Agent::plan`. Errors: as there; locked, while the daemon is starting and has not read the mirror yet.
  boost::asio::awaitable<base::Result<core::Plan>> plan();
  /// As `Agent::removals` and `Agent::prune`, by the newest settings. Errors: as there; locked, while the daemon is
  /// starting.
  boost::asio::awaitable<base::Result<core::Pruning>> removals();
  boost::asio::awaitable<base::Result<core::Pruning>> prune();

  const core::DaemonState& state() const;
  /// The running cycle; null if none runs.
  const ports::CycleProgress* progress() const;

 private:
  /// The agent that a cycle runs with or, if none runs, the next one will; and the newest settings, which that agent
  /// may not have yet.
  struct InUse {
    std::shared_ptr<Agent> agent;
    CycleSettings settings;
    Slots& pruning;  ///< while its place is taken, the agent is not replaced
  };
  InUse in_use() const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
