// The live lines of a cycle: one for each file that is not finished and one for the whole. Pure: data in, text out.
#pragma once

#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/rate.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace vtmirror::terminal {

/// No line is wider than `width`; what does not fit goes in this order: the bar, the time left with the rate, the end
/// of the line.
std::vector<std::string> render(const ports::CycleProgress& progress, const report::Rates& rates, std::size_t width);

/// "[#####-----]", `width` columns in all.
std::string bar(double fraction, std::size_t width);

}  // namespace vtmirror::terminal
