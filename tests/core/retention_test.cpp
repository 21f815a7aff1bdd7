#include "vtmirror/core/retention.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/upstream.hpp"

using namespace vtmirror::core;
using namespace vtmirror::test;

namespace {

using Files = std::vector<Listed>;
using Names = std::vector<std::string>;

const Files three_cycles{bulk(0), delta(0), delta(6), bulk(7), delta(7), delta(13), bulk(14), delta(14)};
const Files newest{bulk(14), delta(14)};

bool is_in(const std::string& name, const Names& names) { return std::ranges::find(names, name) != names.end(); }

std::vector<Held> without(std::vector<Held> files, const Names& names) {
  std::erase_if(files, [&](const Held& file) { return is_in(file.name, names); });
  return files;
}

}  // namespace

TEST_CASE("a delta of the bulk file's own day follows that bulk file") {
  const auto cycles = held_chains_of(held(Files{delta(8), delta(7), bulk(0), bulk(7), delta(6)}));
  REQUIRE(cycles.size() == 2);
  CHECK(cycles[0].files == held(Files{bulk(7), delta(7), delta(8)}));
  CHECK(cycles[1].files == held(Files{bulk(0), delta(6)}));
}

TEST_CASE("deltas older than every bulk file are a group without one") {
  const auto cycles = held_chains_of(held(Files{delta(5), bulk(7), delta(6)}));
  REQUIRE(cycles.size() == 2);
  CHECK(cycles[0].has_bulk);
  CHECK_FALSE(cycles[1].has_bulk);
  CHECK(cycles[1].files == held(Files{delta(5), delta(6)}));
}

TEST_CASE("a policy of 0 keeps everything") {
  CHECK(prune(shown(newest, held(three_cycles)), held(three_cycles), 0).empty());
}

TEST_CASE("the newest chains are kept and the older ones go, oldest first") {
  CHECK(prune(shown(newest, held(three_cycles)), held(three_cycles), 3).empty());
  CHECK(prune(shown(newest, held(three_cycles)), held(three_cycles), 2) ==
        Names{bulk(0).name, delta(0).name, delta(6).name});
  CHECK(prune(shown(newest, held(three_cycles)), held(three_cycles), 1) ==
        Names{bulk(0).name, delta(0).name, delta(6).name, bulk(7).name, delta(7).name, delta(13).name});
}

TEST_CASE("a chain whose listed files are not all held does not replace the one before it") {
  const Files listing{bulk(14), delta(14), delta(15)};
  CHECK(prune(shown(listing, held(three_cycles)), held(three_cycles), 1) ==
        Names{bulk(0).name, delta(0).name, delta(6).name});
}

TEST_CASE("while the new bulk file is on its way the chain that it will replace stays") {
  const Files listing{bulk(21), delta(21)};
  auto holding = held(three_cycles);
  holding.push_back(held(delta(21)));
  const Names gone = prune(shown(listing, holding), holding, 1);
  CHECK_FALSE(is_in(bulk(14).name, gone));
  CHECK_FALSE(is_in(delta(21).name, gone));
  CHECK(is_in(bulk(7).name, gone));
}

TEST_CASE("a chain of which a file is lost does not replace the one before it, and goes with what is lost of it") {
  const auto lost = held(Files{delta(13)});
  auto holding = held(three_cycles);
  std::erase_if(holding, [&](const Held& file) { return file.name == delta(13).name; });
  CHECK(prune(shown(newest, holding), holding, 1, lost) ==
        Names{bulk(0).name, delta(0).name, delta(6).name, bulk(7).name, delta(7).name, delta(13).name});
  CHECK(prune(with_stock({}, without(holding, {bulk(14).name}), lost), without(holding, {bulk(14).name}), 1, lost)
            .empty());
}

TEST_CASE("a lost bulk file begins no chain that counts") {
  const auto lost = held(Files{bulk(14)});
  const auto holding = without(held(three_cycles), {bulk(14).name});
  CHECK(prune(shown(newest, holding), holding, 1, lost) == Names{bulk(0).name, delta(0).name, delta(6).name});
  CHECK(prune(shown(newest, holding), holding, 2, lost).empty());
}

TEST_CASE("a chain waits for the listed deltas of its days although its bulk file is listed no longer") {
  const Files listing{delta(14), delta(15)};
  CHECK(prune(shown(listing, held(three_cycles)), held(three_cycles), 1) ==
        Names{bulk(0).name, delta(0).name, delta(6).name});
}

