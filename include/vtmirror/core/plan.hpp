// What a cycle does, as a list of actions with their reasons: what `sync --dry-run` prints and what the cycle carries
// out. Promises to be a value: no two places decide what is fetched or removed. Never holds a link.
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

/// Why an action is what it is. A value: logged, kept for history, printed by --dry-run, compared in tests.
enum class Reason {
  not_held,          ///< listed, and nothing of it is here
  partly_fetched,    ///< some bytes are durable already
  size_changed,      ///< listed with another size than the held version's
  date_changed,      ///< listed with another date than the held version's
  gone_from_disk,    ///< in the catalogue, not on disk
  damaged_on_disk,   ///< on disk with another size than in the catalogue
  failed_checks,     ///< on disk with the listed size, and damaged all the same
  not_in_catalogue,  ///< on disk with the listed size, a version unknown to the catalogue
  held_and_unchanged,
  does_not_fit,         ///< the free space does not suffice for it
  quarantined,          ///< a bulk file that failed its checks twice, and is left alone until the next day
  refused_by_checks,    ///< the entry failed the listing's checks
  beyond_keep_cycles,   ///< an older chain than the policy keeps
  not_listed_any_more,  ///< an unfinished file that left the listing
};
/// A word ("partly_fetched") and a phrase for people ("some of it is here already").
std::string_view name(Reason reason) noexcept;
std::string_view sentence(Reason reason) noexcept;
std::optional<Reason> reason_named(std::string_view word) noexcept;

enum class ActionKind {
  fetch,
  resume,
  fetch_again,
  adopt,  ///< check a public file that the catalogue does not know, and record it
  keep,
  skip,    ///< listed and wanted, and not fetched in this cycle
  refuse,  ///< cannot be had
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
  std::int64_t durable = 0;  ///< bytes of it that need not be fetched (resume)
  std::string detail{};      ///< for refuse: what is wrong
  std::int64_t needs = 0;    ///< for what does not fit: the free space that it would take
  /// For prune: it relies on files that this plan brings. Where one of them does not come, it is not carried out.
  bool after_downloads = false;
  std::int64_t free = 0;  ///< for what does not fit: the space that was left for it, beside the reserve
  Cause cause{};          ///< for skip: why
  friend bool operator==(const Action&, const Action&) = default;
};

/// Whether the action brings the file over the network: fetch, resume, fetch_again.
bool downloads(const Action& action) noexcept;

struct Plan {
  std::vector<Action> actions;
  /// Bytes that the plan will take from the network and from the disk's free space.
  std::int64_t bytes_to_fetch() const;
  bool nothing_to_fetch() const;
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace vtmirror::core
