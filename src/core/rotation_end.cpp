#include "vtmirror/core/rotation_end.hpp"

#include <string>
#include <utility>

namespace vtmirror::core {

std::string_view name(RotationOutcome outcome) noexcept {
  switch (outcome) {
    case RotationOutcome::in_use:
      return "in_use";
    case RotationOutcome::verified_later:
      return "verified_later";
    case RotationOutcome::failed:
      return "failed";
    case RotationOutcome::postponed:
      return "postponed";
    case RotationOutcome::cut_off:
      return "cut_off";
    case RotationOutcome::none:
    case RotationOutcome::older:
      break;
  }
  return "";
}

RotationEnd rotation_end_of(std::string_view stored, Cause cause) {
  if (stored.empty()) return {};
  for (const auto outcome : {RotationOutcome::in_use, RotationOutcome::verified_later, RotationOutcome::failed,
                             RotationOutcome::postponed, RotationOutcome::cut_off})
    if (stored == name(outcome)) return {outcome, std::move(cause)};
  return {RotationOutcome::older, {.detail = std::string(stored)}};
}

}  // namespace vtmirror::core
