// `vtmirror history`: past cycles, newest first, as a table and as JSON.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace vtmirror::report {

std::string history_text(const std::vector<catalogue::CycleRecord>& cycles, std::size_t width);
/// A cycle without an end (running or interrupted) has null for `finished`, `outcome` and `rate`.
std::string history_json(const std::vector<catalogue::CycleRecord>& cycles);

}  // namespace vtmirror::report
