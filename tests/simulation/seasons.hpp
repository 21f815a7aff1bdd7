// What changes over weeks rather than days: the weekday of the bulk file, files that leave the listing in their week,
// and months without a process. Everything follows from the dice.
#pragma once

#include "support/upstream.hpp"

#include <string>

namespace vtmirror::test {

struct Seasons {
  explicit Seasons(Random& random)
      : moves_bulk(chance(random, 35)),
        removes_deltas(chance(random, 35)),
        off_from(chance(random, 25) ? static_cast<int>(between(random, 15, 200)) : -1),
        off_for(static_cast<int>(between(random, 6, chance(random, 50) ? 20 : 110))) {}

  std::string logged() const {
    std::string text;
    if (moves_bulk) text += ", the bulk file's weekday moves";
    if (removes_deltas) text += ", deltas leave the listing early";
    if (off_from >= 0) text += ", off for " + std::to_string(off_for) + " days from day " + std::to_string(off_from);
    return text;
  }

  bool moves_bulk;
  bool removes_deltas;
  int off_from;  ///< the day on which the service is switched off; -1: never
  int off_for;   ///< days
};

}  // namespace vtmirror::test
