// The daemon's metrics as Prometheus text. Pure.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/facts.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace vtmirror::report {

/// Counts since the daemon's start.
struct Counters {
  /// By outcome. All begin at 0, so that the first cycle with an outcome shows as an increase.
  std::map<std::string, std::int64_t> cycles{{"complete", 0}, {"partial", 0}, {"failed", 0}};
  std::map<std::string, std::int64_t> retries;  ///< by reason
  std::int64_t bytes = 0;                       ///< fetched
  std::int64_t files = 0;                       ///< published

  void count(const ports::Event& event);
};

std::string metrics_text(const Status& status, const DaemonFacts& facts, const Counters& counters, base::Time now);

}  // namespace vtmirror::report
