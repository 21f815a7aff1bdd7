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
  std::optional<base::Date> expires_on;   ///< empty while it is not known
  bool estimated = false;                 ///< computed from when the secret was first seen
  std::optional<std::int64_t> days_left;  ///< negative after the expiry; empty while that is not known
  std::vector<int> warned;                ///< the `warn_days` of the warnings that were sent for this expiry
  friend bool operator==(const SecretStatus&, const SecretStatus&) = default;
};

struct DaemonState {
  State state = State::starting;
  base::Time since{};                   ///< when this state began
  std::optional<base::Time> next_wake;  ///< when the next cycle starts; empty while one runs or none is planned
  std::vector<Problem> problems;        ///< all that stand, as they were reported
  SecretStatus secret;
  std::int64_t cycles = 0;   ///< begun by this daemon; also the number of the last one
  base::Time cycle_began{};  ///< of the last cycle
};

}  // namespace vtmirror::core
