#include "vtmirror/core/chain.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/upstream.hpp"

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

Names names(const Chain& chain) {
  Names names;
  for (const Held& file : chain.files) names.push_back(file.name);
  return names;
}

const Listed& bulk_of(const Files& listing) { return *std::ranges::find(listing, Kind::bulk, &Listed::kind); }

bool is_in(Date date, const std::vector<Date>& dates) { return std::ranges::find(dates, date) != dates.end(); }

/// The newest day of any file; a bulk file dated after its first deltas is newer than `through`.
Date reach(const Chain& chain) {
  Date newest = day(-1000);
  for (const Held& file : chain.files) newest = std::max(newest, file.date);
  return newest;
}

void check_loadable(const Chain& chain) {
  CHECK(std::ranges::is_sorted(chain.absent_upstream));
  if (chain.files.empty()) {
    CHECK_FALSE(chain.through);
    return;
  }
  CHECK(chain.files.front().kind == Kind::bulk);
  CHECK(chain.through == chain.files.back().date);
  Date expected = chain.files.front().date;
  if (chain.files.size() > 1) expected = std::min(expected, chain.files[1].date);
  for (std::size_t i = 1; i < chain.files.size(); ++i) {
    CHECK(chain.files[i].kind == Kind::delta);
    CHECK(chain.files[i].date >= expected);
    for (; expected < chain.files[i].date; expected = vtmirror::base::next_day(expected)) {
      CHECK(is_in(expected, chain.absent_upstream));
    }
    expected = vtmirror::base::next_day(expected);
  }
}

}  // namespace

TEST_CASE("a whole cycle is loaded bulk first, then its deltas by date") {
  const Files listing{delta(2), delta(0), bulk(0), delta(1)};
  const Chain chain = chain_of(listing, held(Files{delta(1), bulk(0), delta(2), delta(0)}));
  CHECK(names(chain) == names(Files{bulk(0), delta(0), delta(1), delta(2)}));
  CHECK(chain.complete);
  CHECK(chain.through == day(2));
  CHECK(chain.missing.empty());
  CHECK(chain.absent_upstream.empty());
  CHECK_FALSE(chain.continues);
}

TEST_CASE("deltas are ordered by their day, not by the text of their name") {
  const Files listing{bulk(14), delta(14), delta(15), delta(16), delta(17)};  // 29-11, 30-11, 01-12, 02-12
  CHECK(names(chain_of(listing, held(listing))) == names(listing));
}

TEST_CASE("the chain ends before the first delta that is listed and not held") {
  const Files listing{bulk(0), delta(0), delta(1), delta(2)};
  const Chain chain = chain_of(listing, held(Files{bulk(0), delta(0), delta(2)}));
  CHECK(names(chain) == names(Files{bulk(0), delta(0)}));
  CHECK_FALSE(chain.complete);
  CHECK(chain.missing == names(Files{delta(1)}));
  CHECK(chain.through == day(0));
}

TEST_CASE("a day without a delta upstream is named and does not end the chain") {
  const Files listing{bulk(0), delta(0), delta(1), delta(3)};
  const Chain chain = chain_of(listing, held(listing));
  CHECK(chain.files.size() == 4);
  CHECK(chain.complete);
  CHECK(chain.absent_upstream == std::vector{day(2)});
}

TEST_CASE("a bulk file's own day counts as absent when the deltas begin later, and today does not") {
  const Files listing{bulk(0), delta(1)};
  CHECK(chain_of(listing, held(listing)).absent_upstream == std::vector{day(0)});
  CHECK(absent_days(Files{bulk(0)}).empty());
  CHECK(absent_days(Files{bulk(2), delta(0), delta(2)}) == std::vector{day(1)});
}

TEST_CASE("a bulk file dated on a Monday is followed by all deltas listed with it, the Sunday's too") {
  const Files listing{bulk(1), delta(0), delta(1)};
  const Chain chain = chain_of(listing, held(listing));
  CHECK(names(chain) == names(listing));
  CHECK(chain.complete);
  CHECK(chain.absent_upstream.empty());
}

