// What the policy no longer keeps: one answer for a cycle, a plan and `vtmirror prune`.
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

/// The prune of a public file. `copy`: what of it is on disk, or null; its size is what the prune frees.
Action pruned(const FileRecord& file, const LocalFile* copy, Reason reason = Reason::beyond_keep_cycles);

/// A prune for each quarantined file whose time is over; one with a partial is being downloaded once more, and stays.
std::vector<Action> over_in_quarantine(const Inventory& inventory, const Policy& policy);

}  // namespace vtmirror::core
