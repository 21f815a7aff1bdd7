// Everything that the service has listed so far, file by file and day by day: what a chain, its gaps and its joins are
// computed from. It outlives the listing, which forgets a week at the roll-over, and the files, which are pruned.
// Promises that a day counts as absent only if a listing that covered it had no entry for it, readable or not.
// Pure values. Never holds a link.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/listing.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// A file that the mirror holds: public, whole, verified.
struct Held {
  Kind kind{};
  std::string name;
  base::Date date{};
  std::int64_t size = 0;
  std::string sha256;      ///< empty when `mirror.digest` is "none"
  std::int64_t since = 0;  ///< the generation in which these bytes became public
  friend bool operator==(const Held&, const Held&) = default;
};

/// How the newest edition of a listed file stands here. It is settled when the file leaves the listing; a download that
/// ends after that still makes it held.
enum class Standing {
  held,      ///< it was held as it was listed last
  gap,       ///< it was never held in any edition; or nobody knows (`is_uncertain`)
  refused,   ///< its newest entry failed a check of the listing
  replaced,  ///< an older edition was held, this one was not
  lost,      ///< it was held, and was lost from disk or damaged there before it left the listing
};
std::string_view name(Standing standing) noexcept;
std::optional<Standing> standing_named(std::string_view word) noexcept;

/// A file that the service has listed at least once, or that was held before listings were kept.
struct ListedFile {
  Kind kind{};
  std::string name;
  base::Date date{};
  std::int64_t size = 0;  ///< of the newest edition whose entry could be read; 0 if none could
  bool listed = false;    ///< in the newest listing, readable or not
  std::string refused{};  ///< why the newest entry was refused, for people; empty where it was accepted
  bool changed = false;   ///< the store has other bytes than those held, under the same name, size and date
  Standing standing = Standing::gap;
  std::int64_t since = 0;  ///< generation of the newest edition that was ever held; 0: none was
  std::string sha256{};    ///< of that edition; empty where no digest was made
  FailedCheck failed{};    ///< the same as `refused`, as a value
  friend bool operator==(const ListedFile&, const ListedFile&) = default;
};

/// Whether the file's day was still to come when the newest listing came, or the last one that had it
/// (`was_a_mistake`). It is listed by mistake, or was: it is in no chain, and no chain lacks it.
bool is_to_come(const ListedFile& file) noexcept;
/// Whether it was listed only before its day, and never since. Nothing else is known of it, so that it says nothing of
/// its day when that comes: no chain waits for it.
bool was_a_mistake(const ListedFile& file) noexcept;

struct Calendar {
  std::vector<ListedFile> files;     ///< by kind, date and name
  std::vector<base::Date> absent{};  ///< days for which a listing that covered them had no delta; ascending
  /// Entries of the newest listing that were refused and name no day: any day without an entry may be theirs.
  std::vector<RefusedEntry> undated{};
  friend bool operator==(const Calendar&, const Calendar&) = default;
};

/// Whether a listing is plausible: it names a bulk file, readable or not, whose day has come. A listing that is empty
/// or has only deltas comes from a service in trouble, and says nothing about any day.
bool is_usable(const Listing& listing) noexcept;

/// The calendar after one more usable listing. `held`: what is public and whole now; `lost`: what the catalogue has and
/// the disk has not, or not whole.
/// - The days that a listing covers run from its first delta to its last. They begin with the date of the newest bulk
///   file that is not after the last delta, in this listing or in one before, if that is later: a delta before it is
///   a late one, whose neighbours have rolled on. They begin with that date too if it is earlier, less than a week
///   earlier, and no delta between the two was ever listed: otherwise those deltas have been there and have rolled on.
/// - A day that is more than 31 days from its neighbour is a mistake in a date: the days between are not covered, and a
///   refused entry of such a day names none.
/// - A covered day without an entry is absent until a delta of that day is listed. While an entry that names no day is
///   refused, no day becomes absent.
/// - A file that is not in this listing keeps the standing that it had.
/// - A file of a day after `Listing::newest` is one of a day to come, listed or not, until a listing comes on that day.
Calendar observe(Calendar calendar, const Listing& listing, std::span<const Held> held, std::span<const Held> lost);

/// The calendar with what is held and lost now, and no other listing: publications make files held that left the
/// listing meanwhile, and a held file that no listing named is known from here on.
Calendar with_stock(Calendar calendar, std::span<const Held> held, std::span<const Held> lost);

/// Those whose day is not still to come.
std::vector<Held> that_have_come(const Calendar& calendar, std::span<const Held> files);

/// Days of which it is certain that each file held was the newest one listed.
struct CertainDays {
  base::Date first{};
  base::Date end{};  ///< the day after the last one; `first` if there is none
};

/// The calendar of a catalogue that is made anew from the files on disk. Of those outside of `certain` nobody knows
/// whether they are what was listed last: they stay in their chains, but no chain joins on over them, unless they are
/// listed again. `absent`: ascending. `older`: the names of the files of which a newer edition is known to exist.
Calendar rebuilt(std::vector<base::Date> absent, std::span<const Held> held, const CertainDays& certain,
                 std::span<const std::string> older = {});

/// Whether the file was held when the catalogue was rebuilt, and nothing has shown since whether that was the newest
/// edition.
bool is_uncertain(const ListedFile& file) noexcept;

/// Whether `held` has the newest edition of `file`, as far as can be known.
bool is_newest(const ListedFile& file, const Held& held) noexcept;

/// Whether `copy`, what is held under that name or null, stands for `file` in a chain. What is held of an entry that
/// cannot be read may well be what is listed: it is loaded, and a problem says so.
bool is_here(const ListedFile& file, const Held* copy) noexcept;

}  // namespace vtmirror::core
