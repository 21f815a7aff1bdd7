#include "vtmirror/core/chain.hpp"

#include "support/upstream.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace vtmirror::core;
using namespace vtmirror::test;
using vtmirror::base::Date;

namespace {

using Files = std::vector<Listed>;
using Names = std::vector<std::string>;

Names names(const Files& files) {
  Names names;
  for (const Listed& file : files) names.push_back(file.name);
  return names;
}

Names names(const std::vector<Held>& files) {
  Names names;
  for (const Held& file : files) names.push_back(file.name);
  return names;
}

Names names(const Chain& chain) { return names(chain.files); }

Names missing(const Chain& chain) {
  Names names;
  for (const Missing& file : chain.missing) names.push_back(file.name);
  return names;
}

/// An entry of that file that cannot be read.
Listed unreadable(Listed file) {
  file.size = 0;
  return file;
}

/// A mirror over many listings.
struct Mirror {
  Calendar calendar;
  std::vector<Held> holding;
  std::vector<Held> lost;
  std::int64_t generation = 0;

  void lists(const Files& files) { calendar = observe(std::move(calendar), listing_of(files), holding, lost); }
  void holds(const Files& files) {
    for (const Listed& file : files) {
      drop(file.name);
      holding.push_back(held(file));
      holding.back().since = ++generation;
    }
    calendar = with_stock(std::move(calendar), holding, lost);
  }
  /// Lists and holds.
  void has(const Files& files) {
    lists(files);
    holds(files);
  }
  void loses(const Listed& file) {
    lost.push_back(*std::ranges::find(holding, file.name, &Held::name));
    std::erase_if(holding, [&](const Held& held) { return held.name == file.name; });
    calendar = with_stock(std::move(calendar), holding, lost);
  }
  void drop(const std::string& name) {
    const auto same = [&](const Held& held) { return held.name == name; };
    std::erase_if(holding, same);
    std::erase_if(lost, same);
  }
  Chain chain() const { return chain_of(calendar, holding); }
  Continues continues() const {
    const auto found = chain().continues;
    REQUIRE(found);
    return *found;
  }
};

const Files first_week{bulk(0), delta(0), delta(1), delta(2), delta(3), delta(4), delta(5), delta(6)};
const Files second_week{bulk(7), delta(7)};

Files without(Files files, const Listed& file) {
  std::erase_if(files, [&](const Listed& each) { return each.name == file.name; });
  return files;
}

/// The first week with that entry instead of its own.
Files first_week_with(const Listed& entry) {
  Files files = without(first_week, entry);
  files.push_back(entry);
  return files;
}

/// A week that was listed and held day by day, as a daemon sees it.
Mirror after_first_week() {
  Mirror mirror;
  for (std::size_t day = 2; day <= first_week.size(); ++day)
    mirror.has(Files(first_week.begin(), first_week.begin() + static_cast<std::ptrdiff_t>(day)));
  return mirror;
}

/// Its last listing had that entry, whose edition never came; the second week was held, and its bulk file is lost.
Mirror after_a_lost_bulk(const Listed& entry) {
  Mirror mirror = after_first_week();
  mirror.lists(first_week_with(entry));
  mirror.has(second_week);
  mirror.loses(bulk(7));
  return mirror;
}

}  // namespace

TEST_CASE("a whole cycle is loaded bulk first, then its deltas by date") {
  Mirror mirror;
  mirror.has({delta(2), delta(0), bulk(0), delta(1)});
  const Chain chain = mirror.chain();
  CHECK(names(chain) == names(Files{bulk(0), delta(0), delta(1), delta(2)}));
  CHECK(chain.complete);
  CHECK(chain.through == day(2));
  CHECK(chain.missing.empty());
  CHECK(chain.absent_upstream.empty());
  CHECK_FALSE(chain.continues);
}

TEST_CASE("deltas are ordered by their day, not by the text of their name") {
  const Files listing{bulk(14), delta(14), delta(15), delta(16), delta(17)};  // 29-11, 30-11, 01-12, 02-12
  Mirror mirror;
  mirror.has(listing);
  CHECK(names(mirror.chain()) == names(listing));
}

TEST_CASE("the chain ends before the first delta that is listed and not held") {
  Mirror mirror;
  mirror.lists({bulk(0), delta(0), delta(1), delta(2)});
  mirror.holds({bulk(0), delta(0), delta(2)});
  const Chain chain = mirror.chain();
  CHECK(names(chain) == names(Files{bulk(0), delta(0)}));
  CHECK_FALSE(chain.complete);
  CHECK(chain.missing == std::vector<Missing>{{Kind::delta, delta(1).name, day(1), MissingReason::not_downloaded}});
  CHECK(chain.through == day(0));
}

