#include "vtmirror/core/consumer.hpp"

#include "support/upstream.hpp"
#include "vtmirror/core/unheard_offer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace vtmirror::core;
using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

using Numbers = std::vector<int>;

/// A mirror whose bulk files come on the days 0 and 7; `Names` are numbers of days.
class World {
 public:
  World() { list({bulk(0)}); }

  /// What the service lists now, all of which is fetched except the deltas of those days, and perhaps the bulk file.
  void list(const std::vector<Listed>& files, const Numbers& not_fetched = {}, bool with_bulk = true) {
    calendar_ = observe(std::move(calendar_), listing_of(files), held_, lost_);
    for (const auto& file : files) {
      const bool skipped = file.kind == Kind::delta &&
                           std::ranges::any_of(not_fetched, [&](int number) { return file.date == day(number); });
      if (!skipped && (with_bulk || file.kind == Kind::delta)) fetch(file);
    }
  }
  /// The service listed that file before its day, and nothing else with it that is new.
  void list_early(const std::vector<Listed>& files, const Listed& early, base::Date today) {
    auto listing = listing_of(files);
    listing.entries.push_back(listing_of({early}).entries.front());
    refuse_days_to_come(listing, std::chrono::sys_days(today), std::nullopt);
    calendar_ = observe(std::move(calendar_), listing, held_, lost_);
  }
  void fetch(const Listed& file) {
    const auto same = [&](const Held& each) { return each.name == file.name && each.size == file.size; };
    if (std::ranges::any_of(held_, same)) return;
    drop(file.name);
    std::erase_if(lost_, [&](const Held& each) { return each.name == file.name; });
    held_.push_back(vtmirror::test::held(file));
    held_.back().sha256 = file.name + '#' + std::to_string(file.size);
    held_.back().since = ++generation_;
    note_publication(held_.back());
    calendar_ = with_stock(std::move(calendar_), held_, lost_);
  }
  void drop(const std::string& name) {
    calendar_ = with_stock(std::move(calendar_), held_, lost_);
    std::erase_if(held_, [&](const Held& each) { return each.name == name; });
  }
  void lose(const std::string& name) {
    const auto found = std::ranges::find(held_, name, &Held::name);
    lost_.push_back(*found);
    drop(name);
    calendar_ = with_stock(std::move(calendar_), held_, lost_);
  }
  void change_session() { session_ += '+'; }

  Offer next(const ConsumerRules& rules = {}) const {
    const Chain chain = chain_of(calendar_, held_);
    const Edition edition{.session = session_, .generation = generation_};
    return next_offer(position_, {edition, calendar_, held_, chain}, rules, now_);
  }
  /// The next offer if `unheard` was offered before and was not acknowledged.
  Offer next_after(const Offer& unheard) const {
    const Chain chain = chain_of(calendar_, held_);
    const Edition edition{.session = session_, .generation = generation_};
    return next_offer(position_, unheard, {edition, calendar_, held_, chain}, {}, now_);
  }
  Offer load(const ConsumerRules& rules = {}) {
    Offer offer = next(rules);
    if (!offer.files.empty()) position_ = acknowledged(offer, now_);
    return offer;
  }
  void pass(base::Milliseconds time) { now_ += time; }

  const std::vector<Held>& held() const { return held_; }
  const std::optional<Position>& position() const { return position_; }
  std::optional<base::Time> behind() const { return behind_since(position_, next(), records(), changes_); }

 private:
  /// A file comes on its day at eight, and another edition of it now.
  void note_publication(const Held& file) {
    const bool is_first = std::ranges::none_of(changes_, [&](const Change& each) { return each.name == file.name; });
    auto& change = changes_.emplace_back();
    change.generation = file.since;
    change.kind = ChangeKind::published;
    change.name = file.name;
    change.at = is_first ? base::Time(std::chrono::sys_days(file.date)) + std::chrono::hours(8) : now_;
    change.file_kind = file.kind;
    change.file.date = file.date;
  }
  std::vector<FileRecord> records() const {
    std::vector<FileRecord> records;
    for (const auto& file : held_) {
      auto& record = records.emplace_back();
      record.name = file.name;
      record.since = file.since;
      const auto came = std::ranges::find(changes_, file.since, &Change::generation);
      record.published_at = came->at;
    }
    return records;
  }

