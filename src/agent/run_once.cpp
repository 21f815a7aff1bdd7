#include "vtmirror/agent/run_once.hpp"

#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

awaitable<void> RunOnce::run(Work work, Ended ended) {
  auto done = co_await begin();
  if (done) {
    auto worked = co_await work();
    done = std::move(worked);
  }
  if (done) co_await judge();
  ended(done);
  if (done && outbox_ != nullptr) co_await outbox_->deliver_due();
}

awaitable<base::Result<void>> RunOnce::begin() {
  if (outbox_ != nullptr) {
    auto begun = co_await outbox_->begin();
    if (!begun) co_return begun;
  }
  auto recovered = co_await agent_.recover();
  if (!recovered) co_return recovered;
  // Before a cycle uses the key: use before a key was first seen counts as another key's.
  if (health_ != nullptr) co_await health_->look();
  co_return recovered;
}

awaitable<base::Result<core::CycleReport>> RunOnce::cycle() {
  auto report = co_await agent_.cycle();
  if (health_ != nullptr) {
    // What cannot be recalled now is recalled before the judgement.
    const auto recalled = co_await health_->after_cycle(agent_);
    static_cast<void>(recalled.has_value());
  }
  co_return report;
}

/// What cannot be read is found by the next cycle.
awaitable<void> RunOnce::judge() {
  if (health_ == nullptr) co_return;
  health_->note_unrepaired(agent_.unrepaired());
  // Again even after a cycle: work that followed it may have found something else.
  const auto recalled = co_await health_->recall();
  if (!recalled) co_return;
  co_await health_->judge();
}

}  // namespace vtmirror::agent
