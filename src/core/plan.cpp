#include "vtmirror/core/plan.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

constexpr std::string_view no_name = "unknown";

/// Looks a value up by its name. The values are consecutive from 0.
template <class Enum>
std::optional<Enum> named(std::string_view word) noexcept {
  for (int value = 0; name(static_cast<Enum>(value)) != no_name; ++value)
    if (name(static_cast<Enum>(value)) == word) return static_cast<Enum>(value);
  return std::nullopt;
}

}  // namespace

std::string_view name(Reason reason) noexcept {
  switch (reason) {
    case Reason::not_held:
      return "not_held";
    case Reason::partly_fetched:
      return "partly_fetched";
    case Reason::size_changed:
      return "size_changed";
    case Reason::date_changed:
      return "date_changed";
    case Reason::replaced_in_store:
      return "replaced_in_store";
    case Reason::gone_from_disk:
      return "gone_from_disk";
    case Reason::damaged_on_disk:
      return "damaged_on_disk";
    case Reason::failed_checks:
      return "failed_checks";
    case Reason::not_in_catalogue:
      return "not_in_catalogue";
    case Reason::back_on_disk:
      return "back_on_disk";
    case Reason::held_and_unchanged:
      return "held_and_unchanged";
    case Reason::does_not_fit:
      return "does_not_fit";
    case Reason::was_quarantined:
      return "was_quarantined";
    case Reason::quarantined:
      return "quarantined";
    case Reason::refused_by_checks:
      return "refused_by_checks";
    case Reason::beyond_keep_cycles:
      return "beyond_keep_cycles";
    case Reason::not_listed_any_more:
      return "not_listed_any_more";
    case Reason::quarantine_over:
      return "quarantine_over";
    case Reason::day_to_come:
      return "day_to_come";
  }
  return no_name;
}

std::string_view name(ActionKind kind) noexcept {
  switch (kind) {
    case ActionKind::fetch:
      return "fetch";
    case ActionKind::resume:
      return "resume";
    case ActionKind::fetch_again:
      return "fetch_again";
    case ActionKind::adopt:
      return "adopt";
    case ActionKind::keep:
      return "keep";
    case ActionKind::skip:
      return "skip";
    case ActionKind::refuse:
      return "refuse";
    case ActionKind::prune:
      return "prune";
    case ActionKind::drop_partial:
      return "drop_partial";
  }
  return no_name;
}

std::optional<Reason> reason_named(std::string_view word) noexcept { return named<Reason>(word); }
std::optional<ActionKind> action_named(std::string_view word) noexcept { return named<ActionKind>(word); }

bool downloads(const Action& action) noexcept {
  return action.kind == ActionKind::fetch || action.kind == ActionKind::resume ||
         action.kind == ActionKind::fetch_again;
}

bool removes_public_file(const Action& action) noexcept {
  return action.kind == ActionKind::prune && action.reason != Reason::quarantine_over;
}

std::int64_t Plan::bytes_to_fetch() const {
  std::int64_t bytes = 0;
  for (const Action& action : actions) {
    if (downloads(action)) bytes += action.size - action.durable;
  }
  return bytes;
}

bool Plan::nothing_to_fetch() const { return std::ranges::none_of(actions, downloads); }

}  // namespace vtmirror::core
