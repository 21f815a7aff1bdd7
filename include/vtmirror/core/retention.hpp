// What the retention policy lets go. Never anything of the newest complete chain.
#pragma once

#include "vtmirror/core/chain.hpp"

#include <span>
#include <string>
#include <vector>

namespace vtmirror::core {

/// Held files grouped by the bulk file that they follow: a group is a bulk file and the deltas dated from its date on,
/// up to the next bulk's. Deltas older than every held bulk form a group without a bulk. Newest group first.
struct Cycle {
  std::vector<Held> files;  ///< bulk first (when there is one), then deltas by date
  bool has_bulk = false;
};
std::vector<Cycle> cycles_of(std::span<const Held> held);

/// Names that may go when the newest `keep_cycles` chains are kept; oldest chain first. 0 keeps all. Never a file of
/// `listing`, never one that `chain_of` would load, and never less kept than one chain that begins with a bulk file and
/// is not waiting for listed files.
std::vector<std::string> prune(std::span<const Held> held, std::span<const Listed> listing, int keep_cycles);

}  // namespace vtmirror::core
