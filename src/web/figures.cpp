// How long the disk, the secret and the key last.
#include "web/markup.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/forecast.hpp"

#include <algorithm>

namespace vtmirror::web {
namespace {

std::string term(std::string_view name, const std::string& number, std::string_view tone, const std::string& more) {
  std::string html = "<div><dt>" + std::string(name) + "</dt><dd>";
  if (!number.empty()) html += element("b", tone.empty() ? "figure" : "figure " + std::string(tone), number);
  return html + more + "</dd></div>";
}

std::string share(double from, double width, std::string_view css_class) {
  return "<rect class=\"" + std::string(css_class) + "\" x=\"" + percent(from) + "\" width=\"" + percent(width) +
         "\" y=\"0\" height=\"12\"/>";
}

/// This mirror's bytes beside what is free; what else is on the disk is not shown.
std::string bar_svg(const report::Status::Mirror& mirror, std::int64_t reserve) {
  const double all = static_cast<double>(std::max<std::int64_t>(mirror.bytes + mirror.free, 1));
  const double used = static_cast<double>(mirror.bytes) / all;
  const double kept = static_cast<double>(std::min(reserve, mirror.free)) / all;
  return "<svg class=\"disk\" aria-hidden=\"true\">" + share(0, 1, "free") + share(0, used, "used") +
         share(1 - kept, kept, "reserve") + "</svg>";
}

std::string days_words(std::int64_t days) { return base::counted(days, "day"); }

std::string disk_number(const core::Outlook& outlook) {
  if (!outlook.forecast) return "";
  if (!outlook.forecast->full_on) return "more than 5 years";
  return days_words(std::max<std::int64_t>(0, base::days_between(outlook.today, *outlook.forecast->full_on)));
}

/// What the number of days would hide.
std::string shortage(const report::Status::Mirror& mirror) {
  if (!mirror.outlook || mirror.free >= mirror.outlook->reserve) return "";
  return mirror.free > 0 ? "below its reserve" : "full";
}

std::string disk_html(const report::Status::Mirror& mirror) {
  const auto& outlook = mirror.outlook;
  const std::int64_t reserve = outlook ? outlook->reserve : 0;
  std::string more =
      "<span>" +
      escaped(base::counted(mirror.files, "file") + ", " + base::human_size(mirror.bytes) + "; " +
              base::human_size(mirror.free) + " free, " + base::human_size(reserve) + " kept in reserve") +
      "</span>" + bar_svg(mirror, reserve);
  if (mirror.quarantined > 0)
    more += element("span", "trouble",
                    base::counted(mirror.quarantined, "file") + " in the quarantine, " +
                        base::human_size(mirror.quarantined_bytes));
  if (!outlook) return term("Disk", "", "", more);
  more += element("span", "quiet", "The disk " + report::lasts(*outlook) + ".");
  const auto lack = shortage(mirror);
  const bool is_short = !lack.empty() || (outlook->forecast && outlook->forecast->soon);
  const auto savings = report::would_free(*outlook);
  if (is_short && !savings.empty()) more += element("span", "", savings);
  if (!lack.empty()) return term("Disk", lack, "trouble", more);
  const auto number = disk_number(*outlook);
  return term(number.empty() ? "Disk" : "Disk lasts", number, is_short ? "trouble" : "", more);
}

std::string secret_html(const report::Status& status, const PageClock& clock) {
  const auto& secret = status.secret;
  const auto refused =
      std::ranges::find(status.problems, core::name(core::ProblemCode::secret_refused), &report::ProblemStatus::code);
  if (refused != status.problems.end())
    return term("Client secret", "refused", "trouble",
                "<span>The issuer has refused it since " + clock.at(refused->since) + ".</span>");
  if (!secret.expires_on) return term("Client secret", "", "", "<span>Its expiry is not known.</span>");
  const auto left = secret.days_left.value_or(0);
  const auto number = left < 0 ? "expired" : days_words(left);
  auto more = (left < 0 ? "It expired on " : "It expires on ") + date_html(*secret.expires_on) + '.';
  if (secret.estimated) more += " That is an estimate: set credentials.secret_expires_on.";
  return term("Client secret", number, left <= 14 ? "trouble" : "", "<span>" + more + "</span>");
}

std::string key_html(const report::Status::ApiKeyStatus& key, base::Time now, const PageClock& clock) {
  if (!key.last_used) return term("API key", "", "", "<span>It has not been used yet.</span>");
  std::string more = "<span>It was last used " + clock.at(*key.last_used) + '.';
  if (!key.revoked_after) return term("API key", "", "", more + "</span>");
  const auto left = base::days_between(clock.day_of(now), clock.day_of(*key.revoked_after));
  more += " Without further use the service revokes it on " + date_html(clock.day_of(*key.revoked_after)) + ".</span>";
  return term("API key", left < 0 ? "revoked" : days_words(left), left < 30 ? "trouble" : "", more);
}

}  // namespace

std::string figures_html(const PageFacts& facts) {
  const PageClock clock(facts);
  const auto secret = secret_html(facts.status, clock);
  const bool is_known = facts.unreadable.empty() || facts.status.mirror.generation;
  if (!is_known) return unreadable_html(facts) + "<dl class=\"figures\">" + secret + "</dl>";
  return "<dl class=\"figures\">" + disk_html(facts.status.mirror) + secret +
         key_html(facts.status.api_key, facts.now, clock) + "</dl>";
}

}  // namespace vtmirror::web
