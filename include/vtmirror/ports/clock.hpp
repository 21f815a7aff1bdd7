// Time and waiting. Tests use a simulated clock.
#pragma once

#include "vtmirror/base/time.hpp"

#include <boost/asio/awaitable.hpp>

namespace vtmirror::ports {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual base::Time now() const = 0;
  virtual base::Steady steady() const = 0;
  /// Ends after `pause`, or at once with `cancelled` if the stop signal was given or is given meanwhile.
  virtual boost::asio::awaitable<base::Result<void>> wait(base::Milliseconds pause) = 0;
};

/// Random numbers: the next one in [0, 1).
class Dice {
 public:
  virtual ~Dice() = default;
  virtual double roll() = 0;
};

}  // namespace vtmirror::ports
