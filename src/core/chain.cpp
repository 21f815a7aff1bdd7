#include "vtmirror/core/chain.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace vtmirror::core {
namespace {

using base::Date;
using Days = std::vector<Date>;  // ascending, without duplicates
using ByName = std::map<std::string_view, const Held*>;

/// The newest cycle of one listing; the deltas are in load order.
struct ListedCycle {
  std::optional<Listed> bulk;
  std::vector<Listed> deltas;
};

/// A delta that a chain needs next; `file` is null if the delta is listed but not held.
struct Step {
  Date date{};
  const Held* file = nullptr;
};

constexpr auto load_order = [](const auto& file) { return std::tie(file.kind, file.date, file.name); };

std::vector<Listed> in_load_order(std::span<const Listed> listing) {
  std::vector<Listed> files(listing.begin(), listing.end());
  std::ranges::sort(files, {}, [](const Listed& file) { return std::tie(file.kind, file.date, file.name, file.size); });
  const auto twice = [](const Listed& a, const Listed& b) { return a.name == b.name; };
  files.erase(std::unique(files.begin(), files.end(), twice), files.end());
  return files;
}

ListedCycle newest_cycle(std::span<const Listed> ordered) {
  ListedCycle cycle;
  bool older_bulk = false;
  for (const Listed& file : ordered) {
    if (file.kind == Kind::delta) {
      // Where an older bulk file is listed too, earlier deltas belong to that one. Otherwise all deltas belong to this
      // one: bulk files dated on a Monday have been seen with deltas that start on the Sunday.
      if (!older_bulk || file.date >= cycle.bulk->date) cycle.deltas.push_back(file);
      continue;
    }
    older_bulk = cycle.bulk.has_value();
    cycle.bulk = file;
  }
  return cycle;
}

Days absent_days_of(const ListedCycle& cycle) {
  Days days;
  if (cycle.deltas.empty()) return days;
  Date day = cycle.deltas.front().date;
  if (cycle.bulk) day = std::min(day, cycle.bulk->date);
  for (const Listed& delta : cycle.deltas) {
    for (; day < delta.date; day = base::next_day(day)) days.push_back(day);
    if (day == delta.date) day = base::next_day(day);
  }
  return days;
}

Days merged(Days days, std::span<const Date> more) {
  days.insert(days.end(), more.begin(), more.end());
  std::ranges::sort(days);
  days.erase(std::unique(days.begin(), days.end()), days.end());
  return days;
}

/// Whether all days in [from, to) are among `absent`.
bool all_absent(Date from, Date to, const Days& absent) {
  for (; from < to; from = base::next_day(from)) {
    if (!std::ranges::binary_search(absent, from)) return false;
  }
  return true;
}

ByName by_name(std::span<const Held> held) {
  ByName names;
  for (const Held& file : held) names.emplace(file.name, &file);
  return names;
}

/// The held version of a listed file, which upstream may have replaced since; null if no version with that date is
/// held.
const Held* version_of(const Listed& listed, const ByName& held) {
  const auto found = held.find(listed.name);
  if (found == held.end() || found->second->date != listed.date) return nullptr;
  return found->second;
}

std::vector<std::string> missing_of(std::span<const Listed> ordered, const ByName& held) {
  std::vector<std::string> names;
  for (const Listed& file : ordered) {
    const Held* version = version_of(file, held);
    if (version == nullptr || version->size != file.size) names.push_back(file.name);
  }
  return names;
}

/// The listed bulk file, or else the newest one that is held. The held one can be newer than the listed one only if
/// upstream returned to an older listing; it stays loadable then.
const Held* bulk_to_load(const ListedCycle& cycle, std::span<const Held> held, const ByName& names) {
  if (cycle.bulk) {
    if (const Held* listed = version_of(*cycle.bulk, names)) return listed;
  }
  const Held* newest = nullptr;
  for (const Held& file : held) {
    if (file.kind == Kind::bulk && (newest == nullptr || load_order(*newest) < load_order(file))) newest = &file;
  }
  return newest;
}

std::vector<Step> listed_steps(const ListedCycle& cycle, const ByName& names) {
  std::vector<Step> steps;
  for (const Listed& delta : cycle.deltas) steps.push_back({delta.date, version_of(delta, names)});
  return steps;
}

/// All deltas since a bulk file that is not the listed one: first the held deltas that have left the listing, then the
/// listed ones.
std::vector<Step> steps_since(const Held& bulk, const ListedCycle& cycle, std::span<const Held> held,
                              const ByName& names) {
  std::vector<Step> listed = listed_steps(cycle, names);
  if (cycle.bulk) std::erase_if(listed, [&](const Step& step) { return step.date < bulk.date; });
  std::vector<const Held*> earlier;
  for (const Held& file : held) {
    if (file.kind != Kind::delta || file.date < bulk.date) continue;
    if (listed.empty() || file.date < listed.front().date) earlier.push_back(&file);
  }
  std::ranges::sort(earlier, {}, [](const Held* file) { return load_order(*file); });
  std::vector<Step> steps;
  for (const Held* file : earlier) steps.push_back({file->date, file});
  steps.insert(steps.end(), listed.begin(), listed.end());
  return steps;
}

std::vector<Held> loadable(const Held& bulk, std::span<const Step> steps, const Days& absent) {
  std::vector<Held> files{bulk};
  Date day = bulk.date;  // the first day that the chain does not cover yet
  for (const Step& step : steps) {
    if (step.file == nullptr || !all_absent(day, step.date, absent)) break;
    files.push_back(*step.file);
    day = std::max(day, base::next_day(step.date));
  }
  return files;
}

/// The absent days between the files, whichever cycle they belong to.
Days passed_over(std::span<const Held> files, const Days& absent) {
  Days days;
  for (const Date day : absent) {
    if (day < files.front().date || day > files.back().date) continue;
    const auto covers = [day](const Held& file) { return file.kind == Kind::delta && file.date == day; };
    if (std::ranges::none_of(files, covers)) days.push_back(day);
  }
  return days;
}

/// `first`: the date of the first delta that follows `bulk`, held or not; the bulk file's own date if none is known
/// yet.
std::optional<Continues> continues_of(const Held& bulk, Date first, std::span<const Held> held, const Days& absent) {
  const auto rank = [](const Held& file) { return std::tie(file.date, file.kind, file.name); };
  const Held* last = nullptr;
  for (const Held& file : held) {
    const bool earlier = file.kind == Kind::delta ? file.date < first : file.date <= bulk.date;
    if (!earlier || file.name == bulk.name) continue;
    if (last == nullptr || rank(*last) < rank(file)) last = &file;
  }
  if (last == nullptr) return std::nullopt;
  const Date next = last->kind == Kind::delta ? base::next_day(last->date) : last->date;
  return Continues{last->name, all_absent(next, first, absent)};
}

}  // namespace

