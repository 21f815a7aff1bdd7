// What `mirror.keep_cycles` lets go: one answer for a cycle, a plan and a clean-up.
#pragma once

#include "vtmirror/core/files.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <string>
#include <vector>

namespace vtmirror::core {

/// The names of the held files that may be removed, the oldest first. None while a directory cannot be read: what would
/// replace a file may be missing there.
std::vector<std::string> removable(const Inventory& inventory, const Calendar& calendar, const Stock& stock,
                                   const Policy& policy);

}  // namespace vtmirror::core
