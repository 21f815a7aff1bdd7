// The difference between what the service lists and what we hold, as a plan: all that a cycle does.
// Pure: carrying a plan out and making it again gives a plan in which nothing is left to do, whatever order the inputs
// come in. Never lets a file be removed on the strength of one that did not come.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A file on disk below the mirror's directory.
struct LocalFile {
  std::string name;
  std::int64_t size = 0;
  std::int64_t allocated = 0;  ///< bytes of the disk that it takes already; less than `size` where it has holes
};

/// What the mirror has, by its catalogue and by its disk.
struct Inventory {
  std::vector<FileRecord> files;
  std::vector<PartialRecord> partials;
  std::vector<QuarantinedFile> quarantined;
  std::vector<LocalFile> on_disk;  ///< public files
  std::vector<LocalFile> partials_on_disk;
  std::int64_t free_space = 0;
  /// Public files of the listed size that were read and found damaged: their size does not show it.
  std::vector<std::string> failed_checks;
};

struct Policy {
  int keep_cycles = 0;       ///< 0 keeps all
  std::int64_t reserve = 0;  ///< free bytes that a download must leave
};

/// The tries of one day. A retry leaves a bulk file alone that is in the quarantine and is still listed with that
/// size: it was fetched twice already, and may have 40 GB.
enum class Try { first, again };

/// Actions in the order in which they are to be started: adopt; deltas oldest first, then bulk (the fetcher runs the
/// bulk file beside the deltas); then keep, skip, refuse, drop_partial, prune.
/// - A resume needs a partial of the same size and date as listed; otherwise it is a fetch from nothing.
/// - Free space goes to the downloads in their order, less what their unfinished files take already. What does not fit
///   is skipped, and a smaller file behind it may still fit.
/// - A file on disk that neither the catalogue nor the listing knows is not ours and is left alone.
/// - A held file that is gone from disk or damaged, and listed no longer, cannot be fetched: it is refused until the
///   policy lets its chain go.
/// - A partial goes when its name has left the listing; not when its entry was merely refused this time, and not by the
///   word of a listing that names no bulk file.
/// - Prune names what the policy lets go once the plan's files are here. What it does not let go by what is held now is
///   marked `after_downloads`. A lost file that only such a removal would end is refused as well.
Plan reconcile(const Listing& listing, const Inventory& inventory, const Policy& policy, Try which);

/// The removals of a plan that may be carried out when its downloads have ended; `now` is what is held then. A file
/// that did not come, or that has been lost since the plan was made, keeps the older chain that it would have
/// replaced. Never names a file that the plan does not remove.
std::vector<Action> removals_due(const Plan& plan, const Listing& listing, const Inventory& now, const Policy& policy);

}  // namespace vtmirror::core
