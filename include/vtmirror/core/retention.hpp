// What the retention policy removes. Never a file of the newest complete chain.
#pragma once

#include "vtmirror/core/chain.hpp"

#include <span>
#include <string>
#include <vector>

namespace vtmirror::core {

/// Held files grouped by the bulk file that they follow: a group is a bulk file and the deltas from its date on, up to
/// the next bulk file's date. Deltas older than every held bulk file form a group without one. Newest group first.
struct Cycle {
  std::vector<Held> files;  ///< bulk first (when there is one), then deltas by date
  bool has_bulk = false;
};
std::vector<Cycle> cycles_of(std::span<const Held> held);

/// Names that may be removed when the newest `keep_cycles` chains are kept; oldest chain first. 0 keeps all. `lost`:
/// files that the catalogue has and that are missing or incomplete on disk; they are removed with their chain.
/// - Never a file of `listing`, and never one that `chain_of` would load.
/// - A chain counts if its bulk file is held. Older chains are removed only if one that counts is also complete: none
///   of its files is lost, and none that the listing names is missing.
std::vector<std::string> prune(std::span<const Held> held, std::span<const Listed> listing, int keep_cycles,
                               std::span<const Held> lost = {});

}  // namespace vtmirror::core
