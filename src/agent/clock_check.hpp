// Whether this machine's clock is right, by the `Date` of the service's listing and by the time that passed since.
// Promises that a clock which differs by more than a day is not taken for right, whether it was set before the listing
// came or after. Without a `Date` nothing is known against the clock that the listing came by. Never reads a clock.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <optional>
#include <string>

namespace vtmirror::agent {

class ClockCheck {
 public:
  ClockCheck() = default;
  /// The listing came at `own` by this machine's clock, at `steady` by the one that nobody sets.
  ClockCheck(std::optional<base::Time> server, base::Time own, base::Steady steady)
      : server_(server), own_(own), steady_(steady) {}

  /// Whether the clock agreed with the service's when the listing came.
  bool agreed() const noexcept;
  /// Whether it agreed, and was not set since.
  bool is_right(base::Time now, base::Steady steady) const noexcept;
  /// "its Date is ... and this machine's clock says ...". To be called if they did not agree.
  std::string words() const;
  /// The error, with both clocks if they differ by minutes.
  base::Error explained(base::Error error) const;

 private:
  std::optional<base::Time> server_;
  base::Time own_{};
  base::Steady steady_{};
};

}  // namespace vtmirror::agent
