// What the daemon answers to those who ask it for a plan, for removals or for a verification, beside its loop.
#include "agent/verifier.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/daemon.hpp"

#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

std::optional<base::Error> Daemon::not_started() const {
  if (state().state != core::State::starting) return std::nullopt;
  return base::Error{base::Errc::locked,
                     "the daemon is starting and has not read the mirror yet: try again in a moment"};
}

awaitable<base::Result<core::Plan>> Daemon::plan() {
  if (auto why = not_started()) co_return std::move(*why);
  const auto now = in_use();
  co_return co_await now.agent->plan();
}

awaitable<base::Result<core::Pruning>> Daemon::removals() {
  if (auto why = not_started()) co_return std::move(*why);
  const auto now = in_use();
  co_return co_await now.agent->removals(now.settings);
}

awaitable<base::Result<core::Pruning>> Daemon::prune() {
  if (auto why = not_started()) co_return std::move(*why);
  Slots& pruning = in_use().pruning;
  co_await pruning.acquire();
  const Taken turn(pruning);
  const auto now = in_use();
  co_return co_await now.agent->prune(now.settings);
}

base::Result<std::int64_t> Daemon::ask_for_verification(core::VerificationRequest request) {
  if (auto why = not_started()) return std::move(*why);
  return verifier().ask(std::move(request));
}

Verification* Daemon::verification() const { return verifier().asked_for(); }
std::int64_t Daemon::verification_number() const { return verifier().number(); }

}  // namespace vtmirror::agent
