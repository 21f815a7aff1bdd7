#include "vtmirror/core/left_out.hpp"

#include "vtmirror/core/entry_check.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

FailureKind kind_of(Reason reason) {
  if (reason == Reason::refused_by_checks) return FailureKind::refused_entry;
  if (reason == Reason::does_not_fit) return FailureKind::no_space;
  return reason == Reason::quarantined ? FailureKind::quarantined : FailureKind::lost;
}

/// Whether the action refuses an entry whose file the plan keeps or adopts.
bool is_held(const Action& action, const Plan& plan) {
  if (action.reason != Reason::refused_by_checks) return false;
  return std::ranges::any_of(plan.actions, [&action](const Action& other) {
    return (other.kind == ActionKind::keep || other.kind == ActionKind::adopt) && other.name == action.name;
  });
}

}  // namespace

bool is_failure(const LeftOut& file) noexcept { return !file.is_held && !is_to_come(file.failure.cause); }

std::vector<LeftOut> left_out(std::span<const Action> actions, const Plan& plan) {
  std::vector<LeftOut> files;
  for (const Action& action : actions) {
    if (action.kind != ActionKind::refuse && action.kind != ActionKind::skip) continue;
    LeftOut file{action, {kind_of(action.reason), action.cause}, is_held(action, plan)};
    file.failure.cause.subject = action.name;
    files.push_back(std::move(file));
  }
  return files;
}

std::vector<Unfit> unfit(const Plan& plan, std::int64_t reserve) {
  std::vector<Unfit> files;
  for (const Action& action : plan.actions)
    if (action.reason == Reason::does_not_fit) files.push_back({action.name, action.needs, action.free, reserve});
  return files;
}

}  // namespace vtmirror::core