  std::vector<Held> held_, lost_;
  Calendar calendar_;
  std::optional<Position> position_;
  std::string session_ = "one";
  std::int64_t generation_ = 0;
  std::vector<Change> changes_;
  base::Time now_{std::chrono::sys_days(day(9))};
};

/// Eight o'clock on that day.
base::Time eight(int number) { return base::Time(std::chrono::sys_days(day(number))) + std::chrono::hours(8); }

/// "b0 d1 d2"
std::string names(const std::vector<Held>& files) {
  std::string text;
  for (const Held& file : files) {
    const auto number = base::days_between(day(0), file.date);
    text += (text.empty() ? "" : " ") + std::string(file.kind == Kind::bulk ? "b" : "d") + std::to_string(number);
  }
  return text;
}

std::vector<Listed> week(int first, int last, const Numbers& absent = {}) {
  std::vector<Listed> files{bulk(first)};
  for (int number = first; number <= last; ++number)
    if (std::ranges::find(absent, number) == absent.end()) files.push_back(delta(number));
  return files;
}

void check(const Offer& offer, LoadAction action, LoadReason reason, const std::string& files = "") {
  CHECK(name(offer.action) == name(action));
  CHECK(name(offer.why.reason) == name(reason));
  CHECK(names(offer.files) == files);
}

}  // namespace

TEST_CASE("a new consumer loads the whole chain") {
  World world;
  world.list(week(0, 2));
  const Offer offer = world.load();
  check(offer, LoadAction::reload, LoadReason::first, "b0 d0 d1 d2");
  CHECK(offer.through == day(2));
  check(world.next(), LoadAction::none, LoadReason::nothing_new);
  CHECK(world.next().through == day(2));
}

TEST_CASE("a new consumer of an empty mirror waits for a bulk file") {
  const Calendar calendar;
  const Chain chain;
  const Edition edition;
  check(next_offer(std::nullopt, {edition, calendar, {}, chain}, {}, {}), LoadAction::wait, LoadReason::nothing_held);
}

TEST_CASE("the bulk file that a new consumer waits for is named") {
  const Calendar calendar = shown({bulk(0), delta(0)});
  const Chain chain = chain_of(calendar, {});
  const Edition edition;
  const Offer offer = next_offer(std::nullopt, {edition, calendar, {}, chain}, {}, {});
  check(offer, LoadAction::wait, LoadReason::missing);
  CHECK(offer.why.file == bulk(0).name);
  CHECK(offer.why.missing == MissingReason::not_downloaded);
}

TEST_CASE("a consumer that has loaded the chain appends what follows") {
  World world;
  world.list(week(0, 1));
  world.load();
  world.list(week(0, 3));
  const Offer offer = world.load();
  check(offer, LoadAction::append, LoadReason::more, "d2 d3");
  CHECK(offer.why.count == 2);
  CHECK(offer.why.day == day(1));
  CHECK(offer.through == day(3));
}

TEST_CASE("the same question has the same answer until it is acknowledged, and grows with the chain") {
  World world;
  world.list(week(0, 1));
  CHECK(world.next() == world.next());
  world.load();
  world.list(week(0, 2));
  check(world.next(), LoadAction::append, LoadReason::more, "d2");
  world.list(week(0, 3));
  check(world.next(), LoadAction::append, LoadReason::more, "d2 d3");
}

TEST_CASE("a missing delta ends what is offered, and is waited for") {
  World world;
  world.list(week(0, 4), {3});
  check(world.load(), LoadAction::reload, LoadReason::first, "b0 d0 d1 d2");
  const Offer offer = world.next();
  check(offer, LoadAction::wait, LoadReason::missing);
  CHECK(offer.why.file == delta(3).name);
  world.fetch(delta(3));
  check(world.load(), LoadAction::append, LoadReason::more, "d3 d4");
}

TEST_CASE("an absent day in the week is passed over") {
  World world;
  world.list(week(0, 1));
  world.load();
  world.list(week(0, 3, {2}));
  check(world.load(), LoadAction::append, LoadReason::more, "d3");
}

TEST_CASE("a late delta is followed by all after it") {
  World world;
  world.list(week(0, 4, {2}));
  check(world.load(), LoadAction::reload, LoadReason::first, "b0 d0 d1 d3 d4");
  world.list(week(0, 5));
  const Offer offer = world.load();
  check(offer, LoadAction::append, LoadReason::late, "d2 d3 d4 d5");
  CHECK(offer.why.file == delta(2).name);
  check(world.next(), LoadAction::none, LoadReason::nothing_new);
  CHECK(names(world.position()->deltas) == "d0 d1 d2 d3 d4 d5");
}