TEST_CASE("a day without a delta upstream is named and does not end the chain") {
  Mirror mirror;
  mirror.has({bulk(0), delta(0), delta(1), delta(3)});
  const Chain chain = mirror.chain();
  CHECK(chain.files.size() == 4);
  CHECK(chain.complete);
  CHECK(chain.absent_upstream == std::vector{day(2)});
}

TEST_CASE("a bulk file's own day counts as absent when the deltas begin later, and today does not") {
  Mirror mirror;
  mirror.has({bulk(0)});
  CHECK(mirror.chain().absent_upstream.empty());
  mirror.has({bulk(0), delta(1)});
  CHECK(mirror.chain().absent_upstream == std::vector{day(0)});
  CHECK(mirror.chain().files.size() == 2);
}

TEST_CASE("a day that was absent is absent no more when its delta is listed late") {
  Mirror mirror;
  mirror.has({bulk(0), delta(0), delta(2)});
  CHECK(mirror.chain().absent_upstream == std::vector{day(1)});
  mirror.lists({bulk(0), delta(0), delta(1), delta(2)});
  CHECK(mirror.chain().absent_upstream.empty());
  CHECK(names(mirror.chain()) == names(Files{bulk(0), delta(0)}));
  CHECK_FALSE(mirror.chain().complete);
}

TEST_CASE("a refused entry makes its day missing, not absent") {
  Mirror mirror;
  mirror.lists({bulk(0), delta(0), unreadable(delta(1)), delta(2)});
  mirror.holds({bulk(0), delta(0), delta(2)});
  const Chain chain = mirror.chain();
  CHECK(chain.absent_upstream.empty());
  CHECK_FALSE(chain.complete);
  CHECK(names(chain) == names(Files{bulk(0), delta(0)}));
  REQUIRE(chain.missing.size() == 1);
  CHECK(chain.missing[0].name == delta(1).name);
  CHECK(chain.missing[0].date == day(1));
  CHECK(chain.missing[0].reason == MissingReason::refused);
  CHECK(chain.missing[0].cause == Cause{.detail = "fileSize: it is missing"});
}

TEST_CASE("a refused entry that names no day leaves no day absent") {
  Mirror mirror;
  auto listing = listing_of({bulk(0), delta(0), delta(2)});
  listing.refused.push_back({Kind::delta, "delta[1]", "filename: it is missing", std::nullopt});
  mirror.calendar = observe({}, listing, {}, {});
  mirror.holds({bulk(0), delta(0), delta(2)});
  const Chain chain = mirror.chain();
  CHECK(chain.absent_upstream.empty());
  CHECK_FALSE(chain.complete);
  CHECK(names(chain) == names(Files{bulk(0), delta(0)}));
  CHECK(chain.missing ==
        std::vector<Missing>{
            {Kind::delta, "delta[1]", std::nullopt, MissingReason::refused, {.detail = "filename: it is missing"}}});
  mirror.lists({bulk(0), delta(0), delta(2)});
  CHECK(mirror.chain().complete);
  CHECK(mirror.chain().absent_upstream == std::vector{day(1)});
}

TEST_CASE("a refused entry whose name states another day than its date is missing for good, and no absent day") {
  Mirror mirror;
  auto listing = listing_of({bulk(0), delta(0), delta(2)});
  listing.refused.push_back({Kind::delta, delta(1).name, "the dates disagree", day(1)});
  mirror.calendar = observe({}, listing, {}, {});
  mirror.holds({bulk(0), delta(0), delta(2)});
  CHECK(mirror.chain().absent_upstream.empty());
  mirror.lists({bulk(0), delta(0), delta(2)});
  CHECK(mirror.chain().absent_upstream.empty());
}

TEST_CASE("a refused entry beside a readable one of the same day does not end the chain") {
  Mirror mirror;
  Listed odd = unreadable(delta(1));
  odd.name = "v1/other/delta-light-vehicle_16-11-2026.zip";
  mirror.lists({bulk(0), delta(0), delta(1), odd});
  mirror.holds({bulk(0), delta(0), delta(1)});
  CHECK(mirror.chain().files.size() == 3);
  CHECK(missing(mirror.chain()) == Names{odd.name});
}

TEST_CASE("a held delta whose entry cannot be read for a day stays in the chain") {
  Mirror mirror;
  mirror.has({bulk(0), delta(0), delta(1)});
  mirror.lists({bulk(0), delta(0), unreadable(delta(1)), delta(2)});
  mirror.holds({delta(2)});
  CHECK(names(mirror.chain()) == names(Files{bulk(0), delta(0), delta(1), delta(2)}));
  CHECK(mirror.chain().missing.empty());
}

