#include "vtmirror/core/cycle_tally.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

namespace vtmirror::core {
namespace {

/// A field of a failure, in seconds. The catalogue stores it.
constexpr std::string_view retry_after = "retry_after";

}  // namespace

std::optional<std::chrono::seconds> wait_of_stores(std::span<const Failure> failures) {
  std::int64_t longest = 0;
  for (const Failure& failure : failures) longest = std::max(longest, number(failure.cause, retry_after).value_or(0));
  return longest > 0 ? std::optional(std::chrono::seconds(longest)) : std::nullopt;
}

bool may_be_due_to_a_clock(const base::Error& error) noexcept {
  return error.code == base::Errc::link_refused && error.status >= 400 && error.status <= 403;
}

void CycleTally::left_out(const LeftOut& file) {
  if (file.failure.kind == FailureKind::refused_entry) ++report_.refused;
  if (is_failure(file)) report_.failures.push_back(file.failure);
}

void CycleTally::removed(const Action& action) {
  if (action.kind != ActionKind::prune) return;
  forget(action.name);
  if (!removes_public_file(action)) return;
  ++report_.removed;
  report_.removed_bytes += action.size;
}

void CycleTally::failed(const base::Error& error, std::string name) {
  const bool is_of_a_file = !name.empty();
  auto failure = failure_of(error, std::move(name));
  if (is_of_a_file && error.retry_after)
    failure.cause.fields.push_back({std::string(retry_after), std::int64_t{error.retry_after->count()}});
  report_.failures.push_back(std::move(failure));
}

void CycleTally::stayed(std::span<const base::Error> errors) {
  for (auto error = errors.begin(); error != errors.end(); ++error) {
    const auto is_same = [error](const base::Error& other) {
      return other.code == error->code && other.subject == error->subject;
    };
    if (std::none_of(errors.begin(), error, is_same)) failed(*error);
  }
}

void CycleTally::begun(std::span<const Action> actions) {
  for (const Action& action : actions) forget(action.name);
}

void CycleTally::stopped_waiting() { report_.failures.push_back(stopped()); }

void CycleTally::chain_lacks(std::vector<Failure> failures) {
  if (has_to_ask_chain()) report_.failures = std::move(failures);
}

CycleReport CycleTally::report(int published, std::int64_t bytes, base::Milliseconds took) const {
  CycleReport report = report_;
  report.files += published;
  report.bytes = bytes;
  report.took = took;
  report.outcome = report.failures.empty() ? Outcome::complete : Outcome::partial;
  return report;
}

void CycleTally::forget(const std::string& name) {
  std::erase_if(report_.failures, [&name](const Failure& failure) { return failure.cause.subject == name; });
}

}  // namespace vtmirror::core
