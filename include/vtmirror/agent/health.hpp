// Judges what is wrong with the mirror, after each cycle and, in the daemon, from time to time; stored in the
// catalogue.
// Promises that each problem is reported when it begins and when it is over, once each, however the process ends: the
// process that stores a problem reports it. Never uses the network, and of the mirror's disk only asks for the free
// space.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/daemon_state.hpp"
#include "vtmirror/core/expiry.hpp"
#include "vtmirror/core/schedule.hpp"
#include "vtmirror/report/days.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace vtmirror::agent {

/// The secret and the key in use, by fingerprint, and their settings.
struct CredentialSettings {
  std::string secret_fingerprint;  ///< empty: nothing is watched, and no warning is sent
  std::string key_fingerprint;
  std::optional<base::Date> secret_expires_on;
  std::optional<core::SecretIssue> issue;  ///< of this secret
  std::vector<int> warn_days{30, 14};
  bool auto_rotate = false;
  friend bool operator==(const CredentialSettings&, const CredentialSettings&) = default;
};

struct HealthSettings {
  core::Schedule schedule;
  std::shared_ptr<const core::Zone> zone;
  /// Checks whether a damaged catalogue exists beside the new one. Must not take long; may be empty.
  std::function<std::optional<core::Problem>()> catalogue_rebuilt{};
  CredentialSettings credentials{};
  core::Policy policy{};  ///< by which it is judged how long the disk lasts
  core::ConsumerRules consumers{};
  report::UtcOffset utc_offset{};  ///< of the machine: people read times by its clock. Without it they are in UTC
};

class SecretWatch;

class Health {
 public:
  Health(Ports ports, HealthSettings settings);
  ~Health();
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  /// Reads the catalogue's records: at start, and after each cycle. Errors: catalogue, io; what was known stays.
  boost::asio::awaitable<base::Result<void>> recall();

  /// Judges by the current time; changes are stored and reported. Problems that cannot be stored still count, and are
  /// stored later. `corrected`: as in `core::HealthFacts`. `last`: the try by which it is judged whether the day's
  /// tries have ended, if it is not the last cycle. `next_try`: the next cycle, if one is certain to follow.
  boost::asio::awaitable<void> judge(bool corrected = false, std::optional<core::LastCycle> last = std::nullopt,
                                     std::optional<base::Time> next_try = std::nullopt);
  /// While a cycle runs: reads what is listed and held by now. What was known stays if that fails.
  boost::asio::awaitable<void> look_at_files();
  bool lists_delta_of(base::Date day) const;
  std::optional<base::Time> listed_at() const;

  /// Checks the secret's expiry, and sends the warning that is due today: at start, before `recall`, and from time to
  /// time. Costs nothing until the day changes.
  boost::asio::awaitable<void> look();
  /// To be called when a cycle of `agent` has ended: keeps which credentials were accepted, after the warning that is
  /// due today, and what could not be repaired, and reads what the catalogue knows of the cycle. `judge` comes next.
  /// `began_with`: the credentials of the cycle, which says nothing of others that are in use by now. Errors: those of
  /// `recall`.
  boost::asio::awaitable<base::Result<void>> after_cycle(const Agent& agent, const CredentialSettings& began_with);
  /// The same of a cycle that began with the credentials that are in use.
  boost::asio::awaitable<base::Result<void>> after_cycle(const Agent& agent);
  /// The last cycle could not try anything because the secret or the key is refused: retrying soon does not help.
  bool refused() const;
  const SecretWatch& secret_watch() const;

  /// The last cycle, for the schedule; empty if there was none, or if one was cut off or stopped and must be continued.
  const std::optional<core::LastCycle>& last() const;
  const std::vector<core::Problem>& problems() const;

  /// Ends `settings_refused`.
  void use(HealthSettings settings);
  /// Other settings were refused, and the old ones stay in use.
  void refuse(core::Cause why);
  /// What the last recovery could not repair; replaces what the one before could not.
  void note_unrepaired(std::vector<core::Cause> files);
  /// Records a cycle that the catalogue could not store.
  void note_end(const core::LastCycle& last, std::optional<core::Failure> failure);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
