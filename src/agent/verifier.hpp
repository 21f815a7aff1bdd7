// When the daemon reads held files again: because somebody asked for it, or because their time has come.
// Promises that nothing is read beside a cycle, that one that is due waits for a second at most, and that a request
// which was interrupted for it continues afterwards. Decides nothing: core says which file is due.
#pragma once

#include "agent/off_loop.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/agent/verification.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace vtmirror::agent {

class Verifier {
 public:
  /// All are borrowed. `tasks` are joined before this is destroyed.
  Verifier(Ports ports, CatalogueCalls& calls, TaskGroup& tasks, Wake& wake, Watcher& watcher)
      : ports_(ports), calls_(calls), tasks_(tasks), wake_(wake), watcher_(watcher), way_(ports.loop) {}

  /// How often every file is read at least; zero is never.
  void use(std::chrono::seconds every) {
    every_ = every;
    next_scrub_ = {};
  }

  /// Returns the number of the verification. Errors: locked, while another one is not finished.
  base::Result<std::int64_t> ask(core::VerificationRequest request);
  /// The verification that somebody asked for; null if there is none, or it has not begun.
  Verification* asked_for() const { return asked_ ? asked_->work.get() : nullptr; }
  std::int64_t number() const { return number_; }

  /// Ends what reads now, and returns when nothing does any more: within a second.
  boost::asio::awaitable<void> make_way();
  /// The same before a cycle begins: it repairs what was found by then.
  boost::asio::awaitable<void> make_way_for_cycle();
  /// Whether `tend` has something to do: a reading has ended, or a request waits.
  bool has_news() const { return ended_ || (asked_ && !reading_); }
  /// Begins what is due, with the zone of the schedule. Call it while no cycle runs, and `make_way_for_cycle`
  /// before one begins. Returns whether damage was found since the last call: only a cycle can repair it.
  boost::asio::awaitable<bool> tend(std::shared_ptr<Agent> agent, std::shared_ptr<const core::Zone> zone);

 private:
  struct Asked {
    core::VerificationRequest request;
    std::shared_ptr<Verification> work{};  ///< once it has begun
  };
  boost::asio::awaitable<void> verify(std::shared_ptr<Agent> agent);
  boost::asio::awaitable<void> scrub(std::shared_ptr<Agent> agent, std::string name);
  bool may_be_due(base::Time now) const;
  boost::asio::awaitable<std::optional<std::string>> find_due(std::shared_ptr<const core::Zone> zone);
  void begin(std::shared_ptr<Verification> work, boost::asio::awaitable<void> task);
  void end(Verification& work, const base::Result<void>& ended);

  Ports ports_;
  CatalogueCalls& calls_;
  TaskGroup& tasks_;
  Wake& wake_;
  Watcher& watcher_;
  Wake way_;  ///< nothing reads any more
  std::chrono::seconds every_{};
  base::Time next_scrub_{};            ///< nothing is due before
  base::Time looked_at_{};             ///< when that was found
  std::set<std::string> left_alone_;   ///< could not be judged; by night
  std::optional<base::Date> night_{};  ///< of `left_alone_`
  std::optional<Asked> asked_;
  std::int64_t number_ = 0;                ///< of the last request
  std::shared_ptr<Verification> reading_;  ///< null if nothing reads
  bool ended_ = false;
  bool found_ = false;
};

}  // namespace vtmirror::agent
