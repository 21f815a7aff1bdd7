#include "vtmirror/core/retention.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace vtmirror::core {
namespace {

using Names = std::set<std::string_view>;

template <class Files>
Names names_of(const Files& files) {
  Names names;
  for (const auto& file : files) names.insert(file.name);
  return names;
}

/// Decides whether a chain is complete.
class Wholeness {
 public:
  Wholeness(std::span<const Held> held, std::span<const Held> lost, std::span<const Listed> listing)
      : listed_(names_of(listing)), lost_(names_of(lost)) {
    const std::vector<std::string> names = chain_of(listing, held).missing;
    const Names missing(names.begin(), names.end());
    for (const Listed& file : listing) {
      if (missing.contains(file.name)) missing_.push_back(file);
      if (file.kind == Kind::bulk) bulk_dates_.insert(file.date);
    }
    for (const auto& files : {held, lost})
      for (const Held& file : files)
        if (file.kind == Kind::bulk) bulk_dates_.insert(file.date);
  }

  bool lists(const Held& file) const { return listed_.contains(file.name); }
  bool counts(const Cycle& cycle) const { return cycle.has_bulk && !lost_.contains(cycle.files.front().name); }
  bool is_whole(const Cycle& cycle) const {
    const auto is_lost = [this](const Held& file) { return lost_.contains(file.name); };
    const auto is_missed = [&](const Listed& file) { return belongs(file, cycle.files.front()); };
    return counts(cycle) && std::ranges::none_of(cycle.files, is_lost) && std::ranges::none_of(missing_, is_missed);
  }

 private:
  /// Some deltas begin on the day before their bulk file's date, so every listed delta counts for a listed chain.
  bool belongs(const Listed& file, const Held& bulk) const {
    if (lists(bulk)) return true;
    const auto next = bulk_dates_.upper_bound(bulk.date);
    return file.kind == Kind::delta && file.date >= bulk.date && (next == bulk_dates_.end() || file.date < *next);
  }

  Names listed_;
  Names lost_;
  std::vector<Listed> missing_;
  std::set<base::Date> bulk_dates_;
};

}  // namespace

std::vector<Cycle> cycles_of(std::span<const Held> held) {
  std::vector<Held> files(held.begin(), held.end());
  // The bulk file sorts first on its day, because that day's delta follows it.
  std::ranges::sort(files, {}, [](const Held& file) { return std::tie(file.date, file.kind, file.name); });
  std::vector<Cycle> cycles;
  for (Held& file : files) {
    const bool is_bulk = file.kind == Kind::bulk;
    if (is_bulk || cycles.empty()) cycles.push_back({{}, is_bulk});
    cycles.back().files.push_back(std::move(file));
  }
  std::ranges::reverse(cycles);
  return cycles;
}

std::vector<std::string> prune(std::span<const Held> held, std::span<const Listed> listing, int keep_cycles,
                               std::span<const Held> lost) {
  std::vector<std::string> names;
  if (keep_cycles <= 0) return names;
  const Wholeness wholeness(held, lost, listing);
  std::vector<Held> known(held.begin(), held.end());
  known.insert(known.end(), lost.begin(), lost.end());
  int chains = 0;
  bool one_is_whole = false;
  for (const Cycle& cycle : cycles_of(known)) {
    if (chains >= keep_cycles && one_is_whole) {
      std::vector<std::string> older;
      for (const Held& file : cycle.files) {
        if (!wholeness.lists(file)) older.push_back(file.name);
      }
      names.insert(names.begin(), older.begin(), older.end());
    } else if (wholeness.counts(cycle)) {
      ++chains;
      one_is_whole = one_is_whole || wholeness.is_whole(cycle);
    }
  }
  return names;
}

}  // namespace vtmirror::core