TEST_CASE("a file that is lost leaves the chain and is missing until it is back") {
  Mirror mirror;
  mirror.has({bulk(0), delta(0), delta(1), delta(2)});
  mirror.loses(delta(1));
  CHECK(names(mirror.chain()) == names(Files{bulk(0), delta(0)}));
  CHECK(mirror.chain().missing == std::vector<Missing>{{Kind::delta, delta(1).name, day(1), MissingReason::lost}});
  mirror.holds({delta(1)});
  CHECK(mirror.chain().complete);
}

TEST_CASE("a file that is lost after it left the listing is lost, and not one that is still to be downloaded") {
  Mirror mirror;
  mirror.has({bulk(0), delta(0), delta(1), delta(2)});
  mirror.lists({bulk(0), delta(0), delta(1)});
  mirror.loses(delta(2));
  CHECK(names(mirror.chain()) == names(Files{bulk(0), delta(0), delta(1)}));
  CHECK(mirror.chain().missing == std::vector<Missing>{{Kind::delta, delta(2).name, day(2), MissingReason::lost}});
}

TEST_CASE("what stands in the way of a missing file is shown with it") {
  Mirror mirror;
  mirror.lists({bulk(0), delta(0)});
  const std::vector<Obstacle> obstacles{
      {bulk(0).name, MissingReason::does_not_fit, {.fields = {{"needed", std::int64_t{40}}}}},
      {delta(0).name, MissingReason::quarantined, {.detail = "a member is cut"}}};
  const auto rows = chain_of(mirror.calendar, mirror.holding, obstacles).missing;
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].reason == MissingReason::does_not_fit);
  CHECK(number(rows[0].cause, "needed") == 40);
  CHECK(rows[1].reason == MissingReason::quarantined);
  CHECK(rows[1].cause.detail == "a member is cut");
}

TEST_CASE("a delta that is dated before its bulk file is in no chain of that file") {
  Mirror mirror;
  mirror.has({bulk(1), delta(0), delta(1)});
  const Chain chain = mirror.chain();
  CHECK(names(chain) == names(Files{bulk(1), delta(1)}));
  CHECK(chain.complete);
  CHECK(chain.absent_upstream.empty());
}

TEST_CASE("while the new bulk file is being downloaded the older chain continues with the new deltas") {
  Mirror mirror = after_first_week();
  mirror.lists({bulk(7), delta(7), delta(8)});
  mirror.holds({delta(7)});
  const Chain chain = mirror.chain();
  CHECK(names(chain).back() == delta(7).name);
  CHECK(chain.files.size() == 9);
  CHECK(missing(chain) == names(Files{bulk(7), delta(8)}));
  CHECK(chain.through == day(7));
  mirror.holds({bulk(7)});
  CHECK(names(mirror.chain()) == names(Files{bulk(7), delta(7)}));
}

TEST_CASE("deltas join on to a chain of which every day was held") {
  Mirror mirror = after_first_week();
  mirror.has(second_week);
  const Continues continues = mirror.continues();
  CHECK(continues.contiguous);
  CHECK(continues.after == delta(6).name);
  CHECK(continues.sha256 == "digest");
  CHECK(continues.generation == mirror.generation - 2);
  CHECK(continues.reason == "held");
  CHECK(continues.assumes_absent.empty());
}

TEST_CASE("pruning the chain before changes nothing of what continues it") {
  Mirror mirror = after_first_week();
  mirror.has(second_week);
  const Continues before = mirror.continues();
  for (const Listed& file : first_week) mirror.drop(file.name);
  CHECK(mirror.continues() == before);
}

TEST_CASE("a day that was absent is assumed to be so by what rests on it") {
  Mirror mirror;
  mirror.has(without(first_week, delta(3)));
  mirror.has(second_week);
  const Continues continues = mirror.continues();
  CHECK(continues.contiguous);
  CHECK(continues.reason == "absent");
  CHECK(continues.assumes_absent == std::vector{day(3)});
}

TEST_CASE("the last day before a roll-over that was never listed is a gap") {
  Mirror mirror;
  mirror.has(without(first_week, delta(6)));
  mirror.has(second_week);
  const Continues continues = mirror.continues();
  CHECK_FALSE(continues.contiguous);
  CHECK(continues.reason == "gap");
  CHECK(continues.after == delta(5).name);
}

TEST_CASE("a day in the middle that never came breaks the join, and the chain before ended there") {
  Mirror mirror;
  mirror.lists(first_week);
  mirror.holds(without(first_week, delta(3)));
  mirror.has(second_week);
  const Continues continues = mirror.continues();
  CHECK_FALSE(continues.contiguous);
  CHECK(continues.reason == "gap");
  CHECK(continues.after == delta(2).name);
}

