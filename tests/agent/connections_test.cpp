#include "agent/connections.hpp"

#include "support/simulated_clock.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

namespace vtmirror::test {
namespace {

using agent::Connections;
using namespace std::chrono_literals;

constexpr std::int64_t mib = std::int64_t{1} << 20;

/// Transfers that use all connections that they are given, over a line on which each connection brings 4 MiB a second,
/// and all of them together at most `all`.
struct Line {
  Line(int for_each, int most) : connections(clock, blocks, for_each, most) {}

  struct Transfer {
    std::int64_t left = 1000 * mib;
    bool receives = false;
    int given = 0;
    bool at_once = false;
    int aimed = 0;
    std::unique_ptr<Connections::Place> place{};
    bool refused(base::Errc code, base::Steady asked) {
      const bool crowded = place->refused({code, "refused"}, asked);
      place->give_way();
      return crowded;
    }
  };
  Transfer& add(bool first = false) {
    transfers.push_back(std::make_unique<Transfer>());
    auto& added = *transfers.back();
    const auto aim = [this, &added](int given, bool at_once) {
      added.given = given;
      added.at_once = at_once;
      ++added.aimed;
      int sum = 0;
      for (const auto& each : transfers)
        if (each) sum += each->given;
      most_at_once = std::max(most_at_once, sum);
    };
    added.place = std::make_unique<Connections::Place>(
        connections, Connections::Transfer{.left = [&added] { return added.left; },
                                           .busy = [&added] { return added.given; },
                                           .receives = [&added] { return added.receives; },
                                           .aim = aim,
                                           .first = first});
    return added;
  }
  base::Steady now() { return clock.steady(); }
  void pass(std::chrono::milliseconds time) {
    for (const auto end = clock.world() + time; clock.world() < end;) {
      clock.go_to(clock.world() + 100ms);
      std::int64_t came = 0;
      for (auto& transfer : transfers) came += 4 * mib * transfer->given / 10;
      connections.came(std::min(came, all / 10));
    }
  }

  /// Lets that many connections ask for a block at the same time.
  void want_blocks(int wanting) {
    for (int n = 0; n < wanting; ++n) boost::asio::co_spawn(loop, use(blocks), boost::asio::detached);
    loop.restart();
    loop.run();
  }
  static boost::asio::awaitable<void> use(agent::Blocks& blocks) {
    const auto never_useless = [] { return false; };
    const auto block = co_await blocks.acquire(never_useless);
    co_await boost::asio::post(boost::asio::use_awaitable);
  }
  /// The number of blocks that `given` connections get without a wait.
  static int blocks_of(int given) {
    if (given <= 2) return given + 2;
    return given + (given <= 6 ? 5 : 11);
  }

