// Records of fictional vehicle tests, one line of JSON each, determined by the random stream alone.
#pragma once

#include "simulator/random.hpp"

#include <string>

namespace vtmirror::simulator {

enum class Records {
  all,      ///< of a bulk file: the vehicle as it is
  changes,  ///< of a delta: also whether it is new, changed or deleted since
};

/// Appends one vehicle with its tests as a line of JSON (200 to 700 bytes), the line feed included. There are so few
/// registrations that files share many, and that some come twice in one file.
void append_vehicle(std::string& out, Random& random, Records records);

}  // namespace vtmirror::simulator
