#include "vtmirror/core/problem.hpp"

namespace vtmirror::core {

std::string_view name(FailureKind kind) noexcept {
  switch (kind) {
    case FailureKind::refused_entry:
      return "refused_entry";
    case FailureKind::lost:
      return "lost";
    case FailureKind::no_space:
      return "no_space";
    case FailureKind::damaged:
      return "damaged";
    case FailureKind::other:
      break;
  }
  return "other";
}

}  // namespace vtmirror::core
