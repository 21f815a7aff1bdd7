// Small worlds, all of them: every listing of up to four of five files, over three cycles in each of which the
// downloads come or fail. What the mirror says after each is true, and consumers that load by it have the right data.
#include "core/loader_world.hpp"
#include "core/loaders.hpp"
#include "vtmirror/core/retention.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <set>

using namespace vtmirror::core;
using namespace vtmirror::test;
using namespace vtmirror::test::loading;

namespace {

constexpr int cycles = 3;

/// Two bulk files and three deltas. Each delta has the data of the day before, and the second bulk file has all data.
const std::array<Export, 5>& exports() {
  static const std::array<Export, 5> all{
      Export{.listed = bulk(0, 1000), .number = 0, .rows = {{-1, 1}}},
      Export{.listed = delta(0, 100), .number = 0, .rows = {{-1, 1}}},
      Export{.listed = delta(1, 101), .number = 1, .rows = {{0, 1}}},
      Export{.listed = bulk(2, 1001), .number = 2, .rows = {{-1, 1}, {0, 1}, {1, 1}}},
      Export{.listed = delta(2, 102), .number = 2, .rows = {{1, 1}}}};
  return all;
}

bool is_delta(const Export& file) { return file.listed.kind == Kind::delta; }

/// A bit for each file.
std::vector<Listed> files_of(unsigned bits) {
  std::vector<Listed> files;
  for (std::size_t n = 0; n < exports().size(); ++n)
    if (bits & (1U << n)) files.push_back(exports()[n].listed);
  return files;
}

struct Counts {
  int worlds = 0, complete = 0, absent = 0, joined = 0, assuming = 0, broken = 0, pruned = 0;
};

class World {
 public:
  /// A cycle over that listing.
  void live(const std::vector<Listed>& files, bool come, Counts& counts) {
    const auto listing = listing_of(files);
    const auto changes_before = mirror_.log.size();
    mirror_.list(listing);
    if (is_usable(listing)) {
      listed_.clear();
      for (const auto& file : exports()) {
        if (std::ranges::find(files, file.listed.name, &Listed::name) == files.end()) continue;
        seen_.insert(file.listed.name);
        listed_.insert(file.listed.name);
        if (come && !holds(file.listed.name)) fetch(file);
      }
      remove_old(files, counts);
    }
    changed_ = mirror_.log.size() > changes_before;
    mirror_.announce();
    by_manifest_.look(mirror_);
    by_changes_.look(mirror_);
    by_hook_.look(mirror_);
  }

  void check(Counts& counts) {
    const auto chain = mirror_.chain();
    ++counts.worlds;
    counts.complete += chain.complete ? 1 : 0;
    counts.absent += chain.absent_upstream.empty() ? 0 : 1;
    check_order(chain);
    for (const auto& file : exports()) {
      if (!is_delta(file) || !seen_.contains(file.listed.name)) continue;
      CHECK(std::ranges::count(chain.absent_upstream, file.listed.date) == 0);
      if (chain.continues) CHECK(std::ranges::count(chain.continues->assumes_absent, file.listed.date) == 0);
    }
    if (chain.complete) check_complete(chain);
    if (chain.continues) check_join(chain, counts);
    check_table(by_manifest_, "manifest", chain);
    // A chain may also change without a change of a file, and a consumer that goes by those sees it with the next
    // one (vtmirror-api(7), CHANGES).
    if (changed_) check_table(by_changes_, "changes", chain);
    check_table(by_hook_, "hook", chain);
  }

 private:
  bool holds(const std::string& name) const {
    return std::ranges::find(mirror_.held, name, &Held::name) != mirror_.held.end();
  }
  void fetch(const Export& file) {
    mirror_.fetch(file);
    came_.insert(file.listed.name);
  }

  /// Only what a newer chain, held whole, makes needless.
  void remove_old(const std::vector<Listed>& files, Counts& counts) {
    for (const auto& name : prune(mirror_.calendar, mirror_.held, 1, mirror_.lost)) {
      CAPTURE(name);
      ++counts.pruned;
      CHECK(std::ranges::find(files, name, &Listed::name) == files.end());
      CHECK(mirror_.files.at(name).number < 2);
      CHECK(holds(exports()[3].listed.name));
      if (seen_.contains(exports()[4].listed.name)) CHECK(holds(exports()[4].listed.name));
      mirror_.prune(name);
    }
  }

  void check_order(const Chain& chain) const {
    for (std::size_t n = 0; n < chain.files.size(); ++n) {
      CHECK(holds(chain.files[n].name));
      CHECK((chain.files[n].kind == Kind::bulk) == (n == 0));
      CHECK(chain.files[n].date >= chain.files.front().date);
      if (n > 1) CHECK(chain.files[n - 1].date < chain.files[n].date);
    }
  }

