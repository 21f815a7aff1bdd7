#include "vtmirror/core/days.hpp"

#include "core/by_name.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

namespace vtmirror::core {
namespace {

using base::Date;

/// A file that is dated later than that after today is a mistake in a date.
constexpr int furthest = 7;

Date days_after(Date day, int count) { return std::chrono::sys_days(day) + std::chrono::days(count); }

DayState state_of(MissingReason reason) {
  switch (reason) {
    case MissingReason::not_downloaded:
    case MissingReason::does_not_fit:
      return DayState::missing;
    case MissingReason::refused:
      return DayState::refused;
    case MissingReason::quarantined:
    case MissingReason::damaged:
      return DayState::damaged;
    case MissingReason::lost:
      break;
  }
  return DayState::lost;
}

/// Of a file that is neither held nor asked for by the chain.
DayState state_of(Standing standing) {
  switch (standing) {
    case Standing::held:
      return DayState::removed;
    case Standing::refused:
      return DayState::refused;
    case Standing::lost:
      return DayState::lost;
    case Standing::gap:
    case Standing::replaced:
      break;
  }
  return DayState::missing;
}

class Days {
 public:
  Days(const Calendar& calendar, const Chain& chain, std::span<const FileRecord> files, const DayFacts& facts)
      : calendar_(calendar), facts_(facts), published_(files), missing_(chain.missing) {
    for (const Held& file : chain.files) load_.emplace(file.name, static_cast<int>(load_.size()) + 1);
    for (const ListedFile& file : calendar.files)
      if (file.size > 0) readable_.emplace(file.kind, file.date);
    for (const ListedFile& file : calendar.files)
      if (!is_made_up_for(file) && !was_a_mistake(file)) by_day_[file.date].push_back(&file);
    for (const auto& [date, entries] : by_day_) {
      if (date > furthest_day()) break;
      for (const ListedFile* file : entries)
        if (!is_to_come(*file)) (file->kind == Kind::delta ? newest_delta_ : newest_bulk_) = date;
    }
    if (!calendar.absent.empty())
      newest_delta_ = std::max(newest_delta_.value_or(calendar.absent.back()), calendar.absent.back());
  }

  std::optional<Date> first() const {
    std::optional<Date> found = facts_.awaited;
    const auto consider = [&found](Date day) { found = found ? std::min(*found, day) : day; };
    if (!by_day_.empty()) consider(by_day_.begin()->first);
    if (!calendar_.absent.empty()) consider(calendar_.absent.front());
    return found;
  }
  Date last() const {
    const Date newest = by_day_.empty() ? facts_.today : std::max(facts_.today, by_day_.rbegin()->first);
    return std::min(newest, furthest_day());
  }

  Day day(Date date) const {
    Day day{date, DayState::held, {}};
    const auto found = by_day_.find(date);
    if (found != by_day_.end())
      for (const ListedFile* file : found->second) day.files.push_back(file_of(*file));
    std::ranges::stable_sort(day.files, {}, &DayFile::kind);
    const bool has_delta = std::ranges::find(day.files, Kind::delta, &DayFile::kind) != day.files.end();
    // Of the days before the first one with an entry nothing can be said; the caller leaves them out.
    day.state = has_delta ? DayState::removed : state_without_delta(date);
    for (const DayFile& file : day.files) day.state = std::min(day.state, file.state);
    return day;
  }

 private:
  Date furthest_day() const { return days_after(facts_.today, furthest); }

  /// An entry that could not be read, beside one of the same day that could.
  bool is_made_up_for(const ListedFile& file) const {
    return file.size == 0 && readable_.contains({file.kind, file.date});
  }

  DayState state_without_delta(Date date) const {
    if (std::ranges::find(facts_.late, date) != facts_.late.end()) return DayState::late;
    if (std::ranges::binary_search(calendar_.absent, date)) return DayState::absent;
    const bool has_later_file = (newest_delta_ && date <= *newest_delta_) || (newest_bulk_ && date < *newest_bulk_);
    if (has_later_file) return DayState::unknown;
    if (is_late(date)) return DayState::late;
    return facts_.awaited && date < *facts_.awaited ? DayState::unknown : DayState::expected;
  }

  /// The problem speaks of the first late day. Of the awaited one it speaks first, because its tries may have begun
  /// late.
  bool is_late(Date date) const {
    if (!facts_.settled || date > *facts_.settled) return false;
    return (facts_.awaited && date < *facts_.awaited) || !facts_.late.empty();
  }

  DayFile file_of(const ListedFile& file) const {
    DayFile row{file.kind, file.name, file.size, DayState::held};
    const auto place = load_.find(file.name);
    if (place != load_.end()) row.load = place->second;
    const FileRecord* const copy = published_.find(file.name);
    if (copy != nullptr && row.size == 0) row.size = copy->size;
    if (const Missing* const missing = missing_.find(file.name)) {
      row.state = state_of(missing->reason);
      row.reason = missing->reason;
    } else if (copy == nullptr) {
      row.state = is_uncertain(file) ? DayState::removed : state_of(file.standing);
    } else if (copy->condition != Condition::whole) {
      row.state = copy->condition == Condition::damaged ? DayState::damaged : DayState::lost;
    }
    const bool comes = std::ranges::find(facts_.downloading, file.name) != facts_.downloading.end();
    if (comes && row.state != DayState::held) row.state = DayState::downloading;
    return row;
  }

  const Calendar& calendar_;
  const DayFacts& facts_;
  ByName<FileRecord> published_;
  ByName<Missing> missing_;
  std::map<std::string, int, std::less<>> load_;
  std::set<std::pair<Kind, Date>> readable_;
  std::map<Date, std::vector<const ListedFile*>> by_day_;
  std::optional<Date> newest_delta_;  ///< or the newest day without one
  std::optional<Date> newest_bulk_;
};

}  // namespace

std::vector<Day> days_of(const Calendar& calendar, const Chain& chain, std::span<const FileRecord> files,
                         const DayFacts& facts, int most) {
  const Days all(calendar, chain, files, facts);
  const auto first = all.first();
  if (!first || most <= 0) return {};
  const Date last = all.last();
  std::vector<Day> days;
  for (Date day = std::max(*first, days_after(last, 1 - most)); day <= last; day = base::next_day(day))
    days.push_back(all.day(day));
  return days;
}

std::vector<DayCount> count_of(std::span<const Day> days) {
  std::vector<DayCount> counts;
  for (const DayStateKind& kind : day_state_kinds) {
    const auto count = std::ranges::count(days, kind.state, &Day::state);
    if (count > 0) counts.push_back({kind.state, static_cast<int>(count)});
  }
  return counts;
}

}  // namespace vtmirror::core
