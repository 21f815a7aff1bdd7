// What the daemon answers to those who ask it for a plan or for removals, beside its loop.
#include "agent/wake.hpp"
#include "vtmirror/agent/daemon.hpp"

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

base::Error not_ready() {
  return {base::Errc::locked, "the daemon is starting and has not read the mirror yet: try again in a moment"};
}

}  // namespace

awaitable<base::Result<core::Plan>> Daemon::plan() {
  if (state().state == core::State::starting) co_return not_ready();
  const auto now = in_use();
  co_return co_await now.agent->plan();
}

awaitable<base::Result<core::Pruning>> Daemon::removals() {
  if (state().state == core::State::starting) co_return not_ready();
  const auto now = in_use();
  co_return co_await now.agent->removals(now.settings);
}

awaitable<base::Result<core::Pruning>> Daemon::prune() {
  if (state().state == core::State::starting) co_return not_ready();
  Slots& pruning = in_use().pruning;
  co_await pruning.take();
  const Taken turn(pruning);
  const auto now = in_use();
  co_return co_await now.agent->prune(now.settings);
}

}  // namespace vtmirror::agent
