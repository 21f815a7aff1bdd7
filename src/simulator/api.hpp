// The service's API: the listing and the credentials endpoint. Checks both headers as the real service does.
#pragma once

#include "simulator/answer.hpp"
#include "simulator/state.hpp"

namespace vtmirror::simulator {

Answer answer_api(State& state, const Request& request, base::Time now);

}  // namespace vtmirror::simulator
