#include "vtmirror/core/extension.hpp"

#include "core/by_name.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

bool removes(const Action& action) {
  return action.kind == ActionKind::prune || action.kind == ActionKind::drop_partial;
}

/// Whether the plan does something about that file, or has left it out.
bool deals_with(const Plan& plan, std::string_view name) {
  return std::ranges::any_of(plan.actions, [name](const Action& action) {
    return action.name == name && action.kind != ActionKind::keep && !removes(action);
  });
}

}  // namespace

std::vector<Action> additions(const Plan& running, const Plan& later, std::span<const std::string> over) {
  std::vector<Action> added;
  for (const Action& action : later.actions) {
    const bool again = downloads(action) && std::ranges::find(over, action.name) != over.end();
    const bool wanted = downloads(action) || action.kind == ActionKind::skip || action.kind == ActionKind::refuse;
    if (again || (wanted && !deals_with(running, action.name))) added.push_back(action);
  }
  return added;
}

Plan extended(const Plan& running, const Plan& later, std::span<const std::string> over) {
  const auto added = additions(running, later, over);
  Plan plan;
  for (const Action& action : running.actions) {
    const bool replaced = std::ranges::find(added, action.name, &Action::name) != added.end();
    if (!replaced && !removes(action)) plan.actions.push_back(action);
  }
  plan.actions.insert(plan.actions.end(), added.begin(), added.end());
  for (const Action& action : later.actions)
    if (removes(action) && !deals_with(running, action.name)) plan.actions.push_back(action);
  return plan;
}

Extension extend(const Plan& running, const Listing& later, Inventory now, const Policy& policy,
                 std::span<const std::string> over) {
  const ByName<Entry> listed(later.entries);
  std::erase_if(now.partials, [&](const PartialRecord& partial) { return !listed.contains(partial.name); });
  const Plan plan = reconcile(later, now, policy, Try::again);
  Extension extension{.plan = extended(running, plan, over), .added = additions(running, plan, over), .left_out = {}};
  extension.left_out = left_out(extension.added, plan);
  return extension;
}

}  // namespace vtmirror::core
