#include "vtmirror/core/daemon_state.hpp"

namespace vtmirror::core {

std::string_view name(State state) noexcept {
  switch (state) {
    case State::starting:
      return "starting";
    case State::idle:
      return "idle";
    case State::syncing:
      return "syncing";
    case State::waiting:
      return "waiting";
    case State::stopping:
      break;
  }
  return "stopping";
}

}  // namespace vtmirror::core
