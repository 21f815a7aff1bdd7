// `vtmirror history`: past cycles, newest first, for people and for machines.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace vtmirror::report {

std::string history_text(const std::vector<catalogue::CycleRecord>& cycles, std::size_t width);
/// A cycle that has no end (it runs, or was cut) has null for `finished`, `outcome` and `rate`.
std::string history_json(const std::vector<catalogue::CycleRecord>& cycles);

}  // namespace vtmirror::report