TEST_CASE("an entry that was refused until its listing ended breaks the join") {
  Mirror mirror;
  mirror.lists(first_week_with(unreadable(delta(3))));
  mirror.holds(without(first_week, delta(3)));
  mirror.has(second_week);
  CHECK_FALSE(mirror.continues().contiguous);
  CHECK(mirror.continues().reason == "refused");
  CHECK(mirror.continues().after == delta(2).name);
}

TEST_CASE("an edition that was replaced and did not come before the roll-over breaks the join") {
  Mirror mirror = after_first_week();
  mirror.lists(first_week_with(delta(4, 5)));
  CHECK(mirror.chain().files.size() == 8);
  CHECK(missing(mirror.chain()) == Names{delta(4).name});
  mirror.has(second_week);
  CHECK_FALSE(mirror.continues().contiguous);
  CHECK(mirror.continues().reason == "replaced");
}

TEST_CASE("an edition of the same size that the store changed counts as replaced") {
  Mirror mirror = after_first_week();
  std::ranges::find(mirror.calendar.files, delta(4).name, &ListedFile::name)->changed = true;
  CHECK_FALSE(mirror.chain().complete);
  mirror.has(second_week);
  CHECK(mirror.continues().reason == "replaced");
}

TEST_CASE("a file that was lost before the roll-over breaks the join, and one that was lost after it does not") {
  Mirror early = after_first_week();
  early.loses(delta(4));
  early.has(second_week);
  CHECK(early.continues().reason == "lost");
  Mirror late = after_first_week();
  late.has(second_week);
  late.loses(delta(4));
  CHECK(late.continues().contiguous);
}

TEST_CASE("after a bulk file is lost, the chain from the one before ends where a join from there would break") {
  Mirror mirror = after_a_lost_bulk(delta(4, 5));
  CHECK(names(mirror.chain()) == names(Files{bulk(0), delta(0), delta(1), delta(2), delta(3)}));
  CHECK(missing(mirror.chain()) == Names{bulk(7).name, delta(4).name});
  mirror.has({bulk(14), delta(14)});
  CHECK(mirror.continues().after != delta(3).name);
  // Nothing changes for the week whose bulk file has not come yet: it may, and the join knows of the generation.
  Mirror waiting = after_first_week();
  waiting.lists(first_week_with(delta(4, 5)));
  waiting.lists(second_week);
  waiting.holds({delta(7)});
  CHECK(waiting.chain().files.back().name == delta(7).name);
}

TEST_CASE("after a bulk file is lost, a held delta whose last entry was refused ends the chain, and is named") {
  Mirror mirror = after_a_lost_bulk(unreadable(delta(4)));
  // The service lists the older bulk file once more.
  mirror.lists({bulk(0), delta(7)});
  const Chain chain = mirror.chain();
  CHECK(names(chain) == names(Files{bulk(0), delta(0), delta(1), delta(2), delta(3)}));
  CHECK_FALSE(chain.complete);
  REQUIRE(missing(chain) == Names{delta(4).name});
  CHECK(chain.missing.front().reason == MissingReason::refused);
}

TEST_CASE("after a bulk file is lost, nothing follows an older one that was not held in its last edition") {
  Mirror mirror = after_a_lost_bulk(bulk(0, 5));
  CHECK(names(mirror.chain()) == names(Files{bulk(0)}));
  CHECK(missing(mirror.chain()) == Names{bulk(0).name, bulk(7).name});
}

TEST_CASE("a download that ends after its file left the listing counts") {
  Mirror mirror;
  mirror.lists(first_week);
  mirror.holds(without(first_week, delta(6)));
  mirror.has(second_week);
  CHECK_FALSE(mirror.continues().contiguous);
  mirror.holds({delta(6)});
  CHECK(mirror.continues().contiguous);
  CHECK(mirror.continues().generation == mirror.generation);
}

TEST_CASE("when the bulk file of a cycle never came, the join looks back to the last one that did") {
  Mirror mirror = after_first_week();
  mirror.lists({bulk(7), delta(7), delta(8), delta(9), delta(10), delta(11), delta(12), delta(13)});
  mirror.holds({delta(7), delta(8), delta(9), delta(10), delta(11), delta(12), delta(13)});
  mirror.has({bulk(14), delta(14)});
  CHECK(mirror.continues().contiguous);
  CHECK(mirror.continues().after == delta(13).name);
}

TEST_CASE("a mirror that was off over the roll-over knows of no absence") {
  Mirror mirror;
  mirror.has({bulk(0), delta(0), delta(1)});
  mirror.lists({bulk(7), delta(7), delta(8), delta(9)});
  mirror.holds({delta(7), delta(8), delta(9)});
  CHECK(names(mirror.chain()) == names(Files{bulk(0), delta(0), delta(1)}));
  mirror.holds({bulk(7)});
  CHECK(mirror.continues().reason == "gap");
}

