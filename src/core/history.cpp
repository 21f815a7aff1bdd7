// The names of outcomes and changes. The catalogue's schema contains them, so they must never change.
#include "vtmirror/core/history.hpp"

namespace vtmirror::core {

std::string_view name(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::complete:
      return "complete";
    case Outcome::partial:
      return "partial";
    case Outcome::failed:
      break;
  }
  return "failed";
}

std::string_view name(ChangeKind kind) noexcept {
  switch (kind) {
    case ChangeKind::published:
      return "published";
    case ChangeKind::superseded:
      return "superseded";
    case ChangeKind::removed:
      break;
  }
  return "removed";
}

}  // namespace vtmirror::core
