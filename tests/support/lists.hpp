// How doctest shows what it cannot print by itself: lists, pairs and optional values, with what is in them. Every test
// program is compiled with it (CMakeLists.txt), so that no failed check says "{?}" for a list.
#pragma once

#include <doctest/doctest.h>

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

}  // namespace doctest
