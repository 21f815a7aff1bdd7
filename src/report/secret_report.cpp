#include "vtmirror/report/secret_report.hpp"

#include "report/json_value.hpp"
#include "report/status_page.hpp"

#include <boost/json.hpp>

namespace vtmirror::report {
namespace {

namespace json = boost::json;

json::array array_of(const std::vector<int>& numbers) {
  json::array array;
  for (const int number : numbers) array.emplace_back(number);
  return array;
}

std::string listed(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text.empty() ? "none" : text;
}

std::string day(base::Time time) { return base::iso8601(time).substr(0, 10); }

std::string source_words(core::ExpirySource source) {
  switch (source) {
    case core::ExpirySource::settings:
      return "from credentials.secret_expires_on";
    case core::ExpirySource::issue:
      return "two years after it was issued or set";
    case core::ExpirySource::first_seen:
      break;
  }
  return "two years after it was first seen";
}

std::string expiry_words(const SecretReport& report) {
  // As the status does: an estimate may be years away.
  if (!report.refusal.empty() && report.expiry && report.expiry->estimated)
    return "unknown: the issuer refuses the secret";
  if (!report.expiry) return "unknown until the first cycle: set credentials.secret_expires_on";
  auto text = base::iso8601(report.expiry->on);
  if (const auto left = report.days_left)
    text += *left < 0 ? ", " + std::to_string(-*left) + " days ago" : ", in " + std::to_string(*left) + " days";
  text += "; " + source_words(report.expiry->source);
  return report.expiry->estimated ? text + " (estimated): set credentials.secret_expires_on" : text;
}

std::string age_words(const SecretReport& report) {
  if (report.issued) return "set on " + day(*report.issued);
  if (report.first_seen) return "first seen on " + day(*report.first_seen);
  return "unknown until the first cycle";
}

}  // namespace

std::string report_text(const SecretReport& report, std::size_t width) {
  Page page(width, false);
  page.row("Secret", report.path);
  page.row("", "in use: " + report.why);
  page.row("Age", age_words(report));
  page.row("Expires", expiry_words(report));
  page.row("Warnings", "at " + listed(report.warn_days) + " days; sent: " + listed(report.warned));
  page.row("Rotation", report.auto_rotate ? "automatic, at the last warning" : "manual: `vtmirror secret rotate`");
  if (!report.rotation.empty()) page.row("", report.rotation);
  if (report.unproved) page.row("", "another secret is waiting to be verified: run `vtmirror secret rotate`");
  if (!report.refusal.empty()) page.row("Refused", report.refusal);
  if (!report.key_used) page.row("API key", "no use recorded yet");
  if (report.key_used)
    page.row("API key", "last used on " + day(*report.key_used) + "; the service revokes it unless it is used before " +
                            day(*report.key_used + core::key_life));
  if (!report.key_refusal.empty()) page.row("", "refused: " + report.key_refusal);
  return page.all();
}

std::string report_json(const SecretReport& report) {
  json::object secret{{"path", report.path},
                      {"kept", report.kept},
                      {"why", report.why},
                      {"issued", text_or_null(report.issued)},
                      {"first_seen", text_or_null(report.first_seen)},
                      {"expires_on", nullptr},
                      {"estimated", false},
                      {"source", nullptr},
                      {"days_left", nullptr},
                      {"warn_days", array_of(report.warn_days)},
                      {"warned", array_of(report.warned)},
                      {"auto_rotate", report.auto_rotate},
                      {"unproved", report.unproved},
                      {"refusal", text_or_null(report.refusal)},
                      {"rotation", text_or_null(report.rotation)}};
  if (report.expiry) {
    secret["expires_on"] = base::iso8601(report.expiry->on);
    secret["estimated"] = report.expiry->estimated;
    secret["source"] = core::name(report.expiry->source);
  }
  if (report.days_left) secret["days_left"] = *report.days_left;
  std::optional<base::Time> revoked_after;
  if (report.key_used) revoked_after = *report.key_used + core::key_life;
  json::object key{{"last_used", text_or_null(report.key_used)},
                   {"revoked_after", text_or_null(revoked_after)},
                   {"refusal", text_or_null(report.key_refusal)}};
  return json::serialize(
      json::object{{"schema", answer_schema}, {"secret", std::move(secret)}, {"api_key", std::move(key)}});
}

}  // namespace vtmirror::report
