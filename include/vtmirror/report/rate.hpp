// Download rates, smoothed over about three seconds, for each file and in total.
// Pure: time is an argument.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/ports/journal.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace vtmirror::report {

/// An exponentially weighted mean. It is right from the first sample, because missing samples have no weight.
class SmoothRate {
 public:
  void add(double bytes, double seconds);
  double bytes_a_second() const { return weight_ > 0 ? sum_ / weight_ : 0; }

 private:
  double sum_ = 0;
  double weight_ = 0;
};

struct Rates {
  double total = 0;                     ///< bytes a second
  std::map<std::string, double> files;  ///< by name
};

/// Measures a cycle's rates. Counts bytes from the network only, so that bytes of an earlier attempt do not count.
class RateBook {
 public:
  Rates update(const ports::CycleProgress& progress, base::Steady now);

 private:
  struct Seen {
    std::int64_t fetched = 0;
    SmoothRate rate;
  };
  std::optional<base::Steady> last_;
  std::map<std::string, Seen> files_;
  SmoothRate total_;
};

}  // namespace vtmirror::report
