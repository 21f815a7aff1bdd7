// Every enumerator of an enumeration, found by the compiler: a test that walks a table by it cannot stop half way when
// a kind is added. For enumerations whose values lie in [0, 128).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace vtmirror::test {

template <class Enum>
struct Enumerator {
  Enum value{};
  std::string_view word;  ///< as the source names it: "timed_out"
};

namespace enumeration {

inline constexpr std::size_t limit = 128;

/// "timed_out" for a value that has a name, "" for any other: a compiler writes such a one as a cast, "(Errc)99".
template <auto value>
constexpr std::string_view word() {
  const std::string_view function = __PRETTY_FUNCTION__;  // "... word() [with auto value = Errc::timed_out; ..."
  const auto begin = function.find("value = ") + 8;
  const auto text = function.substr(begin, function.find_first_of(";]", begin) - begin);
  const auto colon = text.rfind("::");
  return text.front() == '(' || colon == text.npos ? std::string_view() : text.substr(colon + 2);
}

template <class Enum, std::size_t... values>
constexpr std::array<Enumerator<Enum>, limit> candidates(std::index_sequence<values...>) {
  return {Enumerator<Enum>{static_cast<Enum>(values), word<static_cast<Enum>(values)>()}...};
}

template <class Enum>
inline constexpr auto all = candidates<Enum>(std::make_index_sequence<limit>());

template <class Enum>
constexpr std::size_t count() {
  std::size_t named = 0;
  for (const auto& each : all<Enum>) named += !each.word.empty();
  return named;
}

}  // namespace enumeration

/// In the order of their values.
template <class Enum>
constexpr auto every() {
  std::array<Enumerator<Enum>, enumeration::count<Enum>()> named;
  std::size_t next = 0;
  for (const auto& each : enumeration::all<Enum>)
    if (!each.word.empty()) named[next++] = each;
  static_assert(named.size() > 1 && enumeration::all<Enum>.back().word.empty(), "an enumeration within the limit");
  return named;
}

}  // namespace vtmirror::test
