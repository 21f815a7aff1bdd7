// Another value for a setting, whatever its key: one of its type that differs and that the key's own check accepts.
// Never knows a key by its name.
#pragma once

#include "vtmirror/settings/keys.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace vtmirror::test {

using Strings = std::vector<std::string>;

/// `paths` are tried before "/other". A check that accepts none of these strings needs one more.
inline Strings other_values(const std::string&, const Strings& paths) {
  Strings all{"https://other.example/path",
              "http://other.example:3128",
              "https://other.example/.default",
              "127.0.0.1:9999",
              "other@fleet.example",
              "Asia/Tokyo",
              "POST",
              "size",
              "none",
              "slack"};
  all.insert(all.end(), paths.begin(), paths.end());
  all.push_back("/other");
  return all;
}
inline std::vector<settings::Texts> other_values(const settings::Texts&, const Strings&) {
  return {{"other@fleet.example"}, {"cycle"}, {"/bin/other"}};
}
inline std::vector<settings::Numbers> other_values(const settings::Numbers&, const Strings&) { return {{20, 10}}; }
inline std::array<bool, 1> other_values(bool now, const Strings&) { return {!now}; }
inline std::array<int, 2> other_values(int now, const Strings&) { return {now + 1, now - 1}; }
inline std::array<settings::Size, 1> other_values(settings::Size now, const Strings&) { return {{{now.bytes + 1}}}; }
inline std::array<settings::Rate, 1> other_values(settings::Rate now, const Strings&) {
  return {{{now.bytes_a_second + 1}}};
}
inline std::array<settings::RateTable, 1> other_values(const settings::RateTable& now, const Strings&) {
  auto more = now;
  more.push_back(
      {.days = {true}, .from = std::chrono::hours(8), .until = std::chrono::hours(9), .bytes_a_second = 1000});
  return {more};
}
inline std::array<std::chrono::seconds, 2> other_values(std::chrono::seconds now, const Strings&) {
  return {now + std::chrono::seconds(1), now - std::chrono::seconds(1)};
}
inline std::array<settings::TimeOfDay, 1> other_values(settings::TimeOfDay now, const Strings&) {
  return {{{now.hour == 0 ? 1 : now.hour - 1, now.minute}}};
}
inline std::vector<std::optional<base::Date>> other_values(const std::optional<base::Date>&, const Strings&) {
  return {base::Date(std::chrono::year(2027), std::chrono::March, std::chrono::day(1)),
          base::Date(std::chrono::year(2028), std::chrono::March, std::chrono::day(1))};
}

/// Changes what `key` says of `owner`, with the first value that its check and `usable` accept; false where none is.
template <class Owner>
bool change(
    const settings::Key<Owner>& key, Owner& owner, const Strings& paths = {},
    const std::function<bool()>& usable = [] { return true; }) {
  const auto change_at = [&](auto place) {
    auto& value = place(owner);
    const auto before = value;
    for (const auto& other : other_values(before, paths)) {
      value = other;
      const bool accepted = key.mistake == nullptr || key.mistake(owner).empty();
      if (value != before && accepted && usable()) return true;
    }
    value = before;
    return false;
  };
  return std::visit(change_at, key.place);
}

}  // namespace vtmirror::test
