// Loaders that go by the manifest alone, over random calendars of a service whose data is known: after 80 days of
// refused entries, absent days, late deltas, replaced editions, lost files, stale and double bulk files, and days on
// which the mirror was off, each has the right data, but for what no mirror can know.
#include "core/known_service.hpp"
#include "support/upstream.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/retention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace vtmirror::core;
using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

constexpr int days_of_faults = 66;
constexpr int days_in_all = 80;

/// Follows the manifest: appends where the chain grew or joins on, and otherwise starts with the bulk file.
struct Loader {
  Table table;
  std::vector<Held> loaded;
  std::int64_t generation = 0;
  std::vector<base::Date> assumed;  ///< what the table rests on since its bulk file
  bool strict = false;
  int reloads = 0, joins = 0;

  void follow(const Chain& chain, const Store& store) {
    if (chain.files.empty()) return;
    const bool same_bulk = !loaded.empty() && loaded.front() == chain.files.front();
    if (same_bulk && is_prefix(chain.files, loaded)) return;
    if (same_bulk && is_prefix(loaded, chain.files)) {
      append(chain, loaded.size(), store);
    } else if (joins_on(chain)) {
      ++joins;
      assumed.insert(assumed.end(), chain.continues->assumes_absent.begin(), chain.continues->assumes_absent.end());
      loaded = {chain.files.front()};
      append(chain, 1, store);
    } else {
      ++reloads;
      table.clear();
      assumed.clear();
      loaded.clear();
      append(chain, 0, store);
    }
    generation = store.generation;
  }

 private:
  static bool is_prefix(const std::vector<Held>& shorter, const std::vector<Held>& longer) {
    return shorter.size() <= longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
  }
  bool joins_on(const Chain& chain) const {
    if (loaded.empty() || !chain.continues || !chain.continues->contiguous) return false;
    const auto& join = *chain.continues;
    if (strict && !join.assumes_absent.empty()) return false;
    return loaded.back().name == join.after && loaded.back().sha256 == join.sha256 && generation >= join.generation;
  }
  void append(const Chain& chain, std::size_t from, const Store& store) {
    for (std::size_t i = from; i < chain.files.size(); ++i) {
      const auto& file = store.files.at(chain.files[i].name);
      if (file.listed.kind == Kind::bulk) table.clear();
      for (const auto& [day_number, version] : file.rows) table[day_number] = version;
      if (i > 0) loaded.push_back(chain.files[i]);
      if (i == 0) loaded = {chain.files[0]};
    }
    for (const auto date : chain.absent_upstream) assumed.push_back(date);
  }
};

struct Life {
  int reloads = 0, joins = 0, wrong = 0, excused = 0, lost = 0, off = 0;
  int outdated = 0;  ///< days of which a complete chain had left an older version in the table
};

/// `observed`: the editions that the mirror saw listed. One that was listed only while it was off is unknowable.
int outdated(const Loader& loader, const Service& service, const std::set<std::string>& observed) {
  return static_cast<int>(std::ranges::count_if(loader.table, [&](const auto& row) {
    const auto* const delta = service.delta_of(row.first);
    const bool knowable = delta == nullptr || observed.contains(edition(delta->listed));
    return knowable && row.second != service.truth().at(row.first);
  }));
}

Life live(std::uint64_t seed, bool strict) {
  Random random(seed);
  Service service(random);
  Store store;
  Calendar calendar;
  std::set<std::string> observed;
  Loader loader;
  loader.strict = strict;
  Life life;
  for (int today = 0; today < days_in_all; ++today) {
    const bool faults = today > 0 && today < days_of_faults;
    service.next_day(today, faults);
    if (faults && chance(random, 8)) {
      ++life.off;
      continue;
    }
    const auto listing = listing_of(service.listing());
    if (is_usable(listing))
      for (const auto& entry : listing.entries)
        observed.insert(edition({entry.kind, entry.name, entry.date, entry.size}));
    if (is_usable(listing)) calendar = observe(std::move(calendar), listing, store.held, store.lost);
    if (faults && !store.held.empty() && chance(random, 6)) {
      ++life.lost;
      store.lose(random() % store.held.size());
    }
    for (const auto& entry : listing.entries) {
      const auto same = [&](const Held& file) { return file.name == entry.name && file.size == entry.size; };
      if (std::ranges::any_of(store.held, same) || (faults && chance(random, 20))) continue;
      store.fetch(*service.find(entry.name));
      calendar = with_stock(std::move(calendar), store.held, store.lost);
      if (chance(random, 30)) loader.follow(chain_of(calendar, store.held), store);
    }
    calendar = with_stock(std::move(calendar), store.held, store.lost);
    const auto chain = chain_of(calendar, store.held);
    if (chance(random, 70) || !faults) {
      loader.follow(chain, store);
      if (chain.complete && listing.refused.empty() && is_usable(listing))
        life.outdated += outdated(loader, service, observed);
    }
    // Old chains are pruned; what joins on is known all the same.
    if (chance(random, 30)) {
      for (const auto& name : prune(calendar, store.held, 1, store.lost)) store.drop(name);
      calendar = with_stock(std::move(calendar), store.held, store.lost);
    }
  }
  Table right = service.truth();
  right.erase(days_in_all - 1);
  const bool is_right = loader.table == right;
  const bool unknowable =
      std::ranges::any_of(loader.assumed, [&](const auto date) { return service.was_generated(date); });
  life.wrong = is_right || unknowable ? 0 : 1;
  life.excused = !is_right && unknowable ? 1 : 0;
  life.reloads = loader.reloads;
  life.joins = loader.joins;
  return life;
}

}  // namespace

TEST_CASE("a loader that goes by the manifest has the right data after any 80 days") {
  Life all;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const auto life = live(seed, false);
    CHECK(life.wrong == 0);
    CHECK(life.outdated == 0);
    all.reloads += life.reloads;
    all.joins += life.joins;
    all.excused += life.excused;
    all.lost += life.lost;
    all.off += life.off;
  }
  MESSAGE("reloads " << all.reloads << ", joins " << all.joins << ", unknowable " << all.excused);
  CHECK(all.joins > 100);
  CHECK(all.lost > 100);
  CHECK(all.off > 100);
  CHECK(all.excused < 10);
}

TEST_CASE("a strict loader, which assumes no absence, has the right data after any 80 days") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    const auto life = live(seed, true);
    CHECK(life.wrong == 0);
  }
}
