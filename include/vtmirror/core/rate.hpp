// How fast files may be downloaded: the limit at a time, and the pace that keeps it.
// Promises that no quarter of a second gets more than 1.2 times its share of a limit, also to make up for time in which
// less was read.
// Never touches a clock: time and the zone's rules are arguments.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/schedule.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace vtmirror::core {

/// "Mon-Fri 08:00-18:00 5MB/s": a limit for a part of some days.
struct RatePeriod {
  std::array<bool, 7> days{};  ///< from Monday on
  /// Since local midnight. A period that ends no later than it begins lasts into the next day.
  std::chrono::minutes from{0};
  std::chrono::minutes until{24 * 60};
  std::int64_t bytes_a_second = 0;  ///< 0: no limit
  friend bool operator==(const RatePeriod&, const RatePeriod&) = default;
};

struct RateRules {
  std::int64_t bytes_a_second = 0;     ///< outside of every period; 0: no limit
  std::vector<RatePeriod> periods{};   ///< the first that fits counts
  std::shared_ptr<const Zone> zone{};  ///< of the periods; may be empty if there are none
  friend bool operator==(const RateRules&, const RateRules&) = default;
};

/// Bytes a second at `now`; 0: no limit.
std::int64_t rate_at(const RateRules& rules, base::Time now);

/// Grants bytes so that a limit is kept over all who ask.
class Pace {
 public:
  struct Grant {
    std::int64_t bytes = 0;  ///< that may be read now; 0: ask again after `pause`
    base::Milliseconds pause{};
  };

  /// `bytes_a_second` is greater than 0. A change drops what was saved.
  Grant ask(std::int64_t bytes_a_second, std::int64_t wanted, base::Steady now);
  /// What was granted and not read. Less than none: what was read and not granted.
  void give_back(std::int64_t bytes);

 private:
  std::int64_t rate_ = 0;
  base::Steady filled_{};
  std::int64_t saved_ = 0;  ///< thousandths of bytes
};

}  // namespace vtmirror::core
