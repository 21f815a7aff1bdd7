#include "vtmirror/report/forecast.hpp"

#include "vtmirror/base/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstddef>

namespace vtmirror::report {
namespace {

/// Settings that a person can choose from; the others are in the JSON.
constexpr std::size_t most_savings = 3;

std::string growth_of(const core::Forecast& forecast) {
  return base::human_size(forecast.chain_bytes) + " every " + base::counted(forecast.chain_days, "day");
}

}  // namespace

std::string lasts(const core::Outlook& outlook) {
  if (!outlook.forecast)
    return "has no forecast yet: that needs " + std::to_string(core::measured_chains) + " whole chains of history";
  const auto& forecast = *outlook.forecast;
  const auto growth = "at the present growth: " + growth_of(forecast);
  if (!forecast.full_on) return "lasts for more than 5 years " + growth;
  const auto left = base::days_between(outlook.today, *forecast.full_on);
  if (left <= 0) return "is full except for the reserve, " + growth;
  return "lasts until about " + base::iso8601(*forecast.full_on) + " (" + base::counted(left, "day") + ") " + growth;
}

std::string would_free(const core::Outlook& outlook) {
  std::string text;
  for (std::size_t i = 0; i < std::min(outlook.savings.size(), most_savings); ++i) {
    const auto& saving = outlook.savings[i];
    text += (i == 0 ? "mirror.keep_cycles = " : ", ") + std::to_string(saving.keep_cycles) + " would free " +
            base::human_size(saving.bytes);
  }
  return text;
}

boost::json::object forecast_json(const core::Outlook& outlook) {
  boost::json::object json{{"as_of", base::iso8601(outlook.today)},
                           {"known", outlook.forecast.has_value()},
                           {"full_on", nullptr},
                           {"days_left", nullptr},
                           {"soon", outlook.forecast && outlook.forecast->soon},
                           {"chain_bytes", nullptr},
                           {"chain_days", nullptr},
                           {"free", outlook.free},
                           {"reserve", outlook.reserve},
                           {"keep_cycles", outlook.keep_cycles}};
  if (outlook.forecast) {
    json["chain_bytes"] = outlook.forecast->chain_bytes;
    json["chain_days"] = outlook.forecast->chain_days;
    if (outlook.forecast->full_on) {
      json["full_on"] = base::iso8601(*outlook.forecast->full_on);
      json["days_left"] = base::days_between(outlook.today, *outlook.forecast->full_on);
    }
  }
  boost::json::array savings;
  for (const auto& saving : outlook.savings)
    savings.emplace_back(boost::json::object{{"keep_cycles", saving.keep_cycles}, {"bytes", saving.bytes}});
  json["would_free"] = std::move(savings);
  return json;
}

core::Outlook parse_forecast(const base::JsonObject& object) {
  core::Outlook outlook;
  outlook.today = object.date("as_of");
  outlook.free = object.integer("free");
  outlook.reserve = object.integer("reserve");
  outlook.keep_cycles = object.count("keep_cycles");
  if (object.flag("known"))
    outlook.forecast = core::Forecast{.chain_bytes = object.integer("chain_bytes"),
                                      .chain_days = object.count("chain_days"),
                                      .full_on = object.optional_date("full_on"),
                                      .soon = object.flag("soon")};
  for (const auto& saving : object.objects("would_free"))
    outlook.savings.push_back({saving.count("keep_cycles"), saving.integer("bytes")});
  return outlook;
}

}  // namespace vtmirror::report
