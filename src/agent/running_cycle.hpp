// A cycle that runs beside the daemon's loop, with the settings that it began with, and the listings that are asked for
// while it downloads.
// Promises that the loop is woken when a listing has come and when the cycle has ended. Decides nothing: core says
// when to ask.
#pragma once

#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/health.hpp"

#include <memory>
#include <optional>

namespace vtmirror::agent {

class RunningCycle : public std::enable_shared_from_this<RunningCycle> {
 public:
  /// What it begins with.
  struct Start {
    std::shared_ptr<Agent> agent;
    core::Try which{};
    core::LastCycle record{};  ///< its start as a try, with the settings' fingerprint
    core::LastCycle before{};  ///< the cycle before it
    core::LastCycle tried{};   ///< its own listing, as a try
    bool corrected = false;    ///< the cause of the last cycle's failure may have been corrected
    CredentialSettings credentials;
  };
  RunningCycle(Ports ports, Start start, TaskGroup& tasks, Wake& wake);

  /// Must be called once.
  void begin();
  /// Asks for the listing again, beside everything else. Call only if `may_list`.
  void list(const core::Schedule& schedule, std::shared_ptr<const core::Zone> zone);
  bool may_list() const { return !listing_ && !report_ && start_.agent->accepts_listings(); }

  const Start& start() const { return start_; }
  /// The last time that the listing was asked for, as it counts for `core::next_wake`. `health` knows what is listed.
  core::LastCycle last_try(const Health& health, const HealthSettings& settings);
  /// How the cycle counts after its end, if the catalogue could not record that end.
  core::LastCycle unrecorded_end(const HealthSettings& settings) const;
  /// Reports the end to `health` itself, if the catalogue could not record it; `recalled` is why not.
  void note_end(Health& health, const HealthSettings& settings, const base::Result<void>& recalled) const;
  /// Empty while it runs.
  const std::optional<base::Result<core::CycleReport>>& report() const { return report_; }
  const ports::CycleProgress* progress() const { return start_.agent->progress(); }

 private:
  using Self = std::shared_ptr<RunningCycle>;
  static boost::asio::awaitable<void> run(Self self);
  static boost::asio::awaitable<void> list_again(Self self, core::Schedule schedule,
                                                 std::shared_ptr<const core::Zone> zone);

  Ports ports_;
  Start start_;
  TaskGroup& tasks_;
  Wake& wake_;
  core::LastCycle tried_;
  bool listing_ = false;
  std::optional<base::Result<core::CycleReport>> report_;
};

}  // namespace vtmirror::agent
