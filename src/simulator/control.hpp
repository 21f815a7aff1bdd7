// What a test may change or ask while the service runs: the day, the script, the end of all links or tokens, the files
// of the day, the secrets that were issued.
#pragma once

#include "simulator/answer.hpp"
#include "simulator/state.hpp"

namespace vtmirror::simulator {

Answer answer_control(State& state, const Request& request, base::Time now);

}  // namespace vtmirror::simulator
