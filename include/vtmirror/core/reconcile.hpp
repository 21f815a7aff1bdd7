// The difference between the listing and what is held, as a plan that covers everything a cycle does.
// Pure: after a plan has been carried out, the next plan has nothing left to do. The order of the inputs changes
// nothing, but for that of refused entries with one name.
// Never removes a file because of one that was not downloaded.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/plan.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A file on disk below the mirror's directory.
struct LocalFile {
  std::string name;
  std::int64_t size = 0;
  std::int64_t allocated = 0;  ///< bytes that it occupies on disk; less than `size` if it is sparse
};

/// What the mirror has, by its catalogue and by its disk, and what was listed so far.
struct Inventory {
  Calendar calendar;
  std::vector<FileRecord> files;
  std::vector<PartialRecord> partials;
  std::vector<QuarantinedFile> quarantined;
  std::vector<LocalFile> on_disk;  ///< public files
  std::vector<LocalFile> partials_on_disk;
  std::int64_t free_space = 0;
  /// Public files with the listed size that were read and found damaged; their size does not show it.
  std::vector<std::string> failed_checks;
  /// Public directories that cannot be read (hindrance.hpp). Held files below them are in `on_disk` as
  /// the catalogue has them, because nothing else is known, and nothing is pruned meanwhile.
  std::vector<Cause> unread{};
  base::Time at{};  ///< when all of this was so
};

/// What is wrong with a held file's copy on disk, which is null if it has none; empty if it is intact.
std::optional<Reason> loss(const FileRecord& record, const LocalFile* copy);

/// The catalogue's records, divided by whether the file is intact on disk.
Stock stock_of(const Inventory& inventory);

struct Policy {
  int keep_cycles = 0;                                      ///< 0 keeps all
  std::int64_t reserve = 0;                                 ///< free bytes that a download must leave
  std::chrono::seconds quarantine = std::chrono::days(14);  ///< after a quarantined file left the listing
  friend bool operator==(const Policy&, const Policy&) = default;
};

/// The tries of one day. A retry skips a bulk file that is quarantined and still listed with the same size: it was
/// downloaded twice already, and may have 40 GB.
enum class Try { first, again };

/// Actions in the order in which they start: adopt; drop_partial; prune of quarantined files; deltas oldest first, then
/// bulk (the fetcher downloads the bulk file beside the deltas); then keep, skip, refuse, prune of the other files.
/// - A resume needs a partial with the listed size and date; otherwise the file is downloaded from the start.
/// - Free space, with what the dropped partials and quarantined files occupy, is assigned to the downloads in their
///   order; each takes what is not allocated for it yet. What `keep_cycles` prunes is not counted, because it goes
///   after the downloads. A file that does not fit is skipped, and a smaller one after it may still fit.
/// - A file on disk that is neither in the catalogue nor in the listing is left alone.
/// - A lost file is adopted if a file of its size appears in its place and passes the checks.
/// - A held file that is lost or damaged on disk and no longer listed cannot be downloaded: it is refused until
///   the policy removes its chain.
/// - A partial is dropped when its name has left the listing; not if its entry was merely refused this time, and not
///   because of a listing without a bulk file.
/// - Prune names what the policy removes once the plan's files are held. A removal that depends on a download is marked
///   `after_downloads`. A lost file that only such a removal would cover is refused as well.
/// - A quarantined file is pruned when it left the listing longer ago than the policy keeps it; not while it is
///   downloaded once more.
Plan reconcile(const Listing& listing, const Inventory& inventory, const Policy& policy, Try which);

/// Files that the catalogue takes for whole, and that are missing from disk or have another size there.
struct Loss {
  std::string name;
  Condition condition{};
  std::int64_t size = 0;   ///< as it was published
  std::int64_t there = 0;  ///< of what is on disk
  friend bool operator==(const Loss&, const Loss&) = default;
};
std::vector<Loss> losses(const Inventory& inventory);

/// What may be removed at once, as the newest listing is known and without a download: what the policy removes, oldest
/// chain first, then the quarantined files that it no longer keeps. Of the chains nothing if no file is listed: whether
/// the newest one is whole is not known then.
Plan removals(const Inventory& inventory, const Policy& policy);

/// Whether it is removed before the downloads begin: it takes nothing from the chain, and its space is theirs.
bool goes_first(const Action& action) noexcept;

/// The files that a plan prunes and that may be removed after its downloads; `now` is what is there then. If a file was
/// not downloaded, or was lost since the plan was made, the older chain that it would have replaced is kept. Never
/// names a file that the plan does not remove.
std::vector<Action> removals_due(const Plan& plan, const Listing& listing, const Inventory& now, const Policy& policy);

}  // namespace vtmirror::core