TEST_CASE("a late delta is waited for, and so is each that must follow it") {
  World world;
  world.list(week(0, 4, {2}));
  world.load();
  world.list(week(0, 5), {2});
  const Offer waits = world.next();
  check(waits, LoadAction::wait, LoadReason::missing);
  CHECK(waits.why.file == delta(2).name);
  world.lose(delta(4).name);
  world.fetch(delta(2));
  const Offer follows = world.next();
  check(follows, LoadAction::wait, LoadReason::missing);
  CHECK(follows.why.file == delta(4).name);
  world.fetch(delta(4));
  check(world.load(), LoadAction::append, LoadReason::late, "d2 d3 d4 d5");
}

TEST_CASE("an acknowledged file that was replaced makes a reload, once the new edition is held") {
  World world;
  world.list(week(0, 3));
  world.load();
  auto corrected = week(0, 3);
  corrected[2].size += 1;
  world.list(corrected, {1});
  const Offer waits = world.next();
  check(waits, LoadAction::wait, LoadReason::missing);
  CHECK(waits.why.file == delta(1).name);
  world.fetch(corrected[2]);
  const Offer offer = world.load();
  check(offer, LoadAction::reload, LoadReason::replaced, "b0 d0 d1 d2 d3");
  CHECK(offer.why.file == delta(1).name);
  check(world.next(), LoadAction::none, LoadReason::nothing_new);
}

TEST_CASE("a reload that would end before what was loaded waits for the file that is missing there") {
  World world;
  world.list(week(0, 3));
  world.load();
  auto corrected = week(0, 4);
  corrected[2].size += 1;
  world.list(corrected);
  world.lose(delta(3).name);
  const Offer waits = world.next();
  check(waits, LoadAction::wait, LoadReason::missing);
  CHECK(waits.why.file == delta(3).name);
  CHECK(waits.why.missing == MissingReason::lost);
  CHECK(waits.through == day(3));
  world.fetch(delta(3));
  check(world.load(), LoadAction::reload, LoadReason::replaced, "b0 d0 d1 d2 d3 d4");
  world.lose(delta(4).name);
  world.change_session();
  check(world.load(), LoadAction::reload, LoadReason::other_session, "b0 d0 d1 d2 d3");
}

TEST_CASE("a reload that deltas of an answer need, which was not acknowledged, waits for what would be lost too") {
  World world;
  world.list(week(0, 2));
  world.load();
  world.list(week(0, 4));
  const Offer unheard = world.next();
  check(unheard, LoadAction::append, LoadReason::more, "d3 d4");
  auto corrected = week(0, 4);
  corrected[4].size += 1;
  world.list(corrected);
  world.lose(delta(2).name);
  const Offer waits = world.next_after(unheard);
  check(waits, LoadAction::wait, LoadReason::missing);
  CHECK(waits.why.file == delta(2).name);
  world.fetch(delta(2));
  check(world.next_after(unheard), LoadAction::reload, LoadReason::replaced, "b0 d0 d1 d2 d3 d4");
}

TEST_CASE("while no bulk file is held, a consumer waits for what left the listing before its newest edition came") {
  for (const std::size_t replaced : {0U, 2U}) {
    CAPTURE(replaced);
    World world;
    world.list(week(0, 6));
    world.load();
    auto corrected = week(0, 6);
    corrected[replaced].size += 1;
    world.list(corrected, {1}, false);
    world.list(week(7, 7));
    world.drop(bulk(0).name);
    world.lose(bulk(7).name);
    check(world.load(), LoadAction::append, LoadReason::more, "d7");
    const Offer waits = world.next();
    check(waits, LoadAction::wait, LoadReason::gap);
    CHECK(waits.why.file == corrected[replaced].name);
    world.fetch(bulk(7));
    check(world.load(), LoadAction::reload, LoadReason::gap, "b7 d7");
  }
}