TEST_CASE("while the new bulk file is being downloaded, the chain continues from the one before") {
  const Files before{bulk(0), delta(0), delta(1), delta(2), delta(3), delta(4), delta(5), delta(6)};
  const Files listing{bulk(7), delta(7), delta(8)};
  auto holding = held(before);
  holding.push_back(held(delta(7)));
  const Chain chain = chain_of(listing, holding);
  CHECK(names(chain).back() == delta(7).name);
  CHECK(chain.files.size() == 9);
  CHECK(chain.missing == names(Files{bulk(7), delta(8)}));
  CHECK(chain.through == day(7));

  holding.push_back(held(bulk(7)));
  const Chain after = chain_of(listing, holding);
  CHECK(names(after) == names(Files{bulk(7), delta(7)}));
  CHECK(after.continues == Continues{delta(6).name, true});
}

TEST_CASE("when a day was lost at the roll-over the older chain alone can be loaded, until the new bulk file is held") {
  const Files before{bulk(0), delta(0), delta(1), delta(2), delta(3), delta(4), delta(5)};
  const Files listing{bulk(7), delta(7)};
  auto holding = held(before);
  holding.push_back(held(delta(7)));
  CHECK(names(chain_of(listing, holding)) == names(before));

  holding.push_back(held(bulk(7)));
  const Chain after = chain_of(listing, holding);
  CHECK(names(after) == names(listing));
  CHECK(after.complete);
  CHECK(after.continues == Continues{delta(5).name, false});
}

TEST_CASE("a day that the new listing shows as absent is not lost at the roll-over") {
  auto holding = held(Files{bulk(0), delta(0), delta(1)});
  const Files listing{bulk(2), delta(3)};
  holding.push_back(held(delta(3)));
  CHECK(names(chain_of(listing, holding)) == names(Files{bulk(0), delta(0), delta(1), delta(3)}));
  holding.push_back(held(bulk(2)));
  CHECK(chain_of(listing, holding).continues == Continues{delta(1).name, true});
}

TEST_CASE("a gap in the older cycle ends its chain, unless the day was absent from that cycle's listing") {
  const auto holding = held(Files{bulk(0), delta(0), delta(2), delta(3)});
  const Files listing{bulk(4), delta(4)};
  CHECK(names(chain_of(listing, holding)) == names(Files{bulk(0), delta(0)}));
  const std::vector<Date> told = absent_days(Files{bulk(0), delta(0), delta(2), delta(3)});
  const Chain chain = chain_of(listing, holding, told);
  CHECK(names(chain) == names(Files{bulk(0), delta(0), delta(2), delta(3)}));
  CHECK(chain.absent_upstream == std::vector{day(1)});
}

TEST_CASE("days that were absent in cycles before this chain are not reported again") {
  const Files listing{bulk(7), delta(7)};
  const std::vector<Date> earlier{day(3), day(4)};
  CHECK(chain_of(listing, held(listing), earlier).absent_upstream.empty());
}

TEST_CASE("a delta held from before the first listed one is what the chain continues") {
  const Files listing{bulk(7), delta(8)};
  const auto holding = held(Files{delta(6), delta(7), bulk(7), delta(8)});
  const Chain chain = chain_of(listing, holding);
  CHECK(names(chain) == names(listing));
  CHECK(chain.continues == Continues{delta(7).name, true});
}

TEST_CASE("a file held of another day than listed is missing and is not loaded in its place") {
  const Files listing{bulk(0), {Kind::delta, "delta.zip", day(1), 10}};
  const Chain chain = chain_of(listing, held(Files{bulk(0), {Kind::delta, "delta.zip", day(2), 10}}));
  CHECK(names(chain) == names(Files{bulk(0)}));
  CHECK(chain.missing == Names{"delta.zip"});
}

TEST_CASE("nothing can be loaded without a bulk file") {
  const Files listing{bulk(0), delta(0)};
  const Chain chain = chain_of(listing, held(Files{delta(0)}));
  CHECK(chain.files.empty());
  CHECK_FALSE(chain.through);
  CHECK_FALSE(chain.continues);
  CHECK(chain.missing == names(Files{bulk(0)}));
}

