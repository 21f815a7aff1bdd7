// What the daemon answers to those who ask it for a plan, for removals or for a verification, beside its loop.
#include "agent/verifier.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/daemon.hpp"

#include <utility>

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
  co_await pruning.acquire();
  const Taken turn(pruning);
  const auto now = in_use();
  co_return co_await now.agent->prune(now.settings);
}

base::Result<std::int64_t> Daemon::ask_for_verification(core::VerificationRequest request) {
  if (state().state == core::State::starting) return not_ready();
  return verifier().ask(std::move(request));
}

Verification* Daemon::verification() const { return verifier().asked_for(); }
std::int64_t Daemon::verification_number() const { return verifier().number(); }

}  // namespace vtmirror::agent
