// How the states of core/days.hpp are shown to people: a letter on a terminal, and words in a legend. Pure.
// Promises a different letter for each state. Never decides a state.
#pragma once

#include "vtmirror/core/days.hpp"

#include <string_view>

namespace vtmirror::report {

/// A small one; a terminal shows a capital for a day to load.
char letter_of(core::DayState state) noexcept;

/// "expected: its delta is not listed yet"
std::string_view meaning_of(core::DayState state) noexcept;

}  // namespace vtmirror::report
