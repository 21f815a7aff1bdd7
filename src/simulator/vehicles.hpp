// Records of fictional vehicle tests, one line of JSON each, determined by the random stream alone.
#pragma once

#include "simulator/random.hpp"

#include <string>

namespace vtmirror::simulator {

/// Appends one vehicle with its tests as a line of JSON (200 to 700 bytes), the line feed included.
void append_vehicle(std::string& out, Random& random);

}  // namespace vtmirror::simulator