TEST_CASE("an older bulk file beside new deltas does not make the days between absent") {
  Mirror mirror = after_first_week();
  mirror.has({bulk(0), delta(7), delta(8)});
  const Chain chain = mirror.chain();
  CHECK(chain.absent_upstream.empty());
  CHECK(chain.files.size() == 10);
  CHECK(chain.complete);
  Mirror fresh;
  fresh.has({bulk(0), delta(7), delta(8)});
  CHECK(fresh.chain().absent_upstream.empty());
  CHECK(names(fresh.chain()) == names(Files{bulk(0)}));
  CHECK(fresh.chain().unaccounted.size() == 7);
  CHECK_FALSE(fresh.chain().complete);
}

TEST_CASE("an older bulk file, a late delta and new deltas make no day before the newer bulk file absent") {
  // The catalogue knows nothing of the older week: it was rebuilt after the roll-over.
  Mirror mirror;
  mirror.has({bulk(7), delta(5), delta(7)});
  mirror.has({bulk(0), delta(5), delta(7), delta(9)});
  CHECK(mirror.calendar.absent == std::vector{day(8)});
  CHECK_FALSE(mirror.continues().contiguous);
  CHECK(mirror.continues().assumes_absent.empty());
}

TEST_CASE("two bulk files at once leave the older cycle's absent days as they were") {
  Mirror mirror;
  const Files week = without(first_week, delta(3));
  mirror.has(week);
  Files both = week;
  both.push_back(bulk(7));
  both.push_back(delta(7));
  mirror.lists(both);
  mirror.holds({delta(7)});
  CHECK(mirror.chain().through == day(7));
  CHECK(mirror.chain().absent_upstream == std::vector{day(3)});
  mirror.lists({bulk(0), bulk(7), delta(7)});
  CHECK(mirror.chain().through == day(7));
  CHECK(mirror.chain().absent_upstream == std::vector{day(3)});
  mirror.holds({bulk(7)});
  CHECK(names(mirror.chain()) == names(second_week));
  CHECK(mirror.continues().assumes_absent == std::vector{day(3)});
}

TEST_CASE("a late delta beside a newer bulk file makes no day before that bulk file absent") {
  const Files listing{bulk(0), bulk(7), delta(5), delta(7), delta(9)};
  Mirror fresh;
  fresh.has(listing);
  CHECK(names(fresh.chain()) == names(Files{bulk(7), delta(7), delta(9)}));
  CHECK(fresh.chain().absent_upstream == std::vector{day(8)});
  CHECK_FALSE(fresh.continues().contiguous);
  CHECK(fresh.continues().assumes_absent.empty());

  Mirror ran;
  for (const auto& last : {delta(4), delta(6)}) {
    ran.has({bulk(0), delta(0), delta(1), delta(2), delta(3), delta(4), last});
  }
  ran.has(second_week);
  CHECK(ran.continues().assumes_absent == std::vector{day(5)});
  ran.has(listing);
  CHECK(ran.continues().contiguous);
  CHECK(ran.continues().assumes_absent.empty());
  CHECK(ran.calendar.absent == std::vector{day(8)});
}

TEST_CASE("after the catalogue was rebuilt, no chain joins on over files of which only the old one knew more") {
  Mirror mirror = after_first_week();
  mirror.has(second_week);
  mirror.calendar = rebuilt({}, mirror.holding, {});
  CHECK(names(mirror.chain()) == names(second_week));
  CHECK_FALSE(mirror.continues().contiguous);
  CHECK(mirror.continues().reason == "gap");
  // Listed again, they are known again.
  mirror.lists(first_week);
  CHECK(mirror.continues().contiguous);
  // Without the newer bulk file, the chain ends where that would be, and says why.
  mirror.calendar = rebuilt({}, mirror.holding, {});
  mirror.loses(bulk(7));
  CHECK(names(mirror.chain()) == Names{bulk(0).name});
  REQUIRE(!mirror.chain().missing.empty());
  CHECK(mirror.chain().missing.back().name == delta(7).name);
  for (const auto& file : mirror.chain().missing) CHECK(file.cause.detail.find("was rebuilt") != std::string::npos);
  mirror.holds({bulk(7)});
  // What the manifest says of the chain before is certain.
  mirror.calendar = rebuilt({}, mirror.holding, {bulk(0).date, bulk(7).date});
  CHECK(mirror.continues().contiguous);
  mirror.has(second_week);
  mirror.has({bulk(8), delta(8)});
  CHECK(mirror.continues().contiguous);
}

