// The text of the listing (vtmirror-service(7) 2.1): the day's files, each with a freshly signed link.
#pragma once

#include "simulator/state.hpp"

#include <string>

namespace vtmirror::simulator {

std::string listing_text(const State& state, base::Time now);

}  // namespace vtmirror::simulator
