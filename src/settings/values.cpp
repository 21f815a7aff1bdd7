#include "settings/values.hpp"

#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

namespace vtmirror::settings {
namespace {

std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a float";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::date:
      return "a date";
    case toml::node_type::time:
      return "a time";
    case toml::node_type::date_time:
      return "a date-time";
    case toml::node_type::none:
      break;
  }
  return "nothing";
}

std::string must_be(std::string_view wanted, const toml::node& node) {
  return "must be " + std::string(wanted) + ", not " + std::string(type_name(node));
}

std::string quoted(const std::string& text) { return '"' + base::printable(text, 80) + '"'; }

/// A value that is written as a string and parsed by `parse`.
template <class T, class Parse>
std::string read_parsed(const toml::node& node, T& place, std::string_view wanted, Parse parse) {
  const auto text = node.value_exact<std::string>();
  if (!text) return must_be(wanted, node);
  auto value = parse(*text);
  if (!value) return quoted(*text) + " is not " + std::string(wanted);
  place = *std::move(value);
  return {};
}

template <class T>
std::optional<T> or_nothing(const base::Result<T>& result) {
  return result.has_value() ? std::optional<T>(result.value()) : std::nullopt;
}

std::optional<TimeOfDay> parse_time_of_day(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  const auto hour = base::parse_int(text.substr(0, 2));
  const auto minute = base::parse_int(text.substr(3));
  if (hour.has_error() || minute.has_error() || *hour > 23 || *minute > 59) return std::nullopt;
  return TimeOfDay{static_cast<int>(*hour), static_cast<int>(*minute)};
}

constexpr char too_fast[] = "must be at most \"1TB/s\"";

/// "08:00", or "24:00" for the end of a day.
std::optional<std::chrono::minutes> parse_minutes(std::string_view text) {
  if (text == "24:00") return std::chrono::hours(24);
  const auto time = parse_time_of_day(text);
  if (!time) return std::nullopt;
  return std::chrono::hours(time->hour) + std::chrono::minutes(time->minute);
}

std::optional<std::size_t> day_named(std::string_view name) {
  const auto found = std::find(day_names.begin(), day_names.end(), name);
  if (found == day_names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - day_names.begin());
}

/// "Mon-Fri", "Sat,Sun", "Fri-Mon"
bool add_days(std::string_view text, std::array<bool, 7>& days) {
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const auto dash = part.find('-');
    const auto first = day_named(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : day_named(part.substr(dash + 1));
    if (!first || !last) return false;
    for (auto day = *first;; day = (day + 1) % days.size()) {
      days.at(day) = true;
      if (day == *last) break;
    }
  }
  return true;
}

/// "Mon-Fri 08:00-18:00 5MB/s", "Sat,Sun 0"
std::optional<core::RatePeriod> parse_rate_period(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> parts{std::istream_iterator<std::string>(words), {}};
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  core::RatePeriod period;
  const auto rate = base::parse_rate(parts.back());
  if (!rate || !add_days(parts.front(), period.days)) return std::nullopt;
  period.bytes_a_second = *rate;
  if (parts.size() == 2) return period;
  const auto dash = parts[1].find('-');
  const auto from = parse_minutes(parts[1].substr(0, dash));
  const auto until = dash == std::string::npos ? std::nullopt : parse_minutes(parts[1].substr(dash + 1));
  if (!from || !until || *from == std::chrono::hours(24) || *from == *until) return std::nullopt;
  period.from = *from;
  period.until = *until;
  return period;
}

std::optional<base::Date> checked(base::Date date) { return date.ok() ? std::optional(date) : std::nullopt; }

std::optional<base::Date> date_of(const toml::date& date) {
  return checked(base::Date(std::chrono::year(date.year), std::chrono::month(date.month), std::chrono::day(date.day)));
}