TEST_CASE("a bulk file that was loaded and replaced makes a reload, and one that was not loaded does not") {
  for (const bool joined : {false, true}) {
    CAPTURE(joined);
    World world;
    world.list(week(0, 6));
    world.load();
    world.list(week(7, 8));
    if (!joined) world.change_session();
    check(world.load(), joined ? LoadAction::append : LoadAction::reload,
          joined ? LoadReason::more : LoadReason::other_session, joined ? "d7 d8" : "b7 d7 d8");
    auto corrected = week(7, 9);
    corrected[0].size += 1;
    world.list(corrected);
    check(world.next(), joined ? LoadAction::append : LoadAction::reload,
          joined ? LoadReason::more : LoadReason::replaced, joined ? "d9" : "b7 d7 d8 d9");
  }
}

TEST_CASE("a file that was lost after it was loaded, or returns with its bytes, changes nothing") {
  World world;
  world.list(week(0, 3));
  world.load();
  world.lose(delta(1).name);
  world.list(week(0, 4), {1});
  check(world.load(), LoadAction::append, LoadReason::more, "d4");
  world.fetch(delta(1));
  check(world.next(), LoadAction::none, LoadReason::nothing_new);
}

TEST_CASE("deltas join on to another chain, whose bulk file is not loaded") {
  World world;
  world.list(week(0, 6));
  world.load();
  world.list(week(7, 7));
  const Offer offer = world.load();
  check(offer, LoadAction::append, LoadReason::more, "d7");
  CHECK(offer.assumes_absent.empty());
  CHECK(offer.after.start == day(7));
  CHECK_FALSE(offer.after.bulk.has_value());
  world.list(week(7, 8));
  check(world.load(), LoadAction::append, LoadReason::more, "d8");
}

TEST_CASE("a consumer that was off over a roll-over gets the held deltas of the chain before") {
  World world;
  world.list(week(0, 3));
  world.load();
  world.list(week(0, 6));
  world.list(week(7, 9));
  check(world.load(), LoadAction::append, LoadReason::more, "d4 d5 d6 d7 d8 d9");
  CHECK(names(world.position()->deltas) == "d7 d8 d9");
}

TEST_CASE("a consumer that was off over two roll-overs gets all deltas between") {
  World world;
  world.list(week(0, 5));
  world.load();
  world.list(week(0, 6));
  world.list(week(7, 13));
  world.list(week(14, 15));
  check(world.load(), LoadAction::append, LoadReason::more, "d6 d7 d8 d9 d10 d11 d12 d13 d14 d15");
}

TEST_CASE("where a delta between was pruned, or never held, only the bulk file helps") {
  for (const bool pruned : {false, true}) {
    CAPTURE(pruned);
    World world;
    world.list(week(0, 3));
    world.load();
    world.list(week(0, 6), pruned ? Numbers{} : Numbers{5});
    world.list(week(7, 8));
    if (pruned) world.drop(delta(5).name);
    const Offer offer = world.next();
    check(offer, LoadAction::reload, LoadReason::gap, "b7 d7 d8");
    CHECK(offer.why.day == day(5));
  }
}

TEST_CASE("a file that was loaded and then pruned does not break the join") {
  World world;
  world.list(week(0, 6));
  world.load();
  world.list(week(7, 8));
  for (int number = 0; number <= 6; ++number) world.drop(delta(number).name);
  world.drop(bulk(0).name);
  check(world.load(), LoadAction::append, LoadReason::more, "d7 d8");
}

TEST_CASE("a file whose newest edition was never held breaks the join") {
  World world;
  world.list(week(0, 6));
  world.load();
  auto corrected = week(0, 6);
  corrected[4].size += 1;
  world.list(corrected, {3});
  world.list(week(7, 7));
  const Offer offer = world.next();
  check(offer, LoadAction::reload, LoadReason::gap, "b7 d7");
  CHECK(offer.why.file == delta(3).name);
}

TEST_CASE("a day of which no listing said anything breaks the join") {
  World world;
  world.list(week(0, 5));
  world.load();
  world.list(week(7, 8));
  const Offer offer = world.next();
  check(offer, LoadAction::reload, LoadReason::gap, "b7 d7 d8");
  CHECK(offer.why.day == day(6));
}

