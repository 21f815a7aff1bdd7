// What a test can change or query while the service runs: the day, the script, the expiry of all links or tokens, the
// day's files, the issued secrets.
#pragma once

#include "simulator/answer.hpp"
#include "simulator/state.hpp"

namespace vtmirror::simulator {

Answer answer_control(State& state, const Request& request, base::Time now);

}  // namespace vtmirror::simulator
