#include "vtmirror/core/cycle_report.hpp"

namespace vtmirror::core {
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
