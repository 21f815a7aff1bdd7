// Loaders that were written with care, over random calendars of a service whose data is known: one goes by the manifest
// alone, one by `vtmirror changes`, and one by the notices of a hook. After 80 days of refused entries, absent days,
// late deltas, replaced editions, bulk files with mistakes, lost files, stale and double bulk files, lost catalogues,
// and days on which the mirror was off, each has the right data, except what no mirror can know.
#include "core/loader_world.hpp"
#include "core/loaders.hpp"
#include "vtmirror/core/retention.hpp"

#include <doctest/doctest.h>

#include <memory>

using namespace vtmirror::core;
using namespace vtmirror::test;
using namespace vtmirror::test::loading;

namespace {

constexpr int days_of_faults = 66;
constexpr int days_in_all = 80;

struct Life {
  int reloads = 0, joins = 0, wrong = 0, excused = 0, lost = 0, lost_bulks = 0, off = 0, rebuilt = 0;
  int outdated = 0;  ///< days of which a complete chain had left an older version in the table
};

/// `observed`: the editions that the mirror saw listed. One that was listed only while it was off is unknowable.
int outdated(const Loader& loader, const Service& service, const std::set<std::string>& observed) {
  return static_cast<int>(std::ranges::count_if(loader.table(), [&](const auto& row) {
    const auto* const delta = service.delta_of(row.first);
    const bool knowable = (delta == nullptr || observed.contains(edition(delta->listed))) &&
                          !service.may_be_mistaken(row.first, observed);
    return knowable && row.second != service.truth().at(row.first);
  }));
}

Life live(std::uint64_t seed, Loader& loader) {
  Random random(seed);
  Service service(random);
  Mirror mirror;
  std::set<std::string> observed;
  Life life;
  const bool prunes = chance(random, 50);
  std::string fails;
  int until = 0;
  for (int today = 0; today < days_in_all; ++today) {
    const bool faults = today > 0 && today < days_of_faults;
    service.next_day(today, faults);
    if (faults && chance(random, 8)) {
      ++life.off;
      continue;
    }
    if (faults && chance(random, 2)) {
      ++life.rebuilt;
      mirror.rebuild();
    }
    const auto listing = listing_of(service.listing());
    if (is_usable(listing))
      for (const auto& entry : known_in_time(listing, mirror.calendar))
        observed.insert(edition({entry.kind, entry.name, entry.date, entry.size}));
    mirror.list(listing);
    if (faults && !mirror.held.empty() && chance(random, 6)) {
      ++life.lost;
      mirror.lose(random() % mirror.held.size());
    }
    if (faults && chance(random, mirror.has_newest_bulk_of(listing) ? 2 : 30)) {
      life.lost_bulks += mirror.lose_newest_bulk();
      if (chance(random, 50)) loader.look(mirror);
    }
    // One file cannot be downloaded for a week.
    if (today >= until) fails.clear();
    if (faults && fails.empty() && !listing.entries.empty() && chance(random, 20)) {
      fails = listing.entries[random() % listing.entries.size()].name;
      until = today + 7;
    }
    for (const auto& entry : listing.entries) {
      const auto same = [&](const Held& file) { return file.name == entry.name && file.size == entry.size; };
      if (std::ranges::any_of(mirror.held, same)) continue;
      if (faults && (chance(random, 20) || entry.name == fails)) continue;
      mirror.fetch(*service.find(entry.name));
      if (chance(random, 30)) loader.look(mirror);
    }
    // Old chains are pruned in half of the lives; what joins on is known all the same.
    if (prunes && chance(random, 30))
      for (const auto& name : prune(mirror.calendar, mirror.held, 1, mirror.lost)) mirror.prune(name);
    const bool complete = mirror.chain().complete;
    mirror.announce();
    if (chance(random, 70) || !faults) {
      loader.look(mirror);
      if (complete && listing.refused.empty() && is_usable(listing))
        life.outdated += outdated(loader, service, observed);
    }
  }
  Table right = service.truth();
  right.erase(days_in_all - 1);
  const auto agree = [&](const auto& row, const auto& truth) {
    return row == truth || (row.first == truth.first && service.may_be_mistaken(row.first, observed));
  };
  const bool is_right = std::ranges::equal(loader.table(), right, agree);
  const bool unknowable =
      std::ranges::any_of(loader.assumed(), [&](const auto date) { return service.was_generated(date); });
  life.wrong = is_right || unknowable ? 0 : 1;
  life.excused = !is_right && unknowable ? 1 : 0;
  life.reloads = loader.reloads;
  life.joins = loader.joins;
  return life;
}

template <class OneLoader>
void live_all(bool strict) {
  Life all;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    OneLoader loader(strict);
    const auto life = live(seed, loader);
    CHECK(life.wrong == 0);
    CHECK(life.outdated == 0);
    all.reloads += life.reloads;
    all.joins += life.joins;
    all.excused += life.excused;
    all.lost += life.lost;
    all.lost_bulks += life.lost_bulks;
    all.off += life.off;
    all.rebuilt += life.rebuilt;
  }
  MESSAGE("reloads " << all.reloads << ", joins " << all.joins << ", unknowable " << all.excused);
  CHECK(all.joins > 100);
  CHECK(all.lost > 100);
  CHECK(all.lost_bulks > 100);
  CHECK(all.off > 100);
  CHECK(all.rebuilt > 100);
  CHECK(all.excused < (strict ? 5 : 10));
}

}  // namespace