  SimulatedClock clock{std::chrono::sys_days{std::chrono::year{2026} / 11 / 18}};
  boost::asio::io_context loop;
  agent::Blocks blocks{loop.get_executor()};
  Connections connections;
  std::int64_t all = 64 * mib;
  int most_at_once = 0;
  std::vector<std::unique_ptr<Transfer>> transfers;
};

}  // namespace

TEST_CASE("a transfer begins with one connection, and gets as many as bring something") {
  Line line(0, 32);
  CHECK(line.connections.rules(8).connections == 1);
  const auto& only = line.add();
  CHECK(only.given == 1);
  line.pass(30s);
  CHECK(only.given >= 15);
  CHECK(only.given <= 19);
  REQUIRE(line.connections.found().has_value());
  CHECK(line.connections.found()->rate > 50 * mib);
}

TEST_CASE("what was found before is begun with, and never more than the settings allow") {
  Line line(0, 8);
  line.connections.begin({.number = 16, .rate = 64 * mib});
  CHECK(line.connections.rules(8).connections == 8);
  const auto& only = line.add();
  CHECK(only.given == 8);
  line.pass(33s);  // by then a try with fewer is over
  CHECK(only.given == 8);
  CHECK(line.most_at_once == 8);
  REQUIRE(line.connections.found().has_value());
  CHECK(line.connections.found()->number == 8);
}

TEST_CASE("transfers share the connections, each has one at least, and what one leaves the others get") {
  Line line(0, 32);
  line.connections.begin({.number = 6, .rate = 24 * mib});
  auto& first = line.add();
  auto& second = line.add();
  CHECK(first.given == 3);
  CHECK(second.given == 3);
  auto& third = line.add();
  third.left = mib;
  line.pass(1s);
  CHECK(third.given == 1);
  const int before = first.given;
  line.transfers.erase(line.transfers.begin() + 1, line.transfers.end());
  CHECK(first.given > before);
}

TEST_CASE("a store that refuses takes connections away at once") {
  Line line(0, 32);
  line.connections.begin({.number = 8, .rate = 32 * mib});
  auto& only = line.add();
  REQUIRE(only.given == 8);
  CHECK_FALSE(only.refused(base::Errc::rate_limited, line.now()));
  CHECK(only.given == 7);
  CHECK_FALSE(only.refused(base::Errc::rate_limited, line.now()));
  CHECK(only.given == 6);
}

TEST_CASE("where a store allows fewer connections than there are files, deltas get them, and the bulk file waits") {
  for (const int for_each : {0, 4}) {
    CAPTURE(for_each);
    Line line(for_each, 32);
    auto& bulk = line.add();
    auto& delta = line.add(true);
    auto& next = line.add(true);
    bulk.receives = true;
    line.pass(500ms);
    const int before = bulk.given + delta.given + next.given;
    // One of all connections is too many: as many go as there are refusals.
    int refusals = 0;
    for (; bulk.given > 0 && refusals < 20; ++refusals) {
      line.pass(100ms);
      CHECK(delta.refused(base::Errc::rate_limited, line.now()));
    }
    CHECK(refusals >= before - 2);
    CHECK(refusals < 20);
    CHECK(delta.given == 1);
    CHECK(next.given == 1);
    delta.receives = true;
    bulk.receives = false;
    const auto before_that = line.now();
    line.pass(100ms);
    CHECK(next.refused(base::Errc::rate_limited, line.now()));
    CHECK(delta.given == 1);
    CHECK(next.given == 0);
    // A request that was made before that says nothing more.
    CHECK(bulk.refused(base::Errc::rate_limited, before_that));
    CHECK(delta.given == 1);
    line.transfers.erase(line.transfers.begin() + 1, line.transfers.end());
    CHECK(bulk.given == 1);
    // After a while the store is asked for more again.
    line.pass(2min);
    CHECK(bulk.given > 1);
  }
}

TEST_CASE("a store that refuses every file is out of order, and says nothing about their number") {
  Line line(0, 32);
  auto& bulk = line.add();
  auto& delta = line.add(true);
  for (int n = 0; n < 10; ++n) {
    line.clock.go_to(line.clock.world() + 10s);
    CHECK_FALSE(delta.refused(base::Errc::rate_limited, line.now()));
    CHECK_FALSE(bulk.refused(base::Errc::rate_limited, line.now()));
  }
  CHECK(bulk.given == 1);
  CHECK(delta.given == 1);
}

TEST_CASE("an outage takes no connection away, and a connection that is refused while others bring bytes does") {
  Line line(0, 32);
  line.connections.begin({.number = 16, .rate = 64 * mib});
  auto& only = line.add();
  line.pass(100ms);
  REQUIRE(only.given == 16);
  line.clock.go_to(line.clock.world() + 1s);
  for (int n = 0; n < 16; ++n) only.refused(base::Errc::unreachable, line.now());
  CHECK(only.given == 16);
  line.pass(100ms);
  only.refused(base::Errc::unreachable, line.now());
  CHECK(only.given == 15);
}

TEST_CASE("a store from which several connections have received before is expected to send parts") {
  const auto rules_with = [](core::FoundConnections before) {
    Line line(0, 32);
    line.connections.begin(before);
    return line.connections.rules(8);
  };
  CHECK_FALSE(Line(0, 32).connections.rules(8).expects_parts);
  CHECK_FALSE(rules_with({.number = 1, .rate = 64 * mib}).expects_parts);
  CHECK(rules_with({.number = 8, .rate = 64 * mib}).expects_parts);
  CHECK_FALSE(Line(4, 10).connections.rules(8).expects_parts);
}

TEST_CASE("nothing is found while the rate limit holds the bytes back") {
  Line line(0, 32);
  const auto& only = line.add();
  for (int n = 0; n < 30; ++n) {
    line.connections.hinder();
    line.pass(1s);
    line.connections.hinder();
  }
  CHECK(only.given <= 2);
}

TEST_CASE("nothing is found while the disk holds the connections up, and a write that takes a moment hinders nothing") {
  Line slow(0, 32), usual(0, 32);
  const auto& on_slow = slow.add();
  const auto& on_usual = usual.add();
  for (int n = 0; n < 300; ++n) {
    slow.want_blocks(2 * Line::blocks_of(on_slow.given));
    slow.pass(100ms);
    usual.want_blocks(Line::blocks_of(on_usual.given));
    usual.want_blocks(Line::blocks_of(on_usual.given) + 1);
    usual.pass(100ms);
  }
  CHECK(on_slow.given == 1);
  CHECK(on_usual.given >= 15);
}

TEST_CASE("a fixed number is each file's, as long as all files together do not exceed what is allowed") {
  Line line(4, 10);
  CHECK(line.connections.rules(8).connections == 4);
  line.add();
  CHECK(line.connections.rules(8).connections == 4);
  line.add();
  CHECK(line.connections.rules(8).connections == 2);
  line.add();
  CHECK(line.connections.rules(8).connections == 1);
  line.pass(10s);
  CHECK_FALSE(line.connections.found().has_value());
}

TEST_CASE("a fixed number is not asked for again while it stays the same, whatever is refused") {
  Line line(4, 32);
  auto& only = line.add();
  REQUIRE(only.given == 4);
  for (int n = 0; n < 20; ++n) {
    line.pass(1s);
    CHECK_FALSE(only.refused(base::Errc::rate_limited, line.now()));
  }
  CHECK(only.aimed == 1);
}

TEST_CASE("there are never more connections than the settings allow over all files") {
  for (const int for_each : {0, 4}) {
    CAPTURE(for_each);
    Line line(for_each, 8);
    line.connections.begin({.number = 8, .rate = 32 * mib});
    const auto& bulk = line.add();
    const auto& second = line.add(true);
    CHECK(bulk.at_once == (for_each == 0));
    const auto& third = line.add(true);
    CHECK(bulk.at_once);
    CHECK(bulk.given + second.given + third.given == 8);
    for (int more = 3; more < 9; ++more) line.add(true);
    CHECK(bulk.given == 0);
    CHECK(line.most_at_once == 8);
    line.transfers.erase(line.transfers.begin() + 1, line.transfers.end());
    CHECK(bulk.given == (for_each == 0 ? 8 : 4));
  }
}

}  // namespace vtmirror::test
