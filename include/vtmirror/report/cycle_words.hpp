// What a running cycle does, in words and numbers: for the live lines, the status and the log. Pure: time is an
// argument.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/report/rate.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::report {

/// "waiting until 21:27:29: the service asks for fewer requests (HTTP 429)"; empty unless a request pauses.
std::string pause_words(const std::optional<ports::Asking>& asking, base::Time now, const UtcOffset& offset);

/// What a cycle does while it has no file to download: "asking for the listing (3s)", a pause, or "comparing the file
/// list with the mirror". Empty while it downloads.
std::string step_words(ports::Step step, const std::optional<ports::Asking>& asking, base::Time now,
                       const UtcOffset& offset);

/// "41%", and "41.9%" if the whole has a gigabyte or more. Rounded down, so that 100% means complete.
std::string percent_words(std::int64_t part, std::int64_t whole);

/// A bar such as "[#####-----]", or "[█████▍    ]", `width` columns wide.
std::string bar(double fraction, std::size_t width, bool utf8 = false);

/// The lines about files that are being downloaded, for a log: "bulk 15 Nov: 37% of 37.7 GB, 98.1 MB/s, 4 min left".
/// A file that finishes in seconds gets no line. The cycle's largest file, and each of a gigabyte or more, gets a line
/// per tenth; all others together get at most one a minute, so that many small slow files do not fill the log.
class ProgressLines {
 public:
  enum class Every { minute, tenth };
  explicit ProgressLines(Every every) : every_(every) {}

  /// The lines that are due; call it at least once a second.
  std::vector<ports::Event> due(const ports::CycleProgress& progress, const Rates& rates, base::Steady now);

 private:
  struct Logged {
    base::Steady at{};
    int tenths = 0;
  };
  bool is_due(const Logged& last, int tenths, bool is_small, base::Steady now) const;

  Every every_;
  std::optional<base::Steady> small_at_;  ///< of the last line about a small file
  std::map<std::string, Logged> logged_;
};

}  // namespace vtmirror::report