TEST_CASE("a loader that goes by the manifest has the right data after any 80 days") { live_all<ByManifest>(false); }

TEST_CASE("a loader that goes by the changes, and by their reset, has the right data after any 80 days") {
  live_all<ByChanges>(false);
}

TEST_CASE("a loader that a hook starts when the chain changes has the right data after any 80 days") {
  live_all<ByHook>(false);
}

TEST_CASE("strict loaders, which assume no absence at a roll-over, have the right data after any 80 days") {
  live_all<ByManifest>(true);
  live_all<ByChanges>(true);
  live_all<ByHook>(true);
}

TEST_CASE("a loader that a lost bulk file sent back to the one before takes no join that knows nothing of that one") {
  const auto row_of = [](int number) { return Table{{number - 1, 1}}; };
  Mirror mirror;
  ByManifest loader(false);
  std::vector<Listed> listing{bulk(0)};
  mirror.fetch({.listed = bulk(0), .number = 0, .rows = {{-1, 1}}});
  for (int number = 0; number < 7; ++number) {
    listing.push_back(delta(number));
    mirror.list(listing_of(listing));
    mirror.fetch({.listed = delta(number), .number = number, .rows = row_of(number)});
  }
  // A correction that never comes: the second bulk file has it.
  listing[5].size += 1;
  mirror.list(listing_of(listing));
  loader.look(mirror);
  Table all{{-1, 1}, {0, 1}, {1, 1}, {2, 1}, {3, 2}, {4, 1}, {5, 1}, {6, 1}};
  mirror.list(listing_of({bulk(7), delta(7)}));
  mirror.fetch({.listed = bulk(7), .number = 7, .rows = all});
  mirror.fetch({.listed = delta(7), .number = 7, .rows = row_of(7)});
  loader.look(mirror);
  CHECK(loader.table() == all);
  mirror.list(listing_of({bulk(8), delta(8)}));
  CHECK(mirror.lose_newest_bulk() == 1);
  loader.look(mirror);
  CHECK(loader.table() == Table{{-1, 1}, {0, 1}, {1, 1}, {2, 1}});
  all[7] = 1;
  mirror.fetch({.listed = bulk(8), .number = 8, .rows = all});
  mirror.fetch({.listed = delta(8), .number = 8, .rows = row_of(8)});
  loader.look(mirror);
  CHECK(loader.table() == all);
}
