#include "vtmirror/core/retention.hpp"

#include "core/by_name.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace vtmirror::core {
namespace {

using Names = std::set<std::string_view>;

Names names_of(std::span<const Held> files) {
  Names names;
  for (const Held& file : files) names.insert(file.name);
  return names;
}

/// What decides whether a chain is whole.
class Wholeness {
 public:
  Wholeness(const Calendar& calendar, std::span<const Held> held, std::span<const Held> lost)
      : calendar_(calendar), held_(held), lost_(names_of(lost)) {
    for (const ListedFile& file : calendar.files) {
      if (file.listed) listed_.insert(file.name);
      if (file.kind == Kind::bulk && !is_to_come(file)) bulk_dates_.insert(file.date);
    }
    for (const auto& files : {held, lost})
      for (const Held& file : files)
        if (file.kind == Kind::bulk) bulk_dates_.insert(file.date);
  }

  bool lists(const Held& file) const { return listed_.contains(file.name); }
  bool counts(const HeldChain& chain) const { return chain.has_bulk && !lost_.contains(chain.files.front().name); }
  bool is_whole(const HeldChain& chain) const {
    if (!counts(chain) || (lists(chain.files.front()) && !calendar_.undated.empty())) return false;
    const auto is_lost = [this](const Held& file) { return lost_.contains(file.name); };
    if (std::ranges::any_of(chain.files, is_lost)) return false;
    return std::ranges::none_of(calendar_.files, [&](const ListedFile& file) {
      return !is_to_come(file) && belongs(file, chain.files.front()) && !is_here(file, held_.find(file.name));
    });
  }

 private:
  /// Deltas have been seen that begin on the day before their bulk file's: a listed chain waits for all that is listed.
  bool belongs(const ListedFile& file, const Held& bulk) const {
    if (file.name == bulk.name || (file.listed && lists(bulk))) return true;
    const auto next = bulk_dates_.upper_bound(bulk.date);
    return file.kind == Kind::delta && file.date >= bulk.date && (next == bulk_dates_.end() || file.date < *next);
  }

  const Calendar& calendar_;
  ByName<Held> held_;
  Names listed_;
  Names lost_;
  std::set<base::Date> bulk_dates_;
};

}  // namespace

std::vector<HeldChain> held_chains_of(std::span<const Held> held) {
  std::vector<Held> files(held.begin(), held.end());
  // On the same day the bulk file comes first: that day's delta follows it.
  std::ranges::sort(files, {}, [](const Held& file) { return std::tie(file.date, file.kind, file.name); });
  std::vector<HeldChain> chains;
  for (Held& file : files) {
    const bool is_bulk = file.kind == Kind::bulk;
    if (is_bulk || chains.empty()) chains.push_back({{}, is_bulk});
    chains.back().files.push_back(std::move(file));
  }
  std::ranges::reverse(chains);
  return chains;
}

std::vector<std::string> prune(const Calendar& calendar, std::span<const Held> all_held, int keep_cycles,
                               std::span<const Held> all_lost) {
  std::vector<std::string> names;
  if (keep_cycles <= 0) return names;
  const auto held = that_have_come(calendar, all_held);
  const auto lost = that_have_come(calendar, all_lost);
  const Wholeness wholeness(calendar, held, lost);
  std::vector<Held> known = held;
  known.insert(known.end(), lost.begin(), lost.end());
  int chains = 0;
  bool one_is_whole = false;
  for (const HeldChain& chain : held_chains_of(known)) {
    if (chains >= keep_cycles && one_is_whole) {
      std::vector<std::string> older;
      for (const Held& file : chain.files) {
        if (!wholeness.lists(file)) older.push_back(file.name);
      }
      names.insert(names.begin(), older.begin(), older.end());
    } else if (wholeness.counts(chain)) {
      ++chains;
      one_is_whole = one_is_whole || wholeness.is_whole(chain);
    }
  }
  return names;
}

bool quarantine_is_over(const QuarantinedFile& file, base::Milliseconds kept_for, base::Time now) {
  return file.left_at && now - *file.left_at >= kept_for;
}

Release release(const std::vector<Superseded>& known, const std::vector<std::string>& there, base::Time now) {
  Release release;
  for (const std::string& name : there) {
    const auto before = std::ranges::find(known, name, &Superseded::name);
    const base::Time since = before == known.end() || before->since > now ? now : before->since;
    if (now - since >= held_for)
      release.due.push_back(name);
    else
      release.kept.push_back({name, since});
  }
  return release;
}

}  // namespace vtmirror::core
