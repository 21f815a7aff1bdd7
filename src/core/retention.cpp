#include "vtmirror/core/retention.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace vtmirror::core {
namespace {

using Names = std::set<std::string_view>;

Names names_of(std::span<const Listed> listing) {
  Names names;
  for (const Listed& file : listing) names.insert(file.name);
  return names;
}

}  // namespace

std::vector<Cycle> cycles_of(std::span<const Held> held) {
  std::vector<Held> files(held.begin(), held.end());
  // On the same day the bulk file comes first: that day's delta follows it.
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

std::vector<std::string> prune(std::span<const Held> held, std::span<const Listed> listing, int keep_cycles) {
  std::vector<std::string> names;
  if (keep_cycles <= 0) return names;
  const bool waits = !chain_of(listing, held).missing.empty();
  const Names listed = names_of(listing);
  int chains = 0;
  bool one_is_whole = false;
  for (const Cycle& cycle : cycles_of(held)) {
    if (chains >= keep_cycles && one_is_whole) {
      std::vector<std::string> older;
      for (const Held& file : cycle.files) {
        if (!listed.contains(file.name)) older.push_back(file.name);
      }
      names.insert(names.begin(), older.begin(), older.end());
    } else if (cycle.has_bulk) {
      ++chains;
      one_is_whole = one_is_whole || !waits || !listed.contains(cycle.files.front().name);
    }
  }
  return names;
}

}  // namespace vtmirror::core
