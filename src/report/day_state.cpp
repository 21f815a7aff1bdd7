#include "vtmirror/report/day_state.hpp"

namespace vtmirror::report {

using core::DayState;

char letter_of(DayState state) noexcept {
  switch (state) {
    case DayState::damaged:
      return 'x';
    case DayState::lost:
      return 'g';
    case DayState::refused:
      return 'r';
    case DayState::late:
      return 'l';
    case DayState::missing:
      return 'm';
    case DayState::downloading:
      return 'd';
    case DayState::expected:
      return 'e';
    case DayState::unknown:
      return '?';
    case DayState::absent:
      return 'a';
    case DayState::held:
      return 'h';
    case DayState::removed:
      return '-';
  }
  return ' ';
}

std::string_view meaning_of(DayState state) noexcept {
  switch (state) {
    case DayState::damaged:
      return "damaged or quarantined";
    case DayState::lost:
      return "lost: gone from disk";
    case DayState::refused:
      return "refused: its entry in the listing is not usable";
    case DayState::late:
      return "late: its delta was not listed in time";
    case DayState::missing:
      return "missing: listed, but not held";
    case DayState::downloading:
      return "downloading";
    case DayState::expected:
      return "expected: its delta is not listed yet";
    case DayState::unknown:
      return "unknown: no listing covered this day";
    case DayState::absent:
      return "absent upstream: the service made no delta";
    case DayState::held:
      return "held";
    case DayState::removed:
      return "removed by retention";
  }
  return {};
}

}  // namespace vtmirror::report
