// Consumers that ask for the next files and acknowledge them, over random calendars of a service whose data is known:
// after 80 days of refused entries, absent days, late deltas, replaced editions, bulk files with mistakes, lost and
// pruned files, files that cannot be downloaded for a week, days on which the mirror was off, rebuilt catalogues, and
// consumers that are killed at any step, each has the right data.
#include "core/known_service.hpp"
#include "support/upstream.hpp"
#include "vtmirror/core/consumer.hpp"
#include "vtmirror/core/retention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

using namespace vtmirror::core;
using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

constexpr int days_of_faults = 66;
constexpr int days_in_all = 80;

base::Time noon(int number) { return base::Time(std::chrono::sys_days(day(number))) + std::chrono::hours(12); }

/// What the mirror knows, and what it remembers of one consumer: its position, and an offer with the bytes that are
/// kept for it.
struct Mirror {
  Store store;
  Calendar calendar;
  std::string session = "session 1";
  std::set<std::string> observed;  ///< editions that a usable listing named
  ConsumerRules rules{};

  std::optional<Position> position;
  std::optional<Offer> offer;
  std::map<std::string, Export> lent;
  int ticket = 0;

  /// The ticket of the answer; its files are in `lent`.
  Offer next(int today) {
    if (offer && offer->after.session == session) return *offer;
    const Chain chain = chain_of(calendar, store.held);
    const Edition edition{.session = session, .generation = store.generation};
    auto found = next_offer(position, {edition, calendar, store.held, chain}, rules, noon(today));
    offer.reset();
    lent.clear();
    if (found.files.empty()) return found;
    for (const Held& file : found.files) lent[file.name] = store.files.at(file.name);
    const auto stored = parse_offer(text_of(found));
    REQUIRE(stored.has_value());
    CHECK(*stored == found);
    offer = *stored;
    ++ticket;
    return *offer;
  }

  void acknowledge(int number, int today) {
    if (!offer || number != ticket) return;
    position = acknowledged(*offer, noon(today));
    offer.reset();
    lent.clear();
  }

  void rebuild() {
    session += '+';
    calendar = with_stock({}, store.held, store.lost);
  }
};

/// A table, with the ticket of its last load in the same transaction.
struct Consumer {
  Table table;
  int ticket = 0;
  std::map<std::string, int> applied;  ///< editions since the last bulk load
  int reloads = 0, joins = 0, lates = 0, twice = 0;

  /// `dies`: whether it is killed at this step.
  template <class Dies>
  void run(Mirror& mirror, int today, Dies dies) {
    const Offer answer = mirror.next(today);
    if (dies()) return;
    if (answer.files.empty()) return;
    if (mirror.ticket != ticket) {
      if (dies()) return;  // in the load: its transaction is rolled back
      load(answer, mirror);
      ticket = mirror.ticket;
    }
    if (dies()) return;
    mirror.acknowledge(ticket, today);
  }

 private:
  void load(const Offer& answer, const Mirror& mirror) {
    if (answer.action == LoadAction::reload) {
      ++reloads;
      table.clear();
      applied.clear();
      CHECK(answer.files.front().kind == Kind::bulk);
    }
    if (answer.action == LoadAction::append && answer.after.start > mirror.position->start) ++joins;
    if (answer.why.reason == LoadReason::late) ++lates;
    const auto by_date = [](const Held& a, const Held& b) { return a.date < b.date; };
    CHECK(std::ranges::is_sorted(answer.files, by_date));
    for (const Held& file : answer.files) {
      const Export& copy = mirror.lent.at(file.name);
      if (!file.sha256.empty()) CHECK(edition(copy.listed) == file.sha256);
      if (++applied[edition(copy.listed)] > 1 && answer.why.reason != LoadReason::late) ++twice;
      for (const auto& [day_number, version] : copy.rows) table[day_number] = version;
    }
  }
};

struct Life {
  int reloads = 0, joins = 0, lates = 0, deaths = 0, lost = 0, pruned = 0, rebuilt = 0;
  int wrong = 0, unknowable = 0, outdated = 0, twice = 0;
};

struct Character {
  std::uint64_t shows_up = 70;  ///< percent of the days
  bool strict = false;
  int reload_every = 0;  ///< days
  bool digests = true;
};

/// Whether the mirror saw the exports that brought that day's data, in their newest edition.
bool was_seen(int day_number, const Service& service, const Mirror& mirror) {
  const Export* const delta = service.delta_of(day_number);
  return (delta == nullptr || mirror.observed.contains(edition(delta->listed))) &&
         !service.may_be_mistaken(day_number, mirror.observed);
}

/// Days in the table of which it has an older version.
int outdated(const Table& table, const Service& service, const Mirror& mirror) {
  return static_cast<int>(std::ranges::count_if(table, [&](const auto& row) {
    return row.second != service.truth().at(row.first) && was_seen(row.first, service, mirror);
  }));
}

/// Days up to `last` that the table has not, or not in the newest version: first those that the mirror could know.
std::pair<int, int> wrong_days(const Table& table, const Service& service, const Mirror& mirror, int last) {
  std::pair<int, int> days{0, 0};
  for (const auto& [day_number, version] : service.truth()) {
    const auto found = table.find(day_number);
    if (day_number > last || (found != table.end() && found->second == version)) continue;
    ++(was_seen(day_number, service, mirror) ? days.first : days.second);
  }
  return days;
}

