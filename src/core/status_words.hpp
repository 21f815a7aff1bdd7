// The words of the status that its JSON is written with and read by.
#pragma once

#include "vtmirror/core/status.hpp"

#include <array>
#include <string_view>

namespace vtmirror::core {

struct StateWord {
  State state;
  std::string_view text;
};

inline constexpr std::array state_words{
    StateWord{State::starting, "starting"}, StateWord{State::idle, "idle"},
    StateWord{State::syncing, "syncing"},   StateWord{State::waiting, "waiting"},
    StateWord{State::stopping, "stopping"},
};

inline constexpr std::array<std::string_view, 3> cycle_outcomes{"complete", "partial", "failed"};

}  // namespace vtmirror::core
