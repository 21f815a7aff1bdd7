// The token issuer: OAuth 2.0 client credentials. Checks every field.
#pragma once

#include "simulator/answer.hpp"
#include "simulator/state.hpp"

namespace vtmirror::simulator {

Answer answer_issuer(State& state, const Request& request, base::Time now);

}  // namespace vtmirror::simulator
