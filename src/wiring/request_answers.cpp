// What a running daemon answers to those who ask it for work: a cycle or its plan, a prune, another look at the
// settings.
#include "vtmirror/report/accepted.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/report/pruning.hpp"
#include "wiring/daemon_answers.hpp"

namespace vtmirror::wiring {

using boost::asio::awaitable;

awaitable<base::Result<std::string>> DaemonAnswers::removals() {
  if (auto why = not_started()) co_return std::move(*why);
  const auto found = co_await daemon_->removals();
  if (!found) co_return found.error();
  co_return report::pruning_json(*found, false);
}

awaitable<base::Result<std::string>> DaemonAnswers::prune() {
  if (auto why = not_started()) co_return std::move(*why);
  const auto done = co_await daemon_->prune();
  state_changed();
  if (!done) co_return done.error();
  co_return report::pruning_json(*done, true);
}

awaitable<base::Result<std::string>> DaemonAnswers::plan() {
  if (auto why = not_started()) co_return std::move(*why);
  const auto plan = co_await daemon_->plan();
  if (!plan) co_return plan.error();
  co_return report::plan_json(*plan);
}

base::Result<std::string> DaemonAnswers::reload() {
  const auto done = resources_.reload();
  if (!done) return done.error();
  return report::settings_reloaded();
}

}  // namespace vtmirror::wiring
