// What the daemon is doing and which problems it knows of, at one moment.
// Pure. Never holds a secret.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/problem.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace vtmirror::core {

enum class State { starting, idle, syncing, waiting, stopping };
inline constexpr std::array all_states{State::starting, State::idle, State::syncing, State::waiting, State::stopping};
/// The name in the socket's JSON.
std::string_view name(State state) noexcept;

struct SecretStatus {
  std::optional<base::Date> expires_on;
  bool estimated = false;
  std::optional<std::int64_t> days_left;
  std::vector<int> warned;
  friend bool operator==(const SecretStatus&, const SecretStatus&) = default;
};

struct DaemonState {
  State state = State::starting;
  base::Time since{};
  std::optional<base::Time> next_wake;
  std::vector<Problem> problems;
  SecretStatus secret;
  std::int64_t cycles = 0;   ///< begun by this daemon; also the number of the last one
  base::Time cycle_began{};  ///< of the last cycle
};

}  // namespace vtmirror::core