TEST_CASE("after the catalogue was rebuilt, a file of which a newer edition is known stands for no other") {
  Mirror mirror = after_first_week();
  mirror.has(second_week);
  const std::vector older{delta(2).name};
  mirror.calendar = rebuilt({}, mirror.holding, {bulk(0).date, bulk(7).date}, older);
  CHECK_FALSE(mirror.continues().contiguous);
  CHECK(mirror.continues().reason == "replaced");
  // Nobody knows either of any other that was not in that week.
  for (const auto& file : mirror.calendar.files) {
    CAPTURE(file.name);
    CHECK(file.changed == (file.name == older.front()));
    CHECK(is_uncertain(file) == (file.date >= bulk(7).date));
  }
}

TEST_CASE(
    "after the catalogue was rebuilt, the next chain does not join on where the newest entry of a held file was "
    "refused") {
  Mirror mirror = after_first_week();
  mirror.has(second_week);
  mirror.lists({bulk(7), unreadable(delta(7))});
  CHECK(names(mirror.chain()) == names(second_week));
  CHECK(mirror.chain().missing.empty());
  // That was the last listing before the roll-over, and only the lost catalogue knew of it.
  mirror.calendar = rebuilt({}, mirror.holding, {bulk(0).date, bulk(7).date});
  mirror.has({bulk(8), delta(8)});
  CHECK_FALSE(mirror.continues().contiguous);
}

TEST_CASE("a delta that left the listing of its own cycle before it came is missing") {
  Mirror mirror;
  mirror.lists({bulk(0), delta(0), delta(1), delta(2)});
  mirror.holds({bulk(0), delta(0), delta(2)});
  mirror.lists({bulk(0), delta(0), delta(2)});
  CHECK(missing(mirror.chain()) == Names{delta(1).name});
  CHECK_FALSE(mirror.chain().complete);
  CHECK(mirror.chain().absent_upstream.empty());
}

TEST_CASE("a bulk file that left the listing before its newest edition came is missing while the chain rests on it") {
  Mirror mirror = after_first_week();
  Files listing = first_week_with(bulk(0, 5));
  mirror.lists(listing);
  // The service lists an older bulk file.
  listing.back() = bulk(-7);
  mirror.lists(listing);
  CHECK(names(mirror.chain()) == names(first_week));
  CHECK(missing(mirror.chain()) == Names{bulk(-7).name, bulk(0).name});
  CHECK_FALSE(mirror.chain().complete);
  mirror.has(second_week);
  CHECK(missing(mirror.chain()).empty());
  CHECK(mirror.chain().complete);
}

TEST_CASE("an older listing that comes back does not take a newer chain away") {
  Mirror mirror = after_first_week();
  mirror.has(second_week);
  mirror.lists({bulk(0), delta(0)});
  CHECK(names(mirror.chain()) == names(second_week));
}

TEST_CASE("a file that upstream replaced is missing, and its older version stays loadable") {
  Mirror mirror;
  mirror.has({bulk(0, 100), delta(0), delta(1, 10)});
  mirror.lists({bulk(0, 200), delta(0), delta(1, 20)});
  const Chain chain = mirror.chain();
  CHECK(chain.files.size() == 3);
  CHECK(chain.files.front().size == 100);
  CHECK_FALSE(chain.complete);
  CHECK(missing(chain) == names(Files{bulk(0), delta(1)}));
}

TEST_CASE("nothing can be loaded without a bulk file, and nothing is known before a listing") {
  Mirror mirror;
  mirror.lists({bulk(0), delta(0)});
  mirror.holds({delta(0)});
  CHECK(mirror.chain().files.empty());
  CHECK_FALSE(mirror.chain().through);
  CHECK_FALSE(mirror.chain().continues);
  CHECK(missing(mirror.chain()) == names(Files{bulk(0)}));
  CHECK(chain_of({}, {}) == Chain{});
}

TEST_CASE("files that are held from before listings were kept are loaded") {
  const auto holding = held(first_week);
  const Chain chain = chain_of(with_stock({}, holding, {}), holding);
  CHECK(names(chain) == names(first_week));
  CHECK_FALSE(chain.complete);
}

TEST_CASE("a listing says something when it names a bulk file, readable or not") {
  CHECK(is_usable(listing_of({bulk(0)})));
  CHECK(is_usable(listing_of({unreadable(bulk(0)), delta(0)})));
  CHECK_FALSE(is_usable(listing_of({})));
  CHECK_FALSE(is_usable(listing_of({delta(0), delta(1)})));
}

