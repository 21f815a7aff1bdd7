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

/// Names that may go when the newest `keep_cycles` chains are kept; oldest chain first. 0 keeps all. `lost`: files that
/// the catalogue has and the disk has not, or not whole; they go with their chain.
/// - Never a file of `listing`, and never one that `chain_of` would load.
/// - A chain counts when its bulk file is held. Older ones go only when one that counts is whole as well: no file of it
///   is lost, and none that the listing names is missing from it.
std::vector<std::string> prune(std::span<const Held> held, std::span<const Listed> listing, int keep_cycles,
                               std::span<const Held> lost = {});

}  // namespace vtmirror::core
