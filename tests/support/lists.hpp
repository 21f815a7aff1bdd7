// How doctest shows what it cannot print by itself: lists, pairs and optional values, with what is in them; days and
// times in UTC. Every test program is compiled with it (CMakeLists.txt), so that no failed check says "{?}" for one of
// them.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <ranges>
#include <utility>

namespace doctest {

template <std::ranges::input_range List>
requires(!detail::has_insertion_operator<List>::value) struct StringMaker<List> {
  static String convert(const List& list) {
    String text = "{";
    const char* before = "";
    for (const auto& each : list) {
      text += before + toString(each);
      before = ", ";
    }
    return text + "}";
  }
};

template <class First, class Second>
struct StringMaker<std::pair<First, Second>> {
  static String convert(const std::pair<First, Second>& pair) {
    return "(" + toString(pair.first) + ", " + toString(pair.second) + ")";
  }
};

template <class T>
struct StringMaker<std::optional<T>> {
  static String convert(const std::optional<T>& value) { return value ? toString(*value) : String("nothing"); }
};

template <>
struct StringMaker<std::nullopt_t> {
  static String convert(std::nullopt_t) { return "nothing"; }
};

template <>
struct StringMaker<std::chrono::year_month_day> {
  static String convert(std::chrono::year_month_day day) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(day.year()),
                  static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
    return text.data();
  }
};

/// "2026-11-18 08:03:10.123"
template <class Duration>
struct StringMaker<std::chrono::sys_time<Duration>> {
  static String convert(std::chrono::sys_time<Duration> time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(time - day));
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), " %02d:%02d:%02d.%03d", static_cast<int>(clock.hours().count()),
                  static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
                  static_cast<int>(clock.subseconds().count()));
    return toString(std::chrono::year_month_day(day)) + text.data();
  }
};

}  // namespace doctest