  /// Whatever was ever listed since its bulk file is in it.
  void check_complete(const Chain& chain) const {
    REQUIRE_FALSE(chain.files.empty());
    for (const auto& each : chain.missing) CHECK(each.date < chain.files.front().date);
    for (const auto& file : exports()) {
      const bool counts = is_delta(file) ? seen_.contains(file.listed.name) : listed_.contains(file.listed.name);
      if (!counts || file.listed.date < chain.files.front().date) continue;
      CAPTURE(file.listed.name);
      CHECK(std::ranges::find(chain.files, file.listed.name, &Held::name) != chain.files.end());
    }
  }

  /// The first bulk file came, and each day from it to the second was held, or its absence is said.
  void check_join(const Chain& chain, Counts& counts) const {
    const auto& join = *chain.continues;
    counts.broken += join.contiguous ? 0 : 1;
    if (!join.contiguous) return;
    ++counts.joined;
    counts.assuming += join.assumes_absent.empty() ? 0 : 1;
    CHECK(came_.contains(exports()[0].listed.name));
    CHECK(chain.files.front().name == exports()[3].listed.name);
    for (int number = 0; number < 2; ++number) {
      CAPTURE(number);
      const bool was_held = came_.contains(file_name(Kind::delta, number));
      CHECK(was_held != (std::ranges::count(join.assumes_absent, day(number)) == 1));
    }
  }

  /// It has the data of each delta that was listed up to the end of a complete chain. There is one version of a day.
  void check_table(const Loader& loader, const std::string& follows, const Chain& chain) const {
    if (!chain.complete) return;
    CAPTURE(follows);
    for (const auto& file : exports()) {
      if (!is_delta(file) || !seen_.contains(file.listed.name) || file.listed.date > *chain.through) continue;
      // What came before the only bulk file that was ever held is in that file or in none.
      const bool assumed = std::ranges::count(loader.assumed(), file.listed.date) > 0;
      const bool is_older = file.listed.date < chain.files.front().date && chain.files.front().date == day(0);
      if (assumed || is_older) continue;
      CAPTURE(file.listed.name);
      CHECK(loader.table().contains(file.number - 1));
    }
  }

  Mirror mirror_;
  ByManifest by_manifest_{false};
  ByChanges by_changes_{false};
  ByHook by_hook_{false};
  std::set<std::string> seen_;    ///< listed in a cycle whose listing could be used
  std::set<std::string> listed_;  ///< in the last such cycle
  std::set<std::string> came_;
  bool changed_ = false;  ///< files, in the last cycle
};

void live_on(const World& before, int cycle, std::vector<std::string>& story, Counts& counts) {
  constexpr unsigned all = 1U << 5;
  for (unsigned bits = 0; bits < all; ++bits) {
    if (std::popcount(bits) > 4) continue;
    const auto files = files_of(bits);
    // One listing without a bulk file is like another: nothing follows from it.
    if (!is_usable(listing_of(files)) && bits != 0) continue;
    for (const bool come : {true, false}) {
      World world = before;
      story.push_back(std::to_string(bits) + (come ? " comes" : " fails"));
      {
        CAPTURE(story);
        world.live(files, come, counts);
        world.check(counts);
      }
      if (cycle + 1 < cycles) live_on(world, cycle + 1, story, counts);
      story.pop_back();
    }
  }
}

}  // namespace

TEST_CASE("in each small world of five files and three cycles, what the mirror says is true") {
  Counts counts;
  std::vector<std::string> story;
  live_on({}, 0, story, counts);
  MESSAGE(counts.worlds << " worlds: " << counts.complete << " complete, " << counts.absent << " with absent days, "
                        << counts.joined << " joined, of which " << counts.assuming << " assume an absence, "
                        << counts.broken << " not joined; " << counts.pruned << " files removed");
  CHECK(counts.complete > 1000);
  CHECK(counts.absent > 1000);
  CHECK(counts.joined > 1000);
  CHECK(counts.assuming > 1000);
  CHECK(counts.assuming < counts.joined);
  CHECK(counts.broken > 100);
  CHECK(counts.pruned > 1000);
}

TEST_CASE("a listing without a bulk file cannot be used, whatever else it has") {
  for (unsigned bits = 0; bits < 32; ++bits) {
    CAPTURE(bits);
    const bool has_bulk = (bits & 0b01001U) != 0;
    CHECK(is_usable(listing_of(files_of(bits))) == has_bulk);
  }
}