TEST_CASE("a join that rests on an absent day says so, and is a reload for a strict consumer") {
  World world;
  world.list(week(0, 6, {4}));
  world.load();
  world.list(week(7, 7));
  const Offer offer = world.next();
  check(offer, LoadAction::append, LoadReason::more, "d7");
  CHECK(offer.assumes_absent == std::vector{day(4)});
  CHECK(offer.after.assumed == std::vector{day(4)});
  const Offer strict = world.next({.strict = true});
  check(strict, LoadAction::reload, LoadReason::assumes_absent, "b7 d7");
  CHECK(strict.why.day == day(4));
  CHECK(strict.assumes_absent.empty());
}

TEST_CASE("a delta that was taken for absent at a roll-over, and is listed after all, makes a reload") {
  World world;
  world.list(week(0, 6, {4}));
  world.load();
  world.list(week(7, 7));
  world.load();
  auto both = week(7, 8);
  both.push_back(delta(4));
  world.list(both);
  const Offer offer = world.load();
  check(offer, LoadAction::reload, LoadReason::was_not_absent, "b7 d7 d8");
  CHECK(offer.why.day == day(4));
  check(world.next(), LoadAction::none, LoadReason::nothing_new);
}

TEST_CASE("an entry that was listed before its day, and no more, is no delta that was listed after all") {
  World world;
  world.list(week(0, 1));
  world.list_early(week(0, 1), delta(4), day(1));
  world.list(week(0, 6, {4}));
  world.load();
  world.list(week(7, 7));
  CHECK(world.load().assumes_absent == std::vector{day(4)});
  check(world.next(), LoadAction::none, LoadReason::nothing_new);
}

TEST_CASE("while a new bulk file is not held, the deltas carry the older chain on") {
  World world;
  world.list(week(0, 6));
  world.load();
  world.list(week(7, 7), {}, false);
  check(world.load(), LoadAction::append, LoadReason::more, "d7");
  CHECK(world.position()->bulk.has_value());
  world.fetch(bulk(7));
  check(world.next(), LoadAction::none, LoadReason::nothing_new);
  world.list(week(7, 8));
  check(world.load(), LoadAction::append, LoadReason::more, "d8");
  CHECK_FALSE(world.position()->bulk.has_value());
}

TEST_CASE("a bulk load is due after reload_every, although deltas would do") {
  World world;
  world.list(week(0, 3));
  world.load();
  const ConsumerRules rules{.reload_every = std::chrono::days(30)};
  world.pass(std::chrono::days(29));
  check(world.next(rules), LoadAction::none, LoadReason::nothing_new);
  world.pass(std::chrono::days(2));
  const Offer offer = world.load(rules);
  check(offer, LoadAction::reload, LoadReason::due, "b0 d0 d1 d2 d3");
  CHECK(offer.why.count == 31);
  check(world.next(rules), LoadAction::none, LoadReason::nothing_new);
}

TEST_CASE("another session is a reload") {
  World world;
  world.list(week(0, 3));
  world.load();
  world.change_session();
  check(world.load(), LoadAction::reload, LoadReason::other_session, "b0 d0 d1 d2 d3");
}

TEST_CASE("an offer is held while its files are there as they were offered") {
  World world;
  world.list(week(0, 3));
  const Offer offer = world.next();
  CHECK(is_held(offer, world.held()));
  auto corrected = week(0, 3);
  corrected[2].size += 1;
  world.fetch(corrected[2]);
  CHECK_FALSE(is_held(offer, world.held()));
}

TEST_CASE("what was offered and not acknowledged changes nothing while it is as it was") {
  World world;
  world.list(week(0, 2));
  world.load();
  world.list(week(0, 4));
  const Offer unheard = world.next();
  CHECK(world.next_after(unheard) == unheard);
  world.list(week(0, 6));
  check(world.next_after(unheard), LoadAction::append, LoadReason::more, "d3 d4 d5 d6");
  world.list(week(7, 8));
  check(world.next_after(unheard), LoadAction::append, LoadReason::more, "d3 d4 d5 d6 d7 d8");
}

TEST_CASE("where a bulk load was offered and not acknowledged, no older delta follows it") {
  World world;
  world.list(week(0, 5));
  world.load();
  world.list(week(0, 6), {6});
  world.list(week(7, 7));
  const Offer unheard = world.next();
  check(unheard, LoadAction::reload, LoadReason::gap, "b7 d7");
  auto again = week(7, 8);
  again.push_back(delta(6));
  world.list(again);
  check(world.next(), LoadAction::append, LoadReason::more, "d6 d7 d8");
  check(world.next_after(unheard), LoadAction::reload, LoadReason::gap, "b7 d7 d8");
}

