#include "core/file_name.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace vtmirror::core {
namespace {

using base::Errc;
using base::Error;
using base::Result;

constexpr std::size_t longest_name = 1'024;
constexpr std::size_t longest_part = 255;
/// The end of a name that states its day.
constexpr std::string_view dated_end = "_dd-dd-dddd.zip";
constexpr std::string_view own_directory = ".vtmirror";
constexpr std::array<std::string_view, 4> own_names{own_directory, "manifest.json", "SHA256SUMS", "current"};

Error refused(std::string_view why) { return Error{Errc::protocol, std::string{why}}; }

Result<void> check_characters(std::string_view name) {
  if (name.find('\\') != std::string_view::npos) return refused("the name has a backslash");
  while (!name.empty()) {
    const base::CodePoint point = base::first_code_point(name);
    if (point.length == 0) return refused("the name is not valid UTF-8");
    if (base::is_control(point.value)) return refused("the name has a control character");
    name.remove_prefix(point.length);
  }
  return {};
}

Result<void> check_part(std::string_view part) {
  if (part.empty()) return refused("the name has an empty part");
  if (part == "." || part == "..") {
    return refused("the name has a part \"" + std::string{part} + "\", which could lead out of the mirror");
  }
  if (part.size() > longest_part) return refused("the name has a part of more than 255 bytes");
  if (base::iequals(part, own_directory)) return refused("the name has a part .vtmirror, which is reserved");
  return {};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "18-11-2026" in "..._18-11-2026.zip"; empty if the name does not end in a date.
std::string_view day_text(std::string_view name) {
  if (name.size() < dated_end.size()) return {};
  const std::string_view tail = name.substr(name.size() - dated_end.size());
  const bool fits = std::equal(tail.begin(), tail.end(), dated_end.begin(),
                               [](char c, char wanted) { return wanted == 'd' ? is_digit(c) : c == wanted; });
  return fits ? tail.substr(1, 10) : std::string_view{};
}

std::optional<base::Date> day_in_file_name(std::string_view text) {
  const std::string iso =
      std::string{text.substr(6, 4)} + "-" + std::string{text.substr(3, 2)} + "-" + std::string{text.substr(0, 2)};
  const auto date = base::parse_date(iso);
  return date ? std::optional{*date} : std::nullopt;
}

/// Whether a part such as "month=11" states `expected`; parts with another key always agree.
bool agrees(std::string_view part, std::string_view key, std::int64_t expected) {
  if (part.size() <= key.size() || part[key.size()] != '=' || !base::iequals(part.substr(0, key.size()), key))
    return true;
  const auto number = base::parse_int(part.substr(key.size() + 1));
  return number && *number == expected;
}

}  // namespace

std::vector<std::string_view> parts_of(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string_view stem_of(std::string_view name) {
  if (day_text(name).empty()) return {};
  const auto leaf = parts_of(name).back();
  return leaf.substr(0, leaf.size() - dated_end.size());
}

std::optional<base::Date> day_of_name(std::string_view name) {
  const auto text = day_text(name);
  return text.empty() ? std::nullopt : day_in_file_name(text);
}

Result<void> check_name(std::string_view name) {
  if (name.empty()) return refused("the name is empty");
  if (name.size() > longest_name) return refused("the name is longer than 1,024 bytes");
  if (name.starts_with('/')) return refused("the name is an absolute path");
  if (auto characters = check_characters(name); !characters) return characters;
  const auto parts = parts_of(name);
  for (const std::string_view part : parts) {
    if (auto result = check_part(part); !result) return result;
  }
  for (const std::string_view own : own_names) {
    if (base::iequals(parts.front(), own))
      return refused("the name begins with " + std::string{own} + ", which is reserved");
  }
  return {};
}

std::optional<NamedFile> read_name(std::string_view name) {
  const auto date = day_of_name(name);
  if (!check_name(name) || !date || !check_dates(name, *date)) return std::nullopt;
  for (const Kind kind : {Kind::bulk, Kind::delta}) {
    const Kind other = kind == Kind::bulk ? Kind::delta : Kind::bulk;
    if (check_kind(name, kind) && !check_kind(name, other)) return NamedFile{kind, *date};
  }
  return std::nullopt;
}

std::string short_name(std::string_view name) {
  const auto file = read_name(name);
  if (!file) return std::string{name};
  const std::string kind{core::name(file->kind)};
  // Another file of the same day keeps its own name.
  return stem_of(name) == kind + std::string{service_stem} ? kind + ' ' + base::day_and_month(file->date)
                                                           : std::string{name};
}

Result<void> check_dates(std::string_view name, base::Date created) {
  const std::string created_on = "fileCreatedOn says " + base::iso8601(created);
  if (const auto text = day_text(name); !text.empty() && day_in_file_name(text) != created) {
    return refused("the dates disagree: " + created_on + ", the file name says " + std::string{text} +
                   " (day-month-year)");
  }
  for (const std::string_view part : parts_of(name)) {
    const bool same = agrees(part, "year", static_cast<int>(created.year())) &&
                      agrees(part, "month", static_cast<unsigned>(created.month())) &&
                      agrees(part, "day", static_cast<unsigned>(created.day()));
    if (!same) return refused("the dates disagree: " + created_on + ", the path says " + base::printable(part, 40));
  }
  return {};
}

Result<void> check_kind(std::string_view name, Kind kind) {
  const auto parts = parts_of(name);
  const auto has = [&parts](Kind wanted) {
    return std::any_of(parts.begin(), parts.end(), [&](auto part) { return base::iequals(part, core::name(wanted)); });
  };
  const Kind other = kind == Kind::bulk ? Kind::delta : Kind::bulk;
  if (!has(other) || has(kind)) return {};
  return refused("it is listed as " + std::string{core::name(kind)} + ", but its path says " +
                 std::string{core::name(other)});
}

}  // namespace vtmirror::core
