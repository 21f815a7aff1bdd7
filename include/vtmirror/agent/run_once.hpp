// Does what comes before and after the work of a command that needs no daemon: `vtmirror sync` and `vtmirror verify`.
// Promises that the disk is recovered before the work, that problems are stored after it, so that a daemon that starts
// later shows them, and that the notices of this run and of earlier ones are delivered last. Decides nothing.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/health.hpp"
#include "vtmirror/agent/outbox.hpp"

#include <functional>

namespace vtmirror::agent {

class RunOnce {
 public:
  using Work = std::function<boost::asio::awaitable<base::Result<void>>()>;
  using Ended = std::function<void(const base::Result<void>&)>;

  /// Borrowed. Without `health` nothing is judged, and without `outbox` nothing is delivered.
  RunOnce(Agent& agent, Health* health, Outbox* outbox) : agent_(agent), health_(health), outbox_(outbox) {}

  /// Calls `ended` once, with the first error of the start or of `work`, after which nothing is judged or delivered. A
  /// hook may take hours, so `ended` comes before the notices are delivered.
  boost::asio::awaitable<void> run(Work work, Ended ended);
  /// For `work`: a cycle, and what is to be known of it afterwards. Errors: those of the cycle.
  boost::asio::awaitable<base::Result<core::CycleReport>> cycle();

 private:
  boost::asio::awaitable<base::Result<void>> begin();
  boost::asio::awaitable<void> judge();

  Agent& agent_;
  Health* health_;
  Outbox* outbox_;
};

}  // namespace vtmirror::agent