Life live(std::uint64_t seed, Character character) {
  Random random(seed);
  Service service(random, static_cast<int>(seed % 7));
  Mirror mirror;
  mirror.rules.strict = character.strict;
  mirror.rules.reload_every = std::chrono::days(character.reload_every);
  Store& store = mirror.store;
  store.digests = character.digests;
  Consumer consumer;
  Life life;
  std::string fails;
  int until = 0;
  for (int today = 0; today < days_in_all; ++today) {
    const bool faults = today > 0 && today < days_of_faults;
    const auto dies = [&] {
      const bool now = faults && chance(random, 10);
      life.deaths += now ? 1 : 0;
      return now;
    };
    service.next_day(today, faults);
    if (faults && chance(random, 8)) continue;  // the mirror is off
    if (faults && chance(random, 1)) {
      mirror.rebuild();
      ++life.rebuilt;
    }
    const auto listing = listing_of(service.listing());
    if (is_usable(listing)) {
      for (const auto& entry : known_in_time(listing, mirror.calendar))
        mirror.observed.insert(edition({entry.kind, entry.name, entry.date, entry.size}));
      mirror.calendar = observe(std::move(mirror.calendar), listing, store.held, store.lost);
    }
    if (faults && !store.held.empty() && chance(random, 6)) {
      store.lose(random() % store.held.size());
      ++life.lost;
    }
    // One file cannot be downloaded for a week.
    if (today >= until) fails.clear();
    if (faults && fails.empty() && !listing.entries.empty() && chance(random, 20)) {
      fails = listing.entries[random() % listing.entries.size()].name;
      until = today + 7;
    }
    for (const auto& entry : listing.entries) {
      const auto same = [&](const Held& file) { return file.name == entry.name && file.size == entry.size; };
      if (std::ranges::any_of(store.held, same)) continue;
      if (faults && (chance(random, 20) || entry.name == fails)) continue;
      store.fetch(*service.find(entry.name));
      mirror.calendar = with_stock(std::move(mirror.calendar), store.held, store.lost);
      if (chance(random, 15)) consumer.run(mirror, today, dies);
    }
    mirror.calendar = with_stock(std::move(mirror.calendar), store.held, store.lost);
    if (!faults || chance(random, character.shows_up)) {
      for (int turn = 0; turn < 2; ++turn) consumer.run(mirror, today, dies);
      const bool whole = chain_of(mirror.calendar, store.held).complete && listing.refused.empty();
      if (whole && is_usable(listing) && mirror.next(today).action == LoadAction::none)
        life.outdated += outdated(consumer.table, service, mirror);
    }
    if (chance(random, 30)) {
      for (const auto& name : prune(mirror.calendar, store.held, 1, store.lost)) {
        store.drop(name);
        ++life.pruned;
      }
      mirror.calendar = with_stock(std::move(mirror.calendar), store.held, store.lost);
    }
  }
  std::tie(life.wrong, life.unknowable) = wrong_days(consumer.table, service, mirror, days_in_all - 2);
  life.reloads = consumer.reloads;
  life.joins = consumer.joins;
  life.lates = consumer.lates;
  life.twice = consumer.twice;
  return life;
}

Life live_often(int lives, Character character) {
  Life all;
  for (int seed = 1; seed <= lives; ++seed) {
    CAPTURE(seed);
    const auto life = live(static_cast<std::uint64_t>(seed), character);
    CHECK(life.wrong == 0);
    CHECK(life.outdated == 0);
    CHECK(life.twice == 0);
    all.reloads += life.reloads;
    all.joins += life.joins;
    all.lates += life.lates;
    all.deaths += life.deaths;
    all.lost += life.lost;
    all.pruned += life.pruned;
    all.rebuilt += life.rebuilt;
    all.unknowable += life.unknowable;
  }
  MESSAGE("reloads " << all.reloads << ", joins " << all.joins << ", late deltas " << all.lates << ", deaths "
                     << all.deaths << ", unknowable days " << all.unknowable);
  return all;
}

}  // namespace

TEST_CASE("a consumer that acknowledges what it has loaded has the right data after any 80 days") {
  const Life all = live_often(200, {});
  CHECK(all.joins > 100);
  CHECK(all.lates > 20);
  CHECK(all.deaths > 1000);
  CHECK(all.lost > 100);
  CHECK(all.pruned > 100);
  CHECK(all.rebuilt > 50);
  CHECK(all.unknowable < 40);
}

TEST_CASE(
    "a consumer that is off for days and over roll-overs joins on or loads the bulk file, and has the right data") {
  const Life all = live_often(200, {.shows_up = 8});
  CHECK(all.joins > 50);
  CHECK(all.unknowable < 40);
}

TEST_CASE("a strict consumer, which assumes no absence at a roll-over, has the right data after any 80 days") {
  const Life all = live_often(100, {.strict = true});
  CHECK(all.joins > 20);
}

TEST_CASE("a consumer of a mirror without digests has the right data after any 80 days") {
  const Life all = live_often(100, {.digests = false});
  CHECK(all.joins > 50);
}

TEST_CASE("a consumer that loads a bulk file every ten days has the right data, and loads bulk files more often") {
  const Life seldom = live_often(40, {});
  const Life often = live_often(40, {.reload_every = 10});
  CHECK(often.reloads > seldom.reloads);
}