TEST_CASE("where a delta was offered and not acknowledged, another edition of it makes a reload") {
  World world;
  world.list(week(0, 2));
  world.load();
  world.list(week(0, 4));
  const Offer unheard = world.next();
  auto corrected = week(0, 5);
  corrected[5].size += 1;
  world.list(corrected);
  check(world.next(), LoadAction::append, LoadReason::more, "d3 d4 d5");
  check(world.next_after(unheard), LoadAction::reload, LoadReason::replaced, "b0 d0 d1 d2 d3 d4 d5");
}

TEST_CASE("where deltas were offered and not acknowledged, the older ones wait until the newer ones can follow") {
  World world;
  world.list(week(0, 2));
  world.load();
  world.list(week(0, 5));
  const Offer unheard = world.next();
  world.lose(delta(4).name);
  world.list(week(0, 5), {4});
  check(world.next(), LoadAction::append, LoadReason::more, "d3");
  const Offer waits = world.next_after(unheard);
  check(waits, LoadAction::wait, LoadReason::missing);
  CHECK(waits.why.file == delta(4).name);
  world.fetch(delta(4));
  check(world.next_after(unheard), LoadAction::append, LoadReason::more, "d3 d4 d5");
}

TEST_CASE("a consumer is behind since the first file came that it has not loaded") {
  World world;
  world.list(week(0, 1));
  world.load();
  world.list(week(0, 3));
  CHECK(world.behind() == eight(2));
  world.load();
  CHECK_FALSE(world.behind().has_value());
}

TEST_CASE("a consumer stays behind since then when another chain begins that its deltas do not join on to") {
  World world;
  world.list(week(0, 1));
  world.load();
  world.list(week(0, 6), {4});
  world.list(week(7, 8));
  check(world.next(), LoadAction::reload, LoadReason::gap, "b7 d7 d8");
  CHECK(world.behind() == eight(2));
}

TEST_CASE("a consumer stays behind since then when another edition takes the file's place") {
  World world;
  world.list(week(0, 1));
  world.load();
  auto corrected = week(0, 2);
  world.list(corrected);
  corrected.back().size += 1;
  world.list(corrected);
  CHECK(world.behind() == eight(2));
}

TEST_CASE("a consumer that has acknowledged nothing is behind since the first file of all came") {
  World world;
  world.list(week(0, 6));
  world.list(week(7, 8));
  CHECK(world.behind() == eight(0));
}

TEST_CASE("a consumer is not behind by a bulk file that its deltas join on to, but by the delta after it") {
  World world;
  world.list(week(0, 6));
  world.load();
  world.list(week(7, 6));
  CHECK_FALSE(world.behind().has_value());
  world.list(week(7, 8));
  CHECK(world.behind() == eight(7));
}

TEST_CASE("positions and offers are stored as they are") {
  World world;
  world.list(week(0, 6, {4}));
  const Offer first = world.load();
  CHECK(parse_offer(text_of(first)) == first);
  CHECK(parse_position(text_of(*world.position())) == *world.position());
  world.list(week(7, 9));
  const Offer joined = world.load();
  CHECK(parse_offer(text_of(joined)) == joined);
  CHECK(parse_position(text_of(*world.position())) == *world.position());
  CHECK(parse_position("{}").has_error());
  CHECK(parse_offer("[").has_error());
}

TEST_CASE("the words of actions and reasons read back") {
  for (const auto word : {"none", "append", "reload", "wait"}) {
    const auto action = load_action_named(word);
    REQUIRE(action.has_value());
    CHECK(name(*action) == word);
  }
  CHECK_FALSE(load_action_named("later").has_value());
  CHECK_FALSE(load_reason_named("because").has_value());
}

TEST_CASE("a consumer's name has letters, digits, - _ and . up to 64") {
  for (const auto* const good : {"warehouse", "a", "A-1_b.c", "..."}) CHECK(is_consumer_name(good));
  CHECK(is_consumer_name(std::string(64, 'x')));
  for (const auto* const bad : {"", ".", "..", "a b", "a/b", "../a", "gr\xc3\xbcn", "a\n"})
    CHECK_FALSE(is_consumer_name(bad));
  CHECK_FALSE(is_consumer_name(std::string(65, 'x')));
}
