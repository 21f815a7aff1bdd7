#include "vtmirror/core/calendar.hpp"

#include "core/by_name.hpp"
#include "core/deltas.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <tuple>
#include <utility>

namespace vtmirror::core {
namespace {

using base::Date;

/// A bulk file comes every week: deltas that begin later than that after it belong to another one.
constexpr std::int64_t days_of_a_cycle = 7;

/// A listing has a week, and a few days more when something went wrong. A day that is further from its neighbour is a
/// mistake in a date, and says nothing about the days between.
constexpr std::int64_t longest_gap = 31;

struct Word {
  Standing standing;
  std::string_view word;
};
constexpr std::array words{
    Word{Standing::held, "held"},         Word{Standing::gap, "gap"},   Word{Standing::refused, "refused"},
    Word{Standing::replaced, "replaced"}, Word{Standing::lost, "lost"},
};

Standing standing_of(const ListedFile& file, const Held* held, const Held* lost) {
  if (!file.refused.empty()) return Standing::refused;
  if (held != nullptr && is_newest(file, *held)) return Standing::held;
  if (held != nullptr) return Standing::replaced;
  if (lost != nullptr && is_newest(file, *lost)) return Standing::lost;
  return file.since > 0 ? Standing::replaced : Standing::gap;
}

ListedFile& seen(Calendar& calendar, Kind kind, const std::string& name, Date date) {
  const auto found = std::ranges::find(calendar.files, name, &ListedFile::name);
  if (found != calendar.files.end()) return *found;
  return calendar.files.emplace_back(ListedFile{.kind = kind, .name = name, .date = date});
}

void add(Calendar& calendar, const Entry& entry) {
  ListedFile& file = seen(calendar, entry.kind, entry.name, entry.date);
  // Another edition. Whether the store has other bytes of the one before no longer matters.
  if (file.size != entry.size || file.date != entry.date) file.changed = false;
  file.kind = entry.kind;
  file.date = entry.date;
  file.size = entry.size;
  file.listed = true;
  file.refused.clear();
  file.failed = {};
}

/// Whether an accepted entry of the same kind is near that day, or none was accepted.
bool is_plausible(const Calendar& calendar, Kind kind, Date day) {
  bool any = false;
  for (const ListedFile& file : calendar.files) {
    if (!file.listed || !file.refused.empty() || file.kind != kind) continue;
    any = true;
    if (std::abs(base::days_between(file.date, day)) <= longest_gap) return true;
  }
  return !any;
}

void add_refused(Calendar& calendar, const RefusedEntry& entry) {
  const auto known = std::ranges::find(calendar.files, entry.name, &ListedFile::name);
  const bool other_day = known != calendar.files.end() && known->date != entry.date;
  const bool to_come = entry.failed.check == EntryCheck::to_come;
  if (to_come && other_day) return;  // the file is known, and this entry says nothing about it
  if (!to_come && (!entry.date || other_day || !is_plausible(calendar, entry.kind, *entry.date))) {
    calendar.undated.push_back(entry);
    return;
  }
  ListedFile& file = seen(calendar, entry.kind, entry.name, *entry.date);
  // The second of two entries of one name: the first was accepted.
  if (file.listed && file.refused.empty()) return;
  file.listed = true;
  file.refused = entry.why;
  file.failed = entry.failed;
}

/// Whether only the lost catalogue knew more of it: it was not listed since.
bool is_forgotten(const ListedFile& file) { return !file.listed && is_uncertain(file); }

/// Whether it left the listing before any entry of it could be read, and was never held.
bool left_unread(const ListedFile& file) { return !file.listed && file.size == 0 && file.since == 0; }

/// Files of days to come get that refusal, and others lose it. Only such a file could make a later day absent. An entry
/// that was never readable stays what it was when it left the listing: a clock that was wrong for one listing makes no
/// mistake of it, and no day of one.
void sort_out(Calendar& calendar, Date newest) {
  std::erase_if(calendar.absent, [newest](Date day) { return day > newest; });
  for (ListedFile& file : calendar.files) {
    const bool to_come = file.date > newest;
    if (to_come == is_to_come(file) || left_unread(file)) continue;
    file.refused = to_come ? still_to_come(file.date) : std::string();
    file.failed = to_come ? FailedCheck{EntryCheck::to_come, "fileCreatedOn"} : FailedCheck();
  }
}

bool is_delta(const ListedFile& file) { return file.kind == Kind::delta && !is_to_come(file); }

void add_days(Calendar& calendar) {
  std::optional<Date> first, last, bulk;
  for (const ListedFile& file : calendar.files) {
    if (!file.listed || !is_delta(file)) continue;
    first = first ? std::min(*first, file.date) : file.date;
    last = last ? std::max(*last, file.date) : file.date;
  }
  if (!first) return;
  for (const ListedFile& file : calendar.files) {
    const bool known = file.listed || file.size > 0;
    if (known && file.kind == Kind::bulk && file.date <= *last && (!bulk || *bulk < file.date)) bulk = file.date;
  }
  // Both hold of a bulk file after the first delta, too.
  const bool same_cycle = bulk && base::days_between(*bulk, *first) < days_of_a_cycle;
  if (same_cycle && deltas(calendar, *bulk, *first).empty()) first = bulk;
  std::set<Date> absent(calendar.absent.begin(), calendar.absent.end());
  for (const ListedFile& file : calendar.files)
    if (is_delta(file)) absent.erase(file.date);
  Date day = *first;
  for (const ListedFile* next : deltas(calendar, *first, base::next_day(*last))) {
    const bool same_listing = base::days_between(day, next->date) <= longest_gap;
    for (; calendar.undated.empty() && same_listing && day < next->date; day = base::next_day(day)) absent.insert(day);
    day = base::next_day(next->date);
  }
  calendar.absent.assign(absent.begin(), absent.end());
}

void sort(std::vector<ListedFile>& files) {
  std::ranges::sort(files, {}, [](const ListedFile& file) { return std::tie(file.kind, file.date, file.name); });
}

/// Files that came in another way than by a listing, or before listings were kept.
void add_unknown(Calendar& calendar, std::span<const Held> held, std::span<const Held> lost) {
  std::set<std::string_view> known;
  for (const ListedFile& file : calendar.files) known.insert(file.name);
  std::vector<ListedFile> more;
  for (const auto& [files, standing] : {std::pair(held, Standing::held), std::pair(lost, Standing::lost)}) {
    for (const Held& file : files) {
      if (!known.insert(file.name).second) continue;
      more.push_back({.kind = file.kind,
                      .name = file.name,
                      .date = file.date,
                      .size = file.size,
                      .standing = standing,
                      .since = file.since});
      if (file.kind == Kind::delta) std::erase(calendar.absent, file.date);
    }
  }
  if (more.empty()) return;
  calendar.files.insert(calendar.files.end(), more.begin(), more.end());
  sort(calendar.files);
}

}  // namespace

std::string_view name(Standing standing) noexcept { return std::ranges::find(words, standing, &Word::standing)->word; }

std::optional<Standing> standing_named(std::string_view word) noexcept {
  const auto* const found = std::ranges::find(words, word, &Word::word);
  return found == words.end() ? std::nullopt : std::optional(found->standing);
}

bool is_usable(const Listing& listing) noexcept {
  return std::ranges::any_of(listing.entries, [](const Entry& entry) { return entry.kind == Kind::bulk; }) ||
         std::ranges::any_of(listing.refused, [](const RefusedEntry& entry) {
           return entry.kind == Kind::bulk && entry.failed.check != EntryCheck::to_come;
         });
}

bool is_to_come(const ListedFile& file) noexcept { return file.failed.check == EntryCheck::to_come; }

bool was_a_mistake(const ListedFile& file) noexcept { return is_to_come(file) && left_unread(file); }

std::vector<Held> that_have_come(const Calendar& calendar, std::span<const Held> files) {
  const ByName<ListedFile> known(calendar.files);
  std::vector<Held> come(files.begin(), files.end());
  std::erase_if(come, [&known](const Held& file) {
    const ListedFile* const listed = known.find(file.name);
    return listed != nullptr && is_to_come(*listed);
  });
  return come;
}

bool is_newest(const ListedFile& file, const Held& held) noexcept {
  return file.size == held.size && file.date == held.date && !file.changed;
}

bool is_here(const ListedFile& file, const Held* copy) noexcept {
  return copy != nullptr && (is_newest(file, *copy) || !file.refused.empty());
}

Calendar with_stock(Calendar calendar, std::span<const Held> held, std::span<const Held> lost) {
  add_unknown(calendar, held, lost);
  const ByName whole(held), gone(lost);
  for (ListedFile& file : calendar.files) {
    const Held* const copy = whole.find(file.name);
    const bool is_known = !is_forgotten(file);
    // It came in another way than by a listing, for example by `vtmirror adopt`, which takes no file of a day to come.
    if (copy != nullptr && was_a_mistake(file)) {
      file.size = copy->size;
      file.refused.clear();
      file.failed = {};
    }
    if (copy != nullptr) {
      file.since = copy->since;
      file.sha256 = copy->sha256;
    }
    const Standing now = standing_of(file, copy, gone.find(file.name));
    if (file.listed || (now == Standing::held && is_known)) file.standing = now;
  }
  return calendar;
}

Calendar rebuilt(std::vector<base::Date> absent, std::span<const Held> held, const CertainDays& certain,
                 std::span<const std::string> older) {
  Calendar calendar = with_stock({.files = {}, .absent = std::move(absent)}, held, {});
  for (ListedFile& file : calendar.files) {
    file.changed = std::ranges::find(older, file.name) != older.end();
    if (file.changed)
      file.standing = Standing::replaced;
    else if (file.date < certain.first || certain.end <= file.date)
      file.standing = Standing::gap;
  }
  return calendar;
}

bool is_uncertain(const ListedFile& file) noexcept { return file.standing == Standing::gap && file.since > 0; }

Calendar observe(Calendar calendar, const Listing& listing, std::span<const Held> held, std::span<const Held> lost) {
  // What leaves the listing now is settled by what is held at this moment.
  calendar = with_stock(std::move(calendar), held, lost);
  for (ListedFile& file : calendar.files) file.listed = false;
  calendar.undated.clear();
  for (const Entry& entry : listing.entries) add(calendar, entry);
  for (const RefusedEntry& entry : listing.refused) add_refused(calendar, entry);
  if (listing.newest) sort_out(calendar, *listing.newest);
  add_days(calendar);
  std::ranges::sort(calendar.absent);
  sort(calendar.files);
  return with_stock(std::move(calendar), held, lost);
}

}  // namespace vtmirror::core
