#include "simulator/calendar.hpp"

#include "vtmirror/base/json.hpp"

#include <algorithm>

namespace vtmirror::simulator {
namespace {

constexpr int cycles_back = 8;  // how far back to search for a bulk file if newer ones are late or absent

std::string_view word(Kind kind) { return kind == Kind::bulk ? "bulk" : "delta"; }

std::string padded(unsigned number) { return (number < 10 ? "0" : "") + std::to_string(number); }

std::string key_of(Kind kind, base::Date date) { return std::string(word(kind)) + ":" + base::iso8601(date); }

bool names_day(const std::vector<std::string>& list, Kind kind, base::Date date) {
  const auto has = [&](const std::string& day) { return std::find(list.begin(), list.end(), day) != list.end(); };
  return has(key_of(kind, date)) || (kind == Kind::delta && has(base::iso8601(date)));
}

std::uint64_t value_for(const std::map<std::string, std::uint64_t>& days, Kind kind, base::Date date,
                        std::uint64_t otherwise) {
  for (const std::string& key : {key_of(kind, date), base::iso8601(date)}) {
    if (const auto found = days.find(key); found != days.end()) return found->second;
  }
  return otherwise;
}

std::uint64_t bytes_of(const Script& script, Kind kind, base::Date date) {
  const std::uint64_t usual =
      kind == Kind::delta ? script.delta_bytes : script.bulk_sparse_bytes.value_or(script.bulk_bytes);
  return value_for(script.sizes, kind, date, usual);
}

File make_file(const Script& script, Kind kind, base::Date date) {
  File file{.kind = kind, .date = date, .name = file_name(kind, date), .recipe = {}};
  file.recipe = {.name = file.name,
                 .seed = script.seed,
                 .version = value_for(script.republish, kind, date, 1),
                 .bytes = Archive::size_of(bytes_of(script, kind, date)),
                 .deflated = script.deflated};
  return file;
}

bool is_listed(const Script& script, Kind kind, base::Date date) {
  return !names_day(script.absent, kind, date) && !names_day(script.late, kind, date);
}

base::Date newest_bulk_day(const Script& script, base::Date today) {
  using std::chrono::days;
  using std::chrono::sys_days;
  const std::chrono::weekday weekday = std::chrono::Sunday + days(script.bulk_weekday_offset);
  const sys_days newest = sys_days(today) - (std::chrono::weekday(sys_days(today)) - weekday);
  for (int back = 0; back < cycles_back; ++back) {
    const base::Date day = newest - days(7 * back);
    if (is_listed(script, Kind::bulk, day)) return day;
  }
  return newest;
}

// The day in "..._15-11-2026.zip".
base::Result<base::Date> day_in(std::string_view name) {
  constexpr std::size_t tail = sizeof "15-11-2026.zip" - 1;
  if (name.size() < tail) return base::Error{base::Errc::protocol, "no date"};
  const std::string_view day = name.substr(name.size() - tail);
  return base::parse_date(std::string(day.substr(6, 4)) + "-" + std::string(day.substr(3, 2)) + "-" +
                          std::string(day.substr(0, 2)));
}

std::uint64_t listed_size(const boost::json::array& entries, std::string_view name, std::uint64_t otherwise) {
  for (const boost::json::value& each : entries) {
    const base::JsonObject entry(each);
    const auto size = entry.text("filename") == name ? entry.integer("fileSize") : 0;
    if (size > 0) return static_cast<std::uint64_t>(size);
  }
  return otherwise;
}

}  // namespace

std::string file_name(Kind kind, base::Date date) {
  const unsigned month = static_cast<unsigned>(date.month());
  const unsigned day = static_cast<unsigned>(date.day());
  const std::string year = std::to_string(static_cast<int>(date.year()));
  const std::string type(word(kind));
  return "v1/public/" + type + "/year=" + year + "/month=" + std::to_string(month) + "/day=" + std::to_string(day) +
         "/" + type + "-light-vehicle_" + padded(day) + "-" + padded(month) + "-" + year + ".zip";
}

std::vector<File> listed_files(const Script& script, base::Date today) {
  std::vector<File> files;
  const base::Date first = newest_bulk_day(script, today);
  if (is_listed(script, Kind::bulk, first)) files.push_back(make_file(script, Kind::bulk, first));
  for (base::Date day = first; base::days_between(day, today) >= 0; day = base::next_day(day)) {
    if (is_listed(script, Kind::delta, day)) files.push_back(make_file(script, Kind::delta, day));
  }
  return files;
}

File file_named(const Script& script, std::string_view name) {
  if (const auto day = day_in(name)) {
    for (const Kind kind : {Kind::bulk, Kind::delta}) {
      if (file_name(kind, *day) == name) return make_file(script, kind, *day);
    }
  }
  File file =
      make_file(script, Kind::delta, base::Date(std::chrono::year(2026), std::chrono::month(1), std::chrono::day(1)));
  file.name = name;
  file.recipe.name = name;
  const std::uint64_t size =
      listed_size(script.extra_bulk, name, listed_size(script.extra_delta, name, file.recipe.bytes));
  file.recipe.bytes = Archive::size_of(size);
  return file;
}

}  // namespace vtmirror::simulator
