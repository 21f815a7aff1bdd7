// Which values of an option are valid: numbers in a range, or words of a list.
// A refused value is described by the whole text after the option's name: "must be ..., not x".
#pragma once

#include "vtmirror/base/text.hpp"

#include <CLI/CLI.hpp>

#include <limits>
#include <string>

namespace vtmirror::cli {

/// The upper bound is the largest value of `T`.
template <class T>
CLI::Validator number_from(T least) {
  const auto wrong_number = [least](const std::string& text) {
    const auto number = base::parse_int(text);
    constexpr auto most = std::numeric_limits<T>::max();
    if (number && *number >= least && *number <= most) return std::string();
    return "must be a number from " + std::to_string(least) + " to " + std::to_string(most) + ", not " +
           base::printable(text, 80);
  };
  return CLI::Validator([wrong_number](std::string& text) { return wrong_number(text); }, "");
}

/// `listed` are the keys of `words`.
template <class Words>
CLI::Validator one_of(const Words& words, const std::string& listed) {
  const auto wrong_word = [&words, listed](const std::string& text) {
    return words.contains(text) ? std::string() : "must be " + listed + ", not " + base::printable(text, 80);
  };
  return CLI::Validator([wrong_word](std::string& text) { return wrong_word(text); }, "");
}

}  // namespace vtmirror::cli
