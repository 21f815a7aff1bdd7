// What a cycle does, as a list of actions with their reasons: `sync --dry-run` prints it and the cycle carries it out.
// A value, so that only one place decides what is downloaded or removed. Never holds a link.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/listing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// Why an action was chosen. A value: logged, stored in the history, printed by --dry-run, compared in tests.
enum class Reason {
  not_held,           ///< listed, and no byte of it is held
  partly_fetched,     ///< some bytes are durable already
  size_changed,       ///< listed with another size than the held edition's
  date_changed,       ///< listed with another date than the held edition's
  replaced_in_store,  ///< listed as before, and the store has other bytes
  gone_from_disk,     ///< in the catalogue, not on disk
  damaged_on_disk,    ///< on disk with another size than in the catalogue, or found damaged
  failed_checks,      ///< on disk with the listed size, but damaged
  not_in_catalogue,   ///< on disk with the listed size, an edition unknown to the catalogue
  back_on_disk,       ///< was lost, and there is a file of its size in its place again
  held_and_unchanged,
  does_not_fit,         ///< there is not enough free space
  was_quarantined,      ///< it failed its checks twice before, and is downloaded again
  quarantined,          ///< a bulk file that failed its checks twice; the next try is the next day
  refused_by_checks,    ///< the entry failed the listing's checks
  beyond_keep_cycles,   ///< an older chain than the policy keeps
  not_listed_any_more,  ///< an unfinished file that left the listing
  quarantine_over,      ///< quarantined, and left the listing longer ago than the policy keeps such files
  day_to_come,          ///< of a day that is still to come
};
/// "partly_fetched"
std::string_view name(Reason reason) noexcept;
std::optional<Reason> reason_named(std::string_view word) noexcept;

enum class ActionKind {
  fetch,
  resume,
  fetch_again,
  adopt,  ///< check a public file that is not in the catalogue, and record it
  keep,
  skip,    ///< listed and wanted, but not downloaded in this cycle
  refuse,  ///< cannot be downloaded
  prune,
  drop_partial,
};
std::string_view name(ActionKind kind) noexcept;
std::optional<ActionKind> action_named(std::string_view word) noexcept;

struct Action {
  ActionKind kind{};
  Reason reason{};
  Kind file_kind{};
  std::string name;
  base::Date date{};
  std::int64_t size = 0;
  std::int64_t durable = 0;  ///< bytes that need not be downloaded (resume)
  /// For skip and refuse: what is wrong, if the reason does not say it all. Without a subject, which is `name`.
  Cause cause{};
  std::int64_t needs = 0;  ///< if it does not fit: the free space that it needs
  /// For prune: it depends on files that this plan downloads, and is not carried out if one of them does not arrive.
  bool after_downloads = false;
  /// If it does not fit: the space that was left for it beside the reserve; negative if the reserve itself is in use.
  std::int64_t free = 0;
  friend bool operator==(const Action&, const Action&) = default;
};

/// Whether the action downloads the file: fetch, resume, fetch_again.
bool downloads(const Action& action) noexcept;
/// Whether the action removes a file of the mirror: a prune, but not of a quarantined file.
bool removes_public_file(const Action& action) noexcept;

struct Plan {
  std::vector<Action> actions;
  /// Bytes that the plan will download and that will use free space.
  std::int64_t bytes_to_fetch() const;
  bool nothing_to_fetch() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace vtmirror::core
