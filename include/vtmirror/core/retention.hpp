// What the retention policy removes, and how long superseded bytes stay readable.
// Never removes a file of the newest complete chain.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/files.hpp"

#include <span>
#include <string>
#include <vector>

namespace vtmirror::core {

/// Held files grouped by the bulk file that they follow: a group is a bulk file and the deltas from its date on, up to
/// the next bulk file's date. Deltas older than every held bulk file form a group without one. Newest group first.
struct HeldChain {
  std::vector<Held> files;  ///< bulk first (when there is one), then deltas by date
  bool has_bulk = false;
};
std::vector<HeldChain> held_chains_of(std::span<const Held> held);

/// Names that may go when the newest `keep_cycles` chains are kept; oldest chain first. 0 keeps all. `lost`: files that
/// the catalogue has and the disk has not, or not whole; they go with their chain.
/// - Never a listed file, and never one that `chain_of` would load.
/// - A chain counts when its bulk file is held. Older ones go only when one that counts is whole as well: every file
///   that was ever listed of it is held.
/// - Files of days to come are in no chain, and none is among them.
std::vector<std::string> prune(const Calendar& calendar, std::span<const Held> held, int keep_cycles,
                               std::span<const Held> lost = {});

/// Whether a quarantined file left the listing longer ago than `kept_for`.
bool quarantine_is_over(const QuarantinedFile& file, base::Milliseconds kept_for, base::Time now);

/// How long readers of a superseded generation can still read what it named.
inline constexpr std::chrono::hours held_for{24};

/// What was superseded, and since when that is known: bytes by their digest, a directory of links by its name.
struct Superseded {
  std::string name;
  base::Time since{};
  friend bool operator==(const Superseded&, const Superseded&) = default;
};
struct Release {
  std::vector<Superseded> kept;
  std::vector<std::string> due;  ///< superseded for `held_for`
};
/// `there`: all that is superseded now; `known`: what was superseded the last time. The time of a new entry starts at
/// `now`, and so does that of an entry from the future (the clock was set back). Keeps the order of `there`.
Release release(const std::vector<Superseded>& known, const std::vector<std::string>& there, base::Time now);

}  // namespace vtmirror::core
