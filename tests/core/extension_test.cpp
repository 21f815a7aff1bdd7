#include "vtmirror/core/extension.hpp"

#include "core/reconcile_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace vtmirror::core;
using vtmirror::test::bulk;
using vtmirror::test::delta;
using vtmirror::test::World;

namespace {

Action planned(ActionKind kind, std::string name) {
  Action action;
  action.kind = kind;
  action.name = std::move(name);
  return action;
}

std::string words_of(const std::vector<Action>& actions) {
  std::string words;
  for (const auto& action : actions) words += std::string(name(action.kind)) + ' ' + action.name + ' ';
  return words;
}

}  // namespace

TEST_CASE("a later plan adds what the running one does nothing about, and brings its own removals") {
  const Plan running{{planned(ActionKind::resume, "bulk"), planned(ActionKind::fetch, "one"),
                      planned(ActionKind::keep, "held"), planned(ActionKind::keep, "replaced"),
                      planned(ActionKind::skip, "big"), planned(ActionKind::refuse, "delta[3]"),
                      planned(ActionKind::prune, "old")}};
  const Plan later{{planned(ActionKind::fetch, "two"), planned(ActionKind::fetch_again, "replaced"),
                    planned(ActionKind::fetch, "big"), planned(ActionKind::skip, "bulk"),
                    planned(ActionKind::adopt, "found"), planned(ActionKind::keep, "one"),
                    planned(ActionKind::refuse, "delta[3]"), planned(ActionKind::refuse, "delta[4]"),
                    planned(ActionKind::drop_partial, "bulk"), planned(ActionKind::prune, "older")}};
  CHECK(words_of(additions(running, later)) == "fetch two fetch_again replaced refuse delta[4] ");
  CHECK(words_of(extended(running, later).actions) ==
        "resume bulk fetch one keep held skip big refuse delta[3] fetch two fetch_again replaced refuse delta[4] "
        "prune older ");
  CHECK(additions(extended(running, later), later).empty());
}

TEST_CASE("a later plan downloads again what has ended and was replaced, or failed, and nothing that still runs") {
  const Plan running{{planned(ActionKind::fetch, "published"), planned(ActionKind::resume, "failed"),
                      planned(ActionKind::fetch, "runs")}};
  const Plan later{{planned(ActionKind::fetch_again, "published"), planned(ActionKind::fetch, "failed"),
                    planned(ActionKind::fetch_again, "runs")}};
  const std::vector<std::string> over{"published", "failed"};
  CHECK(words_of(additions(running, later, over)) == "fetch_again published fetch failed ");
  CHECK(words_of(extended(running, later, over).actions) == "fetch runs fetch_again published fetch failed ");
  CHECK(additions(running, later).empty());
  const Plan kept{{planned(ActionKind::keep, "published"), planned(ActionKind::refuse, "failed")}};
  CHECK(additions(running, kept, over).empty());
}

namespace {

Extension extend(const World& world, const Plan& running, const std::vector<std::string>& over = {}) {
  return vtmirror::core::extend(running, world.listing, world.inventory(), world.policy, over);
}

}  // namespace

TEST_CASE("a later listing's new files join what is downloaded, and nothing that runs begins again") {
  World world;
  world.list({bulk(0, 100), delta(0, 10)});
  const Plan running = world.plan();
  world.list({bulk(0, 100), delta(0, 10), delta(1, 10)});
  const Extension extension = extend(world, running);
  CHECK(words_of(extension.added) == "fetch " + delta(1, 10).name + ' ');
  CHECK(extension.left_out.empty());
  CHECK(extend(world, extension.plan).added.empty());
}

TEST_CASE("an unfinished file that leaves the listing during the downloads stays, and its space is not free") {
  World world;
  world.free_space = 100;
  world.list({bulk(0, 100), delta(0, 40)});
  world.begin(delta(0, 40), 40);
  const Plan running{{planned(ActionKind::resume, delta(0, 40).name)}};
  world.list({bulk(0, 100), delta(1, 40)});
  const Extension extension = extend(world, running);
  const auto drops = [](const Action& action) { return action.kind == ActionKind::drop_partial; };
  CHECK(std::ranges::none_of(extension.plan.actions, drops));
  REQUIRE(words_of(extension.added) == "fetch " + delta(1, 40).name + " skip " + bulk(0, 100).name + ' ');
  CHECK(extension.added[1].free == 60);
  // The next cycle removes it first, and counts its space.
  CHECK(std::ranges::any_of(world.plan().actions, drops));
}

TEST_CASE("a quarantined bulk file is not downloaded again because another listing came, and that is said") {
  World world;
  world.list({bulk(0, 100), delta(0, 10)});
  world.quarantined = {{bulk(0, 100).name, 100, {.detail = "wrong checksum"}, {}}};
  const Extension extension = extend(world, {});
  CHECK(words_of(extension.added) == "fetch " + delta(0, 10).name + " skip " + bulk(0, 100).name + ' ');
  REQUIRE(extension.left_out.size() == 1);
  CHECK(extension.left_out[0].failure ==
        Failure{FailureKind::quarantined, {.subject = bulk(0, 100).name, .detail = "wrong checksum"}});
}

TEST_CASE("an entry that a later listing has in a bad form is refused, and is no failure while its file is held") {
  World world;
  world.list({bulk(0, 100), delta(0, 10)});
  world.hold({bulk(0, 100), delta(0, 10)});
  const Plan running = world.plan();
  world.list({bulk(0, 100)});
  world.listing.refused = {{Kind::delta, delta(0, 10).name, "no size"}, {Kind::delta, delta(1, 10).name, "no size"}};
  const Extension extension = extend(world, running);
  REQUIRE(extension.left_out.size() == 2);
  CHECK(extension.left_out[0].action.name == delta(0, 10).name);
  CHECK(extension.left_out[0].is_held);
  CHECK_FALSE(extension.left_out[1].is_held);
}