TEST_CASE("over any calendar a chain can be loaded, never shrinks, and holds what is on disk alone") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Upstream upstream(random);
    Mirror mirror;
    Date reached = day(-1000);
    for (int today = 0; today < 45; ++today) {
      CAPTURE(today);
      const Files listing = upstream.next_listing();
      mirror.lists(listing);
      for (const Listed& file : listing) {
        const auto is_held = std::ranges::find(mirror.holding, file.name, &Held::name) != mirror.holding.end();
        if (!is_held && chance(random, 60)) mirror.holds({file});
      }
      std::shuffle(mirror.holding.begin(), mirror.holding.end(), random);
      const Chain chain = mirror.chain();
      CHECK(std::ranges::is_sorted(chain.absent_upstream));
      if (chain.files.empty()) continue;
      CHECK(chain.files.front().kind == Kind::bulk);
      CHECK(chain.through == chain.files.back().date);
      CHECK(chain.files.back().date >= reached);
      reached = chain.files.back().date;
      Date expected = chain.files.front().date;
      for (std::size_t i = 1; i < chain.files.size(); ++i) {
        CHECK(chain.files[i].kind == Kind::delta);
        for (; expected < chain.files[i].date; expected = vtmirror::base::next_day(expected))
          CHECK(std::ranges::find(chain.absent_upstream, expected) != chain.absent_upstream.end());
        expected = vtmirror::base::next_day(chain.files[i].date);
      }
      Files reversed(listing.rbegin(), listing.rend());
      CHECK(chain_of(observe(mirror.calendar, listing_of(reversed), mirror.holding, {}), mirror.holding) == chain);
    }
  }
}

TEST_CASE(
    "a day far from all others is a mistake in a date: it makes nothing absent, and is forgotten when it is gone") {
  Mirror mirror;
  auto odd = unreadable(delta(400));
  mirror.lists({bulk(0), delta(0), delta(1), odd});
  mirror.holds({bulk(0), delta(0), delta(1)});
  CHECK(mirror.chain().absent_upstream.empty());
  CHECK(missing(mirror.chain()) == Names{odd.name});
  mirror.has({bulk(0), delta(0), delta(1), delta(2)});
  CHECK(mirror.chain().complete);
  CHECK(mirror.chain().files.size() == 4);
  Mirror listed;
  listed.has({bulk(0), delta(0), delta(400)});
  CHECK(listed.chain().absent_upstream.empty());
  CHECK(names(listed.chain()) == names(Files{bulk(0), delta(0)}));
}

TEST_CASE("an entry that was never readable is missing no more when another one has had that day's file") {
  Mirror mirror;
  auto odd = unreadable(delta(1));
  odd.name = "delta of 2026-11-16";
  mirror.has({bulk(0), delta(0)});
  mirror.lists({bulk(0), delta(0), odd});
  CHECK(missing(mirror.chain()) == Names{odd.name});
  mirror.has({bulk(0), delta(0), delta(1), delta(2)});
  CHECK(mirror.chain().complete);
  CHECK(mirror.chain().files.size() == 4);
}

TEST_CASE("an odd name that is refused on another day makes neither day absent") {
  Mirror mirror;
  auto odd = unreadable(delta(1));
  odd.name = "passwd";
  mirror.lists({bulk(0), delta(0), odd, delta(2)});
  mirror.holds({bulk(0), delta(0), delta(2)});
  auto next = unreadable(delta(3));
  next.name = "passwd";
  mirror.lists({bulk(0), delta(0), delta(2), next, delta(4)});
  mirror.holds({delta(4)});
  CHECK(mirror.chain().absent_upstream.empty());
  CHECK(names(mirror.chain()) == names(Files{bulk(0), delta(0)}));
}

TEST_CASE("a bulk file from before the chain that is listed and does not come takes nothing from what is complete") {
  Mirror mirror;
  mirror.lists({bulk(0), bulk(7), delta(7), delta(8)});
  mirror.holds({bulk(7), delta(7), delta(8)});
  CHECK(mirror.chain().complete);
  CHECK(missing(mirror.chain()) == Names{bulk(0).name});
}

namespace {

/// As a listing that comes on that day.
void lists_on(Date date, Mirror& mirror, const Files& files) {
  auto listing = listing_of(files);
  refuse_days_to_come(listing, std::chrono::sys_days(date), std::nullopt);
  mirror.calendar = observe(std::move(mirror.calendar), listing, mirror.holding, mirror.lost);
}

void lists_on_day_2(Mirror& mirror, const Files& files) { lists_on(day(2), mirror, files); }

}  // namespace

