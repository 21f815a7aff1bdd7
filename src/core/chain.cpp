#include "vtmirror/core/chain.hpp"

#include "core/by_name.hpp"
#include "core/deltas.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <tuple>

namespace vtmirror::core {
namespace {

using base::Date;

bool is_absent(const Calendar& calendar, Date day) { return std::ranges::binary_search(calendar.absent, day); }

const ListedFile* newest_bulk(const Calendar& calendar, const auto& counts) {
  const ListedFile* newest = nullptr;
  for (const ListedFile& file : calendar.files) {
    if (file.kind != Kind::bulk || is_to_come(file) || !counts(file)) continue;
    if (newest == nullptr || std::tie(newest->date, newest->name) < std::tie(file.date, file.name)) newest = &file;
  }
  return newest;
}

/// Days from the bulk file's on, before the last delta, that no listing covered.
std::vector<Date> unaccounted(const Calendar& calendar, Date first) {
  std::vector<Date> days;
  Date day = first;
  for (const ListedFile* delta : deltas(calendar, first)) {
    for (; day < delta->date; day = base::next_day(day))
      if (!is_absent(calendar, day)) days.push_back(day);
    day = std::max(day, base::next_day(delta->date));
  }
  return days;
}

bool has_come(const ListedFile& file) { return file.since > 0; }

/// The bulk file with which a chain begins, and where the chain ends although its next file is on disk. After a newer
/// bulk file has come and was lost again, the next join looks back to that one, and says nothing about the days before
/// it. A consumer that loads this chain meanwhile takes that join too. So the chain ends where a join from its own bulk
/// file would break.
class Start {
 public:
  Start(const Calendar& calendar, const ListedFile& bulk, const Held& copy) : bulk_(bulk), copy_(copy) {
    const ListedFile* const last = newest_bulk(calendar, has_come);
    newer_is_lost_ = last != nullptr && last->date > copy.date;
  }
  const ListedFile& bulk() const { return bulk_; }
  const Held& copy() const { return copy_; }
  bool breaks_at(const ListedFile& file) const {
    const bool of_it = &file == &bulk_ || (file.kind == Kind::delta && file.date >= copy_.date);
    return newer_is_lost_ && of_it && file.standing != Standing::held;
  }

 private:
  const ListedFile& bulk_;
  const Held& copy_;
  bool newer_is_lost_ = false;
};

std::vector<Held> loadable(const Calendar& calendar, const Start& start, const ByName<Held>& held) {
  std::vector<Held> files{start.copy()};
  if (start.breaks_at(start.bulk())) return files;
  Date day = start.copy().date;  // the first day that the next delta may not leave out
  for (const ListedFile* delta : deltas(calendar, day)) {
    for (; day < delta->date; day = base::next_day(day))
      if (!is_absent(calendar, day)) return files;
    const Held* const copy = held.find(delta->name);
    if (copy == nullptr || start.breaks_at(*delta)) return files;
    files.push_back(*copy);
    day = std::max(day, base::next_day(delta->date));
  }
  return files;
}

/// Of a file that is not on disk. One that has left the listing stands as it did then: `held`.
MissingReason reason_of(const ListedFile& file) {
  if (!file.refused.empty()) return MissingReason::refused;
  const bool was_held = file.standing == Standing::lost || file.standing == Standing::held;
  return was_held ? MissingReason::lost : MissingReason::not_downloaded;
}

/// Of a file that is held. It is only asked where a join would break at it.
constexpr std::string_view not_known =
    "since the catalogue was rebuilt, nobody knows whether what is on disk is its newest edition";

/// Whether an entry that was never readable has left the listing, and another one had that day's file.
bool is_made_up_for(const Calendar& calendar, const ListedFile& refused) {
  return refused.size == 0 && std::ranges::any_of(calendar.files, [&refused](const ListedFile& file) {
           return file.kind == refused.kind && file.date == refused.date && file.size > 0;
         });
}

/// `first`: the day on which the deltas begin that the chain asks for.
std::vector<Missing> missing_of(const Calendar& calendar, std::optional<Date> first, const std::optional<Start>& start,
                                const ByName<Held>& held, std::span<const Obstacle> obstacles) {
  std::vector<Missing> missing;
  for (const ListedFile& file : calendar.files) {
    if (is_to_come(file)) continue;
    const bool is_start = start && &file == &start->bulk();
    const bool of_this_chain = is_start || (first && file.kind == Kind::delta && file.date >= *first);
    const bool is_on_disk = is_here(file, held.find(file.name));
    if (is_on_disk && !(start && start->breaks_at(file))) continue;
    if (!file.listed && !of_this_chain) continue;
    if (!file.listed && is_made_up_for(calendar, file)) continue;
    Missing row{file.kind, file.name, file.date, reason_of(file), refusal(file.failed, file.refused)};
    if (is_on_disk && is_uncertain(file)) row.cause.detail = not_known;
    const auto obstacle = std::ranges::find(obstacles, file.name, &Obstacle::name);
    if (obstacle != obstacles.end() && file.refused.empty()) {
      row.reason = obstacle->reason;
      row.cause = obstacle->cause;
    }
    missing.push_back(std::move(row));
  }
  for (const RefusedEntry& entry : calendar.undated)
    missing.push_back({entry.kind, entry.name, std::nullopt, MissingReason::refused, refusal(entry.failed, entry.why)});
  return missing;
}

/// What follows one chain's bulk file, day by day, until the next chain begins.
class Join {
 public:
  Join(const Calendar& calendar, const ListedFile& bulk, Date next_chain) : calendar_(calendar) {
    link(bulk);
    Date day = bulk.date;
    for (const ListedFile* delta : deltas(calendar, bulk.date, next_chain)) {
      pass_to(day, delta->date);
      link(*delta);
      day = std::max(day, base::next_day(delta->date));
    }
    pass_to(day, next_chain);
    if (result_.contiguous && !result_.assumes_absent.empty()) result_.reason = name_absent;
  }

