// The daemon's main loop: sleeps until the schedule, a request or a signal wakes it, and runs cycles.
// In between it only checks the clock once a minute, which detects clock changes and suspends. Never talks to systemd,
// the socket or a person: it informs a Watcher.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/health.hpp"
#include "vtmirror/agent/rotation.hpp"
#include "vtmirror/core/daemon_state.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::agent {

class Slots;
class Verification;
class Verifier;

struct DaemonSettings {
  ServiceSettings service;
  CycleSettings cycle;
  HealthSettings health;  ///< with the schedule and the credentials
  RotationSettings rotation{};
  std::shared_ptr<ports::Secrets> secrets{};  ///< null if the secret is never changed
  std::chrono::seconds scrub{};               ///< how often every held file is read again at least; zero is never
};

/// Callbacks on the loop's thread; they must not block.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void state_changed() = 0;
  virtual void cycle_ended() = 0;
  /// A verification that somebody asked for reads: also when it continues after a cycle.
  virtual void verifying() {}
  /// It has ended: `number` is the one that `ask_for_verification` returned, and `result` is an error if it could not
  /// be finished. The report is valid during the call.
  virtual void verified(std::int64_t /*number*/, const core::VerificationReport& /*report*/,
                        const base::Result<void>& /*result*/) {}
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
  /// Requests that held files are read again (`core::select_files`; no name means all), when no cycle runs. Returns the
  /// verification's number. Errors: locked, while the daemon is starting or another verification is not finished.
  base::Result<std::int64_t> ask_for_verification(core::VerificationRequest request);
  /// The requested verification; null if none has begun. Its number is that of the newest request.
  Verification* verification() const;
  std::int64_t verification_number() const;
  /// Applies new settings from the next cycle on. If the last cycle was not complete, one tries them at once, unless
  /// the service asked for a wait.
  void use(DaemonSettings settings);
  /// Other settings were refused. The problem lasts until a reload succeeds.
  void refuse(core::Cause why);

  /// As `Agent::plan`. Errors: as there; locked, while the daemon is starting and has not read the mirror yet.
  boost::asio::awaitable<base::Result<core::Plan>> plan();
  /// As `Agent::removals` and `Agent::prune`, by the newest settings. Errors: as there; locked, while the daemon is
  /// starting.
  boost::asio::awaitable<base::Result<core::Pruning>> removals();
  boost::asio::awaitable<base::Result<core::Pruning>> prune();

  /// Why it cannot be asked yet: locked, while it starts. Empty: it has read the mirror.
  std::optional<base::Error> not_started() const;

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
  Verifier& verifier() const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
