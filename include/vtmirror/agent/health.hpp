// What is wrong with the mirror, judged after each cycle and, by the daemon, now and then; kept in the catalogue.
// Promises that each problem is told when it begins and when it is over, once each, whatever ends the process: a
// problem is told by the process that keeps it. Never asks the network or the mirror's disk.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/expiry.hpp"
#include "vtmirror/core/health.hpp"
#include "vtmirror/core/schedule.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace vtmirror::agent {

/// The secret and the key in use, by their fingerprints, and what the settings say of them.
struct CredentialSettings {
  std::string secret_fingerprint;  ///< empty: nothing is watched, and no warning is given
  std::string key_fingerprint;
  std::optional<base::Date> secret_expires_on;
  std::optional<core::SecretIssue> issue;  ///< of this very secret
  std::vector<int> warn_days{30, 14};
  bool auto_rotate = false;
  friend bool operator==(const CredentialSettings&, const CredentialSettings&) = default;
};

struct HealthSettings {
  core::Schedule schedule;
  std::shared_ptr<const core::Zone> zone;
  /// Looks whether a damaged catalogue lies beside the new one. Must not take long; may be empty.
  std::function<std::optional<core::Problem>()> catalogue_rebuilt{};
  CredentialSettings credentials{};
};

class SecretWatch;

class Health {
 public:
  Health(Parts parts, HealthSettings settings);
  ~Health();
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  /// Reads what the catalogue knows: at the start, and after each cycle. Errors: catalogue, io; what was known stays.
  boost::asio::awaitable<base::Result<void>> recall();

  /// Judges what is known by the clock of now; what has changed is kept and told. What cannot be kept is wrong all the
  /// same, and is kept later.
  boost::asio::awaitable<void> judge();

  /// Looks at the secret's expiry, and gives the warning that is due today: at the start, before `recall`, and now and
  /// then. Costs nothing until the day changes.
  boost::asio::awaitable<void> look();
  /// To be called when a cycle has ended, with the agent's word on who accepted what: keeps it, after the warning that
  /// is due today, and recalls what the catalogue knows of the cycle. `judge` comes next. Errors: those of `recall`.
  boost::asio::awaitable<base::Result<void>> after_cycle(Acceptance secret, Acceptance key);
  /// The last cycle could not try anything since secret or key are refused: trying again soon helps nobody.
  bool refused() const;
  const SecretWatch& secret_watch() const;

  /// The last cycle, for the schedule; empty when there was none, or when one was cut or stopped and is to be taken up.
  const std::optional<core::LastCycle>& last() const;
  const std::vector<core::Problem>& problems() const;

  void take(HealthSettings settings);
  /// A cycle that the catalogue could not keep.
  void note_end(const core::LastCycle& last, std::optional<core::Failure> failure);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