std::vector<Date> absent_days(std::span<const Listed> listing) {
  return absent_days_of(newest_cycle(in_load_order(listing)));
}

Chain chain_of(std::span<const Listed> listing, std::span<const Held> held, std::span<const Date> earlier_absent) {
  const std::vector<Listed> ordered = in_load_order(listing);
  const ListedCycle cycle = newest_cycle(ordered);
  const ByName names = by_name(held);
  Chain chain;
  chain.missing = missing_of(ordered, names);
  chain.complete = chain.missing.empty() && !ordered.empty();
  chain.absent_upstream = absent_days_of(cycle);

  const Held* bulk = bulk_to_load(cycle, held, names);
  if (bulk == nullptr) return chain;
  const bool listed = cycle.bulk && cycle.bulk->name == bulk->name && cycle.bulk->date == bulk->date;
  const std::vector<Step> steps = listed ? listed_steps(cycle, names) : steps_since(*bulk, cycle, held, names);
  const Days absent = merged(chain.absent_upstream, earlier_absent);
  chain.files = loadable(*bulk, steps, absent);
  chain.through = chain.files.back().date;
  chain.absent_upstream = merged(chain.absent_upstream, passed_over(chain.files, absent));
  chain.continues = continues_of(*bulk, steps.empty() ? bulk->date : steps.front().date, held, absent);
  return chain;
}

}  // namespace vtmirror::core
