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

std::optional<Outcome> outcome_of(std::string_view word) noexcept {
  for (const auto outcome : {Outcome::complete, Outcome::partial, Outcome::failed})
    if (name(outcome) == word) return outcome;
  return std::nullopt;
}

std::string_view name(ChangeKind kind) noexcept {
  switch (kind) {
    case ChangeKind::published:
      return "published";
    case ChangeKind::superseded:
      return "superseded";
    case ChangeKind::reset:
      return "reset";
    case ChangeKind::removed:
      break;
  }
  return "removed";
}

std::optional<ChangeKind> change_kind(std::string_view word) noexcept {
  for (const auto kind : {ChangeKind::published, ChangeKind::superseded, ChangeKind::removed, ChangeKind::reset})
    if (name(kind) == word) return kind;
  return std::nullopt;
}

namespace {

FailureKind kind_of(base::Errc code) {
  if (code == base::Errc::no_space) return FailureKind::no_space;
  return code == base::Errc::integrity ? FailureKind::damaged : FailureKind::other;
}

}  // namespace

std::optional<Failure> failure(const CycleReport& report) {
  if (report.outcome == Outcome::complete) return std::nullopt;
  if (report.stopped) return stopped();
  return report.failures.empty() ? std::nullopt : std::optional(report.failures.front());
}

Failure failure_of(const base::Error& error, std::string subject) {
  return {kind_of(error.code), cause_of(error, std::move(subject))};
}

}  // namespace vtmirror::core
