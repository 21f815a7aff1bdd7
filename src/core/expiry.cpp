#include "vtmirror/core/expiry.hpp"

#include <algorithm>

namespace vtmirror::core {

std::string_view name(ExpirySource source) noexcept {
  switch (source) {
    case ExpirySource::settings:
      return "settings";
    case ExpirySource::issue:
      return "issue";
    case ExpirySource::first_seen:
      break;
  }
  return "first_seen";
}

base::Date two_years_after(base::Date day) {
  const auto later = day + std::chrono::years(2);
  return later.ok() ? later : base::Date(later.year() / later.month() / std::chrono::last);
}

Expiry expiry_of(const SecretFacts& facts, const Zone& zone) {
  const bool set = facts.in_settings.has_value();
  const bool set_since = set && facts.issue && facts.in_settings != facts.issue->date_then;
  if (set && (!facts.issue || set_since)) return {*facts.in_settings, ExpirySource::settings, false};
  // A person may set a secret that has been in use for a long time.
  const bool older =
      facts.issue && !facts.issue->by_service && facts.first_seen != base::Time() && facts.first_seen < facts.issue->at;
  if (facts.issue && !older)
    return {two_years_after(zone.day_of(facts.issue->at)), ExpirySource::issue, !facts.issue->by_service};
  return {two_years_after(zone.day_of(facts.first_seen)), ExpirySource::first_seen, true};
}

std::optional<int> warning_due(std::span<const int> warn_days, std::span<const int> sent, std::int64_t days_left) {
  if (days_left < 0) return std::nullopt;
  std::optional<int> due;
  for (const int days : warn_days)
    if (days_left <= days && (!due || days < *due)) due = days;
  if (due && std::any_of(sent.begin(), sent.end(), [&](int days) { return days <= *due; })) return std::nullopt;
  return due;
}

bool last_warning_reached(std::span<const int> warn_days, std::int64_t days_left) {
  if (warn_days.empty()) return false;
  return days_left <= *std::min_element(warn_days.begin(), warn_days.end());
}

SecretChoice choose_secret(const std::string& given, const std::string& kept, const std::optional<SecretIssue>& issue) {
  if (given == kept) return {WhichSecret::given, "the state directory holds the same secret"};
  if (!issue) return {WhichSecret::given, "the one in the state directory has no record of its issue"};
  const auto day = base::iso8601(issue->at);
  if (!issue->given || *issue->given == given)
    return {WhichSecret::kept,
            (issue->by_service ? "issued by the service on " : "set on ") + day + ", after the one that it replaced"};
  return {WhichSecret::given, "it was changed after the one in the state directory was stored on " + day};
}

}  // namespace vtmirror::core