TEST_CASE("an empty listing is not complete and takes nothing away") {
  const Files files{bulk(0), delta(0), delta(1)};
  const Chain chain = chain_of({}, held(files));
  CHECK_FALSE(chain.complete);
  CHECK(names(chain) == names(files));
}

TEST_CASE("a bulk file whose entry was refused does not take the chain away") {
  const Files files{bulk(0), delta(0), delta(1)};
  CHECK(names(chain_of(Files{delta(0), delta(1)}, held(files))) == names(files));
  const Files monday{bulk(1), delta(0), delta(1)};
  CHECK(names(chain_of(Files{delta(0), delta(1)}, held(monday))) == names(monday));
}

TEST_CASE("an older listing that comes back does not take a newer chain away") {
  const Files newer{bulk(7), delta(7), delta(8)};
  CHECK(names(chain_of(Files{bulk(0), delta(0)}, held(newer))) == names(newer));
  CHECK(names(chain_of(Files{bulk(0), delta(0)}, held(Files{delta(0), bulk(7), delta(7), delta(8)}))) == names(newer));
}

TEST_CASE("a file that upstream replaced is missing, and its older version stays loadable") {
  const Files listing{bulk(0, 200), delta(0), delta(1, 20)};
  const Chain chain = chain_of(listing, held(Files{bulk(0, 100), delta(0), delta(1, 10)}));
  CHECK(chain.files.size() == 3);
  CHECK(chain.files.front().size == 100);
  CHECK_FALSE(chain.complete);
  CHECK(chain.missing == names(Files{bulk(0), delta(1)}));
}

TEST_CASE("of two listed bulk files the newer one counts, with the deltas from its day on") {
  const Files listing{bulk(0), bulk(7), delta(0), delta(6), delta(7)};
  const Chain chain = chain_of(listing, held(listing));
  CHECK(names(chain) == names(Files{bulk(7), delta(7)}));
  CHECK(chain.complete);
  CHECK(chain.continues == Continues{delta(6).name, true});
}

TEST_CASE("an older bulk file without deltas is continued only when no day is lost from its own on") {
  CHECK(chain_of(Files{bulk(1), delta(1)}, held(Files{bulk(0), bulk(1)})).continues == Continues{bulk(0).name, false});
  CHECK(chain_of(Files{bulk(1), delta(0)}, held(Files{bulk(0), bulk(1)})).continues == Continues{bulk(0).name, true});
}

TEST_CASE("over any history a chain can be loaded, says the truth about the listing, and never shrinks") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Upstream upstream(random);
    std::vector<Held> holding;
    std::vector<Date> earlier_absent;
    Files last;
    for (int today = 0; today < 45; ++today) {
      CAPTURE(today);
      const Files listing = upstream.next_listing();
      if (!last.empty() && bulk_of(last).name != bulk_of(listing).name) {
        const auto told = absent_days(last);
        earlier_absent.insert(earlier_absent.end(), told.begin(), told.end());
      }
      Date before = reach(chain_of(last, holding, earlier_absent));
      last = listing;
      for (const Listed& file : listing) {
        if (std::ranges::find(holding, file.name, &Held::name) == holding.end() && chance(random, 60)) {
          holding.push_back(held(file));
        }
        std::shuffle(holding.begin(), holding.end(), random);
        const Chain chain = chain_of(listing, holding, earlier_absent);
        check_loadable(chain);
        CHECK(reach(chain) >= before);
        before = reach(chain);

        const auto is_held = [&](const Listed& listed) {
          return std::ranges::find(holding, listed.name, &Held::name) != holding.end();
        };
        CHECK(chain.complete == std::ranges::all_of(listing, is_held));
        CHECK(chain.missing.size() == static_cast<std::size_t>(std::ranges::count_if(listing, std::not_fn(is_held))));
        check_loadable(chain_of(listing, holding));
        Files reversed(listing.rbegin(), listing.rend());
        CHECK(chain_of(reversed, holding, earlier_absent) == chain);
      }
    }
  }
}