TEST_CASE("a file that was listed before its day, and no more, is not waited for on its day") {
  for (const Listed& early : {delta(5), unreadable(delta(5))}) {
    Mirror mirror;
    mirror.has({bulk(0), delta(0), delta(1), delta(2)});
    lists_on_day_2(mirror, {bulk(0), delta(0), delta(1), delta(2), early});
    lists_on_day_2(mirror, {bulk(0), delta(0), delta(1), delta(2)});
    mirror.has({bulk(0), delta(0), delta(1), delta(2), delta(3), delta(4)});
    lists_on(day(4), mirror, {bulk(0), delta(0), delta(1), delta(2), delta(3), delta(4)});
    CHECK(mirror.chain().complete);
    CHECK(mirror.chain().missing.empty());
    mirror.has({bulk(0), delta(0), delta(1), delta(2), delta(3), delta(4), delta(6)});
    CHECK(mirror.chain().complete);
    CHECK(mirror.chain().absent_upstream == std::vector{day(5)});
  }
}

TEST_CASE("an unreadable entry stays missing after a listing that came by a clock which was behind") {
  Mirror mirror;
  mirror.has({bulk(0), delta(0), delta(1)});
  lists_on(day(2), mirror, {bulk(0), delta(0), delta(1), unreadable(delta(2))});
  mirror.has({bulk(0), delta(0), delta(1), delta(3)});
  for (const Date date : {day(3), day(0), day(3)}) {
    lists_on(date, mirror, {bulk(0), delta(0), delta(1), delta(3)});
    CHECK_FALSE(mirror.chain().complete);
    CHECK(mirror.chain().absent_upstream.empty());
  }
}

TEST_CASE("a file that came otherwise for the day of an entry that was listed too early is one of its day") {
  Mirror mirror;
  mirror.has({bulk(0), delta(0), delta(1), delta(2)});
  lists_on_day_2(mirror, {bulk(0), delta(0), delta(1), delta(2), delta(4)});
  lists_on_day_2(mirror, {bulk(0), delta(0), delta(1), delta(2)});
  mirror.has({bulk(0), delta(0), delta(1), delta(2), delta(3), delta(5)});
  REQUIRE(mirror.chain().absent_upstream == std::vector{day(4)});
  mirror.holds({bulk(0), delta(0), delta(1), delta(2), delta(3), delta(4), delta(5)});
  for (const bool is_listed_again : {false, true}) {
    CAPTURE(is_listed_again);
    if (is_listed_again) lists_on(day(5), mirror, {bulk(0), delta(0), delta(1), delta(2), delta(3), delta(5)});
    CHECK(mirror.chain().complete);
    CHECK(mirror.chain().files.size() == 7);
    CHECK(that_have_come(mirror.calendar, mirror.holding).size() == 7);
  }
}

TEST_CASE("a listed file of a day to come is in no chain, and no chain lacks it or the days before it") {
  for (const Listed& early :
       {delta(5), delta(100), delta(400), unreadable(delta(20)), unreadable(delta(90)), bulk(6), bulk(365)}) {
    CAPTURE(early.name);
    Mirror mirror;
    mirror.has({bulk(0), delta(0), delta(1), delta(2)});
    lists_on_day_2(mirror, {bulk(0), delta(0), delta(1), delta(2), early});
    for (const bool listed : {true, false}) {
      CAPTURE(listed);
      if (!listed) lists_on_day_2(mirror, {bulk(0), delta(0), delta(1), delta(2)});
      const Chain chain = mirror.chain();
      CHECK(names(chain) == names(Files{bulk(0), delta(0), delta(1), delta(2)}));
      CHECK(chain.complete);
      CHECK(chain.missing.empty());
      CHECK(chain.unaccounted.empty());
      CHECK(chain.absent_upstream.empty());
    }
  }
}

TEST_CASE("a file of a day to come that is held leaves the chain with the next listing, and may be a file on its day") {
  for (const Listed& early : {delta(5), delta(100), bulk(100)}) {
    CAPTURE(early.name);
    Mirror mirror;
    mirror.has({bulk(0), delta(0), delta(1), delta(2), early});
    REQUIRE_FALSE((mirror.chain().complete && mirror.chain().files.size() == 4));
    lists_on_day_2(mirror, {bulk(0), delta(0), delta(1), delta(2)});
    const Chain chain = mirror.chain();
    CHECK(names(chain) == names(Files{bulk(0), delta(0), delta(1), delta(2)}));
    CHECK(chain.complete);
    CHECK(std::ranges::none_of(chain.absent_upstream, [](Date absent) { return absent > day(3); }));
    CHECK(names(that_have_come(mirror.calendar, mirror.holding)) ==
          names(Files{bulk(0), delta(0), delta(1), delta(2)}));
    auto later = listing_of({early});
    refuse_days_to_come(later, std::chrono::sys_days(early.date), std::nullopt);
    mirror.calendar = observe(std::move(mirror.calendar), later, mirror.holding, mirror.lost);
    CHECK(that_have_come(mirror.calendar, mirror.holding).size() == 5);
  }
}