  Continues result() && { return std::move(result_); }

 private:
  static constexpr std::string_view name_absent = "absent";

  static Continues whole() {
    Continues join;
    join.contiguous = true;
    join.reason = name(Standing::held);
    return join;
  }

  void break_off(Standing why) {
    if (!result_.contiguous) return;
    result_.contiguous = false;
    result_.reason = name(why);
    result_.assumes_absent.clear();
  }

  void link(const ListedFile& file) {
    if (file.standing != Standing::held) break_off(file.standing);
    // The chain before ended where it broke; its bulk file is named in any case.
    if (!result_.contiguous && !result_.after.empty()) return;
    result_.after = file.name;
    result_.sha256 = file.sha256;
    result_.generation = std::max(result_.generation, file.since);
  }

  void pass_to(Date from, Date to) {
    for (Date day = from; day < to && result_.contiguous; day = base::next_day(day)) {
      if (is_absent(calendar_, day))
        result_.assumes_absent.push_back(day);
      else
        break_off(Standing::gap);
    }
  }

  const Calendar& calendar_;
  Continues result_ = whole();
};

std::optional<Continues> continues_of(const Calendar& calendar, const Held& bulk) {
  const auto came_before = [&bulk](const ListedFile& file) { return has_come(file) && file.date < bulk.date; };
  const ListedFile* const before = newest_bulk(calendar, came_before);
  if (before == nullptr) return std::nullopt;
  const auto own = deltas(calendar, bulk.date);
  return Join(calendar, *before, own.empty() ? bulk.date : own.front()->date).result();
}

}  // namespace

std::vector<const ListedFile*> deltas(const Calendar& calendar, Date from, std::optional<Date> to) {
  std::vector<const ListedFile*> found;
  std::set<Date> readable;
  for (const ListedFile& file : calendar.files) {
    if (file.kind != Kind::delta || is_to_come(file) || file.date < from || (to && file.date >= *to)) continue;
    found.push_back(&file);
    if (file.size > 0) readable.insert(file.date);
  }
  std::erase_if(found, [&](const ListedFile* file) { return file->size == 0 && readable.contains(file->date); });
  std::ranges::sort(found, {}, [](const ListedFile* file) { return std::tie(file->date, file->name); });
  return found;
}

Cause lasting_cause(const Missing& file) {
  const bool lasts = file.reason == MissingReason::refused || file.reason == MissingReason::quarantined;
  return lasts ? file.cause : Cause();
}

std::string_view name(MissingReason reason) noexcept {
  switch (reason) {
    case MissingReason::not_downloaded:
      return "not_downloaded";
    case MissingReason::refused:
      return "refused";
    case MissingReason::quarantined:
      return "quarantined";
    case MissingReason::damaged:
      return "damaged";
    case MissingReason::lost:
      return "lost";
    case MissingReason::does_not_fit:
      return "does_not_fit";
  }
  return "not_downloaded";
}

namespace {

/// A file from before the chain is not part of what a consumer loads; its failure is a problem of the cycle.
bool is_older(const Missing& file, const std::vector<Held>& chain) {
  return !chain.empty() && file.date && *file.date < chain.front().date;
}

}  // namespace

std::optional<MissingReason> missing_reason_named(std::string_view word) noexcept {
  constexpr std::array reasons{MissingReason::not_downloaded, MissingReason::refused, MissingReason::quarantined,
                               MissingReason::damaged,        MissingReason::lost,    MissingReason::does_not_fit};
  const auto* const found = std::ranges::find(reasons, word, [](MissingReason reason) { return name(reason); });
  return found == reasons.end() ? std::nullopt : std::optional(*found);
}

Chain chain_of(const Calendar& calendar, std::span<const Held> held, std::span<const Obstacle> obstacles) {
  const ByName names(held);
  const auto any = [](const ListedFile&) { return true; };
  const auto is_held = [&names](const ListedFile& file) { return names.contains(file.name); };
  const auto is_listed = [](const ListedFile& file) { return file.listed; };

  Chain chain;
  const ListedFile* const newest = newest_bulk(calendar, any);
  std::optional<Date> first = newest == nullptr ? std::nullopt : std::optional(newest->date);
  std::optional<Start> start;
  if (const ListedFile* const bulk = newest_bulk(calendar, is_held)) {
    const Held& copy = *names.find(bulk->name);
    start.emplace(calendar, *bulk, copy);
    chain.files = loadable(calendar, *start, names);
    chain.through = chain.files.back().date;
    chain.continues = continues_of(calendar, copy);
    first = std::min(*first, copy.date);
    chain.unaccounted = unaccounted(calendar, copy.date);
  }
  chain.missing = missing_of(calendar, first, start, names, obstacles);
  const auto older = [&chain](const Missing& file) { return is_older(file, chain.files); };
  chain.complete = std::ranges::all_of(chain.missing, older) && chain.unaccounted.empty() &&
                   newest_bulk(calendar, is_listed) != nullptr;
  for (const Date day : calendar.absent)
    if (first && day >= *first) chain.absent_upstream.push_back(day);
  return chain;
}

}  // namespace vtmirror::core
