// The difference between what the service lists and what we hold, as a plan of actions, each with its reason.
// Pure: carrying a plan out and making it again gives a plan in which nothing is left to fetch, whatever order the
// inputs come in. Never lets anything go on the strength of a file that is still to come.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/listing.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// Why an action is what it is. A value: logged, kept for history, printed by --dry-run, compared in tests.
enum class Reason {
  not_held,          ///< listed, and nothing of it is here
  partly_fetched,    ///< some bytes are durable already
  size_changed,      ///< listed with another size than the held version's
  date_changed,      ///< listed with another date than the held version's
  gone_from_disk,    ///< in the catalogue, not on disk
  damaged_on_disk,   ///< on disk with another size than in the catalogue
  not_in_catalogue,  ///< on disk with the listed size, a version unknown to the catalogue
  held_and_unchanged,
  refused_by_checks,    ///< the entry failed the listing's checks
  beyond_keep_cycles,   ///< an older chain than the policy keeps
  not_listed_any_more,  ///< an unfinished file that left the listing
};
/// A word ("partly_fetched") and a phrase for people ("some of it is here already").
std::string_view name(Reason reason) noexcept;
std::string_view sentence(Reason reason) noexcept;

enum class ActionKind { fetch, resume, fetch_again, adopt, keep, refuse, prune, drop_partial };
std::string_view name(ActionKind kind) noexcept;

struct Action {
  ActionKind kind{};
  Reason reason{};
  Kind file_kind{};
  std::string name;
  base::Date date{};
  std::int64_t size = 0;
  std::int64_t durable = 0;  ///< bytes of it that need not be fetched (resume)
  std::string detail{};      ///< for refuse: what is wrong
  friend bool operator==(const Action&, const Action&) = default;
};

/// A file on disk below the mirror's directory.
struct LocalFile {
  std::string name;
  std::int64_t size = 0;
  std::int64_t allocated = 0;  ///< bytes of the disk that it takes already; less than `size` where it has holes
};

struct Policy {
  int keep_cycles = 0;  ///< 0 keeps all
};

struct Plan {
  std::vector<Action> actions;
  /// Bytes that the plan will take from the network and from the disk's free space.
  std::int64_t bytes_to_fetch() const;
  bool nothing_to_fetch() const;
};

/// Actions in the order in which they are to be started: adopt; deltas oldest first, then bulk (the fetcher runs the
/// bulk file beside the deltas); then keep, refuse, drop_partial, prune.
/// - A resume needs a partial of the same size and date as listed; otherwise it is a fetch from nothing.
/// - A file on disk that neither the catalogue nor the listing knows is not ours and is left alone.
/// - A held file that is gone from disk or damaged, and listed no longer, cannot be fetched: it is refused, with a
///   detail that says so, until the policy lets its chain go.
/// - A partial goes when its name has left the listing; not when its entry was merely refused this time, and not by the
///   word of a listing that names no bulk file.
/// - Prune looks at what is held now: what a fetched bulk file lets go is in the next plan.
Plan reconcile(const Listing& listing, std::span<const FileRecord> files, std::span<const PartialRecord> partials,
               std::span<const LocalFile> on_disk, const Policy& policy);

}  // namespace vtmirror::core
