#include "vtmirror/report/unaccounted.hpp"

#include "vtmirror/report/days.hpp"

#include <sstream>
#include <string_view>

namespace vtmirror::report {
namespace {

constexpr std::string_view days_field = "unaccounted";

}  // namespace

std::string unaccounted(const std::vector<base::Date>& days) { return "no listing covered " + days_words(days); }

core::Cause unaccounted_cause(const std::vector<base::Date>& days) {
  core::Cause cause{.subject = base::iso8601(days.front())};
  std::string all;
  for (const auto& day : days) all += (all.empty() ? "" : " ") + base::iso8601(day);
  cause.fields = {{std::string(days_field), std::move(all)}};
  return cause;
}

std::vector<base::Date> unaccounted_in(const core::Cause& cause) {
  std::vector<base::Date> days;
  std::istringstream words{std::string(text(cause, days_field))};
  for (std::string word; words >> word;)
    if (const auto day = base::parse_date(word)) days.push_back(*day);
  return days;
}

}  // namespace vtmirror::report
