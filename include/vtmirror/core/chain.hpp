// Which files to load in which order, which days they cover, what is missing and why, and whether the deltas join on to
// what a consumer has loaded before.
// Promises that a chain can always be loaded from its start: it begins with a bulk file, holds files that are on disk
// alone, and ends before the first day whose data is missing. Never mistakes a missing day for one that upstream left
// out.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/calendar.hpp"
#include "vtmirror/core/cause.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// A file that a listing named, without its link.
struct Listed {
  Kind kind{};
  std::string name;
  base::Date date{};
  std::int64_t size = 0;
  friend bool operator==(const Listed&, const Listed&) = default;
};

/// Why a file that was listed is not held.
enum class MissingReason { not_downloaded, refused, quarantined, damaged, lost, does_not_fit };
std::string_view name(MissingReason reason) noexcept;
std::optional<MissingReason> missing_reason_named(std::string_view word) noexcept;

struct Missing {
  Kind kind{};
  std::string name;
  std::optional<base::Date> date{};  ///< empty: a refused entry that names no day
  MissingReason reason{};
  Cause cause{};  ///< where the reason does not say it all; without a subject, which is `name`
  friend bool operator==(const Missing&, const Missing&) = default;
};

/// The cause as far as a generation states it: why an entry was refused, or a file quarantined. Empty for a file that
/// does not fit: by how much is another number in each cycle, and would begin a generation each.
Cause lasting_cause(const Missing& file);

/// Whether the deltas of a chain join on to the chain before: vtmirror-api(7), manifest.json.
struct Continues {
  std::string after;            ///< the last file of the chain before
  std::string sha256;           ///< of it; empty where no digest was made
  std::int64_t generation = 0;  ///< a consumer that loaded that chain at this generation or later has all of it
  bool contiguous = false;      ///< false: the bulk file must be loaded
  std::string_view reason{};    ///< held, absent; or what broke it: gap, refused, replaced, lost
  std::vector<base::Date> assumes_absent{};  ///< days on whose absence it rests, ascending
  friend bool operator==(const Continues&, const Continues&) = default;
};

struct Chain {
  std::vector<Held> files;  ///< load order: the bulk file, then deltas by date; empty when no bulk file is held
  bool complete = false;    ///< every day since the bulk file is accounted for, and all files listed since are held
  std::optional<base::Date> through{};        ///< the date of the last file in `files`
  std::vector<Missing> missing{};             ///< listed, not held as listed; in load order
  std::vector<base::Date> absent_upstream{};  ///< days of this chain and this listing without a delta, ascending
  /// Days since its bulk file that no listing covered; ascending. The chain ends there.
  std::vector<base::Date> unaccounted{};
  std::optional<Continues> continues{};  ///< empty when no chain was held before this one
  friend bool operator==(const Chain&, const Chain&) = default;
};

/// A file that is not held for a reason that the calendar does not know: it was quarantined, is damaged on disk, or
/// does not fit.
struct Obstacle {
  std::string name;
  MissingReason reason{};
  Cause cause{};  ///< as in `Missing`
};

/// The chain over what is held. The order of `held` and `obstacles` does not matter.
/// - It begins with the newest bulk file that is held. While a newer one is listed and not held yet, the deltas since
///   the older one carry the chain on, so that a 40 GB download never takes away what can be loaded today.
/// - All deltas that were ever listed from the bulk file's date on follow, by date, up to the first day that is neither
///   held nor absent. A delta that is dated before its bulk file is in no chain of that file.
/// - An edition that upstream has replaced stays in the chain until the new one is held, and its name is in `missing`.
/// - If a newer bulk file came and was lost, the chain from the older one ends before the first delta that was not held
///   as it was listed last, since the next join says nothing about that delta.
/// - `missing` has the listed files that are not held as listed, and the files of this chain that left the listing
///   before they, or their newest editions, came.
/// - `continues` looks back to the newest bulk file before this chain's that was ever held. It is contiguous when each
///   day from that file's date on, up to the first delta of this chain, was held in the edition that was listed last,
///   or was absent. It does not ask what is still on disk: pruning changes nothing.
Chain chain_of(const Calendar& calendar, std::span<const Held> held, std::span<const Obstacle> obstacles = {});

/// What the texts of a generation say, but for their stamps, and for the held files that are in no chain: a generation
/// begins when any of those come or go. Two generations differ in it. It has causes by code and fields, and none
/// of the sentences that are made of them: another wording is no other content.
std::string content_of(const Chain& chain, const std::vector<Held>& lost);
/// Whether a catalogue that has `stored` has `content`: it is the same, or was stored by an older version, which had
/// words among the causes or in their place, and is the same but for those. A refusal whose check that version did not
/// know may be of any check.
bool is_same_content(std::string_view stored, std::string_view content);

}  // namespace vtmirror::core
