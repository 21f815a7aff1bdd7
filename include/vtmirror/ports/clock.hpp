// Time and waiting, as a seam: tests put a simulated clock behind it.
#pragma once

#include "vtmirror/base/time.hpp"

#include <boost/asio/awaitable.hpp>

namespace vtmirror::ports {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual base::Time now() const = 0;
  virtual base::Steady steady() const = 0;
  /// Ends after `pause`, or at once with `cancelled` when the stop signal came or comes.
  virtual boost::asio::awaitable<base::Result<void>> wait(base::Milliseconds pause) = 0;
};

/// Chance, as a seam: the next number in [0, 1).
class Dice {
 public:
  virtual ~Dice() = default;
  virtual double roll() = 0;
};

}  // namespace vtmirror::ports