/// Reads every element with `take`, and complains of the first that is wrong. Those that are right are kept, so that
/// what else is wrong with them is reported too.
template <class T>
std::string read_list(const toml::node& node, std::vector<T>& place, std::string_view wanted) {
  const auto* array = node.as_array();
  if (array == nullptr) return must_be(wanted, node);
  std::vector<T> items;
  std::string wrong;
  for (const auto& element : *array) {
    T item{};
    const bool is_of_type = std::is_same_v<T, std::string> ? element.is_string() : element.is_integer();
    const auto what = is_of_type ? parse_value(element, item) : must_be(wanted, element) + " in it";
    if (what.empty())
      items.push_back(std::move(item));
    else if (wrong.empty())
      wrong = what;
  }
  if (wrong.empty() || !items.empty()) place = std::move(items);
  return wrong;
}

}  // namespace

std::string parse_value(const toml::node& node, std::string& place) {
  auto text = node.value_exact<std::string>();
  if (!text) return must_be("a string", node);
  if (text->find('\0') != std::string::npos) return "must not contain a zero byte";
  place = *std::move(text);
  return {};
}

std::string parse_value(const toml::node& node, bool& place) {
  const auto flag = node.value_exact<bool>();
  if (!flag) return must_be("a boolean (true or false)", node);
  place = *flag;
  return {};
}

std::string parse_value(const toml::node& node, int& place) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number) return must_be("an integer", node);
  if (!std::in_range<int>(*number)) return "is out of range";
  place = static_cast<int>(*number);
  return {};
}

std::string parse_value(const toml::node& node, Size& place) {
  return read_parsed(node, place, "a size (\"512MB\", \"2GiB\")", [](const std::string& text) -> std::optional<Size> {
    const auto bytes = base::parse_size(text);
    return bytes.has_value() ? std::optional(Size{*bytes}) : std::nullopt;
  });
}

std::string parse_value(const toml::node& node, Rate& place) {
  Rate rate;
  auto wrong = read_parsed(node, rate, "a rate (\"20MB/s\", \"0\")", [](std::string_view text) -> std::optional<Rate> {
    const auto bytes = base::parse_rate(text);
    return bytes ? std::optional(Rate{*bytes}) : std::nullopt;
  });
  if (!wrong.empty()) return wrong;
  if (rate.bytes_a_second > base::largest_rate) return too_fast;
  place = rate;
  return {};
}

std::string parse_value(const toml::node& node, RateTable& place) {
  const auto* array = node.as_array();
  if (array == nullptr) return must_be("a list of strings", node);
  RateTable periods;
  for (const auto& element : *array) {
    core::RatePeriod period;
    auto wrong = read_parsed(element, period, "a period (\"Mon-Fri 08:00-18:00 5MB/s\")", parse_rate_period);
    if (!wrong.empty()) return wrong;
    if (period.bytes_a_second > base::largest_rate) return std::string("each limit in it ") + too_fast;
    periods.push_back(period);
  }
  place = std::move(periods);
  return {};
}

std::string parse_value(const toml::node& node, std::chrono::seconds& place) {
  return read_parsed(node, place, "a duration (\"30s\", \"10m\", \"6h\")",
                     [](const std::string& text) { return or_nothing(base::parse_duration(text)); });
}

std::string parse_value(const toml::node& node, TimeOfDay& place) {
  return read_parsed(node, place, "a time of day (\"08:00\")", parse_time_of_day);
}

std::string parse_value(const toml::node& node, std::optional<base::Date>& place) {
  if (const auto date = node.value_exact<toml::date>()) {
    place = date_of(*date);
    return {};
  }
  const auto text = node.value_exact<std::string>();
  if (text && text->empty()) {
    place.reset();
    return {};
  }
  return read_parsed(node, place, "a date (\"2027-03-01\")", [](const std::string& day) {
    const auto date = or_nothing(base::parse_date(day));
    return date ? std::optional(date) : std::nullopt;
  });
}

std::string parse_value(const toml::node& node, Texts& place) { return read_list(node, place, "a list of strings"); }
std::string parse_value(const toml::node& node, Numbers& place) { return read_list(node, place, "a list of integers"); }

}  // namespace vtmirror::settings
