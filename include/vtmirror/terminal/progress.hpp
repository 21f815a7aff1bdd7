// The live lines of a cycle: one for each unfinished file and one for the total. Pure: data in, text out.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/rate.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace vtmirror::terminal {

/// No line is wider than `width`. If there is not enough room, these are left out in this order: the bar, the rate
/// with the time left, the end of the line.
std::vector<std::string> render(const ports::CycleProgress& progress, const report::Rates& rates, std::size_t width);

/// A bar such as "[#####-----]", `width` columns wide.
std::string bar(double fraction, std::size_t width);

}  // namespace vtmirror::terminal
