// The live lines of a cycle: one for each file under way, one for those that wait, and one for the total. Pure: data
// in, text out.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/report/rate.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::terminal {

struct ProgressLook {
  std::size_t width = 80;
  bool utf8 = false;               ///< bars grow by an eighth of a column
  base::Time now{};                ///< for how long a request has been under way
  report::UtcOffset utc_offset{};  ///< as in `report::local_time`
};

/// No line is wider than the width. If there is not enough room, these are left out in this order: the bytes, the rate,
/// the bar, the time left, the end of the line. While there is no file to download, the only line says what the cycle
/// does; without a file, there is none.
std::vector<std::string> render(const ports::CycleProgress& progress, const report::Rates& rates,
                                const ProgressLook& look);

/// How much of the whole is there, rounded down; empty while that is not known.
std::optional<int> percent_of(const ports::CycleProgress& progress);

}  // namespace vtmirror::terminal