TEST_CASE("loose deltas stay as long as no bulk file is held") {
  const auto loose = held(Files{delta(0), delta(1)});
  CHECK(prune(shown(newest, loose), loose, 1).empty());
  const auto before = held(Files{delta(0), bulk(7)});
  CHECK(prune(with_stock({}, before, {}), before, 1) == Names{delta(0).name});
}

TEST_CASE("a listed file stays whatever chain it is of") {
  const Files listing{bulk(0), delta(0)};
  const Names gone = prune(shown(listing, held(three_cycles)), held(three_cycles), 1);
  CHECK_FALSE(is_in(bulk(0).name, gone));
  CHECK_FALSE(is_in(delta(0).name, gone));
}

TEST_CASE("over any history nothing that can be loaded or is listed goes, and a chain is always left") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    Upstream upstream(random);
    std::vector<Held> holding;
    Calendar calendar;
    Chain whole;  // the newest that was complete
    for (int today = 0; today < 45; ++today) {
      const Files listing = upstream.next_listing();
      for (const Listed& file : listing) {
        const bool is_held = std::ranges::find(holding, file.name, &Held::name) != holding.end();
        if (!is_held && chance(random, 60)) holding.push_back(held(file));
      }
      std::shuffle(holding.begin(), holding.end(), random);
      const int keep = static_cast<int>(between(random, 1, 3));
      calendar = shown(listing, holding, std::move(calendar));
      const Names gone = prune(calendar, holding, keep);
      const Chain chain = chain_of(calendar, holding);
      if (chain.complete) whole = chain;
      const std::vector<Held> left = without(holding, gone);
      CAPTURE(today);
      CAPTURE(keep);

      CHECK(left.size() + gone.size() == holding.size());
      for (const Listed& file : listing) CHECK_FALSE(is_in(file.name, gone));
      for (const Held& file : chain.files) CHECK_FALSE(is_in(file.name, gone));
      if (chain.complete) {
        for (const Held& file : whole.files) CHECK_FALSE(is_in(file.name, gone));
      }
      CHECK(chain_of(calendar, left).files == chain.files);
      CHECK(prune(calendar, left, keep).empty());
      const auto bulks = [](const std::vector<Held>& files) {
        return std::ranges::count(files, Kind::bulk, &Held::kind);
      };
      CHECK(bulks(left) >= std::min<std::ptrdiff_t>(keep, bulks(holding)));
      if (chance(random, 50)) holding = left;
    }
  }
}

TEST_CASE("what is superseded goes a day after it was first found so, whatever else comes and goes") {
  using namespace std::chrono_literals;
  const auto now = vtmirror::base::parse_time("2026-11-18T08:00:00Z").value();
  auto release = vtmirror::core::release({}, {"a", "b"}, now);
  CHECK(release.kept == std::vector<Superseded>{{"a", now}, {"b", now}});
  CHECK(release.due.empty());
  release = vtmirror::core::release(release.kept, {"b", "c"}, now + 24h - 1ms);
  CHECK(release.kept == std::vector<Superseded>{{"b", now}, {"c", now + 24h - 1ms}});
  release = vtmirror::core::release(release.kept, {"b", "c"}, now + 24h);
  CHECK(release.due == Names{"b"});
  CHECK(release.kept == std::vector<Superseded>{{"c", now + 24h - 1ms}});
}

TEST_CASE("after a clock was set back, what is superseded has its day again") {
  using namespace std::chrono_literals;
  const auto now = vtmirror::base::parse_time("2026-11-18T08:00:00Z").value();
  const auto release = vtmirror::core::release({{"a", now + 1h}}, {"a"}, now);
  CHECK(release.kept == std::vector<Superseded>{{"a", now}});
}

TEST_CASE("a quarantined file is kept while it is listed, and for the time set after it left the listing") {
  using namespace std::chrono_literals;
  const auto left = vtmirror::base::parse_time("2026-11-22T08:00:00Z").value();
  QuarantinedFile file{.name = "a.zip", .size = 1, .cause = {}, .at = left - 48h};
  CHECK_FALSE(quarantine_is_over(file, 0s, left + 1000h));
  file.left_at = left;
  CHECK_FALSE(quarantine_is_over(file, 336h, left + 336h - 1ms));
  CHECK(quarantine_is_over(file, 336h, left + 336h));
  CHECK(quarantine_is_over(file, 0s, left));
  CHECK_FALSE(quarantine_is_over(file, 0s, left - 1ms));
}
