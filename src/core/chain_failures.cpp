#include "vtmirror/core/chain_failures.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::core {
namespace {

// The names of fields, which the catalogue stores.
constexpr std::string_view not_listed = "not_listed";
constexpr std::string_view missing = "missing";
/// The error's code, which is no code of this cause: whether a file is missing is not decided by it.
constexpr std::string_view missing_code = "missing_code";
constexpr std::string_view unaccounted = "unaccounted";
constexpr std::string_view lost = "lost";

Field field(std::string_view key, std::string_view value) { return {std::string(key), std::string(value)}; }

/// What was lost while the cycle ran may be listed.
bool may_come(const Missing& file) {
  return file.reason == MissingReason::lost || file.reason == MissingReason::damaged;
}

Cause cause_of(const Missing& file) {
  Cause cause = file.cause;
  cause.code.reset();
  cause.subject = file.name;
  cause.fields.push_back(field(missing, name(file.reason)));
  if (file.cause.code) cause.fields.push_back(field(missing_code, base::name(*file.cause.code)));
  if (!may_come(file)) cause.fields.push_back({std::string(not_listed), std::int64_t{1}});
  return cause;
}

Cause cause_of(const std::vector<base::Date>& days) {
  std::string all;
  for (const auto& day : days) all += (all.empty() ? "" : " ") + base::iso8601(day);
  return {.subject = base::iso8601(days.front()), .fields = {field(unaccounted, all)}};
}

}  // namespace

std::vector<Failure> failures_of(const Chain& chain) {
  std::vector<Failure> failures;
  if (chain.complete) return failures;
  for (const auto& file : chain.missing) failures.push_back({FailureKind::other, cause_of(file)});
  if (!chain.unaccounted.empty()) failures.push_back({FailureKind::other, cause_of(chain.unaccounted)});
  return failures;
}

bool no_try_helps(const Failure& failure) {
  return failure.kind == FailureKind::lost || number(failure.cause, not_listed).has_value() ||
         !unaccounted_in(failure.cause).empty();
}

std::optional<Missing> missing_in(const Cause& cause) {
  const auto reason = missing_reason_named(text(cause, missing));
  if (!reason) return std::nullopt;
  Missing file{.name = cause.subject, .reason = *reason, .cause = cause};
  file.cause.subject.clear();
  file.cause.code = base::errc_of(text(cause, missing_code));
  constexpr std::array own{missing, missing_code, not_listed};
  std::erase_if(file.cause.fields, [&](const Field& each) { return std::ranges::find(own, each.key) != own.end(); });
  return file;
}

std::vector<base::Date> unaccounted_in(const Cause& cause) {
  std::vector<base::Date> days;
  std::istringstream words{std::string(text(cause, unaccounted))};
  for (std::string word; words >> word;)
    if (const auto day = base::parse_date(word)) days.push_back(*day);
  return days;
}

Cause lost_for_good(Reason reason) { return {.fields = {field(lost, name(reason))}}; }

std::optional<Reason> loss_in(const Cause& cause) { return reason_named(text(cause, lost)); }

}  // namespace vtmirror::core
