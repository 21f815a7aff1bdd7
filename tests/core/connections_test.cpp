#include "vtmirror/core/connections.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::core;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

/// Transfers that open as many connections as they are aimed at, at once.
struct Line {
  Line(int for_each, int most) : connections(for_each, most) {}

  int add(std::int64_t left = 1000 * mib, bool first = false) {
    transfers.push_back({.number = connections.join(left, first, now), .left = left});
    carry_out();
    return transfers.back().number;
  }
  void remove(int number) {
    std::erase_if(transfers, [number](const auto& each) { return each.number == number; });
    connections.leave(number);
    carry_out();
  }
  Connections::Running& at(int number) { return *std::ranges::find(transfers, number, &Connections::Running::number); }
  int given(int number) { return at(number).busy; }
  void carry_out() {
    last = connections.share(transfers, now);
    for (const auto& aim : last.aims) at(aim.transfer).busy = aim.connections;
  }
  /// Bytes come, and are reported.
  void flow(std::int64_t bytes = mib) {
    now = now + connection_tick;
    if (connections.came(bytes, now)) connections.report(transfers, false, now);
    carry_out();
  }
  bool refused(int number, base::Errc code, base::Steady asked) {
    const bool crowded = connections.refused(number, {code, "refused"}, asked, transfers, now);
    carry_out();
    return crowded;
  }
  bool refused(int number, base::Errc code = base::Errc::rate_limited) { return refused(number, code, now); }

  Connections connections;
  std::vector<Connections::Running> transfers;
  Connections::Shares last;
  base::Steady now{1h};
};

}  // namespace

TEST_CASE("a transfer begins with what the settings and the others leave for it") {
  struct Case {
    int for_each;
    int most;
    int found;
    int running;
    int expected;
  };
  for (const Case& row : {Case{4, 10, 0, 0, 4},
                          {4, 10, 0, 1, 4},
                          {4, 10, 0, 2, 2},
                          {4, 10, 0, 3, 1},
                          {16, 8, 0, 0, 8},
                          {0, 32, 0, 0, 1},
                          {0, 32, 12, 0, 12},
                          {0, 32, 12, 2, 4},
                          {0, 8, 12, 0, 8},
                          {0, 8, 3, 5, 1}}) {
    CAPTURE(row.for_each);
    CAPTURE(row.running);
    Line line(row.for_each, row.most);
    if (row.found > 0) line.connections.begin({.number = row.found, .rate = 0});
    for (int n = 0; n < row.running; ++n) line.add();
    const auto rules = line.connections.rules(8);
    CHECK(rules.connections == row.expected);
    CHECK(rules.found == (row.for_each == 0));
    CHECK(rules.expects_parts == (row.for_each == 0 && row.found > 1));
    CHECK(rules.attempts == 8);
  }
}

TEST_CASE("which failures speak of too many connections") {
  for (const auto& code : test::every<base::Errc>()) {
    for (const bool flows : {false, true}) {
      CAPTURE(code.word);
      CAPTURE(flows);
      Line line(0, 32);
      line.connections.begin({.number = 8, .rate = 0});
      const int only = line.add();
      line.flow();
      if (!flows) line.now = line.now + connection_tick;
      line.refused(only, code.value);
      const bool speaks = code.value == base::Errc::rate_limited || (code.value == base::Errc::unreachable && flows);
      CHECK(line.given(only) == (speaks ? 7 : 8));
    }
  }
}

TEST_CASE("a refused request may be repeated if other files receive, whatever its own file does") {
  for (const int for_each : {0, 4}) {
    for (const bool other_receives : {false, true}) {
      CAPTURE(for_each);
      CAPTURE(other_receives);
      Line line(for_each, 32);
      const int one = line.add();
      const int other = line.add();
      line.at(one).receives = true;
      line.at(other).receives = other_receives;
      CHECK(line.refused(one) == other_receives);
      CHECK_FALSE(line.refused(one, base::Errc::timed_out));
    }
  }
}

TEST_CASE("a refusal takes the only connection of another file only if it was asked for after the last refusal") {
  for (const int for_each : {0, 1}) {
    CAPTURE(for_each);
    Line line(for_each, 32);
    const int bulk = line.add();
    const int delta = line.add(1000 * mib, true);
    line.at(bulk).receives = true;
    REQUIRE(line.given(bulk) == 1);
    const auto before = line.now;
    line.now = line.now + 1s;
    CHECK(line.refused(delta, base::Errc::rate_limited, before));
    CHECK(line.given(bulk) == 0);
    CHECK(line.given(delta) == 1);
    line.at(bulk).receives = false;
    line.at(delta).receives = true;
    const int next = line.add(1000 * mib, true);
    line.now = line.now + 1s;
    // The others had no time to make room for it.
    CHECK(line.refused(next, base::Errc::rate_limited, before));
    CHECK(line.given(delta) == 1);
    CHECK(line.last.all == 3);
  }
}

TEST_CASE("a file that is refused although the others gave way gives them their connections back, and takes no more") {
  for (const int for_each : {0, 4}) {
    for (const auto code : {base::Errc::rate_limited, base::Errc::unreachable, base::Errc::http_status}) {
      CAPTURE(for_each);
      CAPTURE(static_cast<int>(code));
      Line line(for_each, 32);
      line.connections.begin({.number = 8, .rate = 0});
      const int bulk = line.add();
      const int delta = line.add(mib, true);
      line.at(bulk).receives = true;
      line.flow();
      const int before = line.given(bulk);
      REQUIRE(before > 1);
      for (int n = 0; line.given(bulk) > 0; ++n) {
        REQUIRE(n < 20);
        line.flow();
        CHECK(line.refused(delta));
      }
      line.at(bulk).receives = false;
      line.now = line.now + 5s;
      CHECK_FALSE(line.refused(delta, code));
      CHECK(line.given(bulk) == before);
      CHECK(line.given(delta) == 1);
      line.at(bulk).receives = true;
      for (int n = 0; n < 20; ++n) {
        line.flow(line.given(bulk) * mib);
        CHECK_FALSE(line.refused(delta));
        CHECK(line.given(bulk) >= before);
      }
      // As soon as it has received something, its refusals count again.
      line.at(delta).receives = true;
      line.flow();
      line.at(delta).receives = false;
      line.flow();
      const int later = line.given(bulk);
      CHECK(line.refused(delta));
      CHECK(line.given(bulk) < later);
    }
  }
}

TEST_CASE("a file is not refused alone while another asks, or by what says nothing about the store") {
  for (const bool another_asks : {false, true}) {
    Line line(1, 32);
    const int bulk = line.add();
    const int delta = line.add(mib, true);
    line.at(bulk).receives = true;
    line.flow();
    CHECK(line.refused(delta));
    REQUIRE(line.given(bulk) == 0);
    line.at(bulk) = {.number = bulk, .left = 1000 * mib, .busy = another_asks ? 1 : 0};
    line.now = line.now + 5s;
    CHECK_FALSE(line.refused(delta, another_asks ? base::Errc::rate_limited : base::Errc::link_refused));
    line.at(bulk).busy = 0;
    line.flow();
    CHECK(line.given(bulk) == 0);
  }
}

TEST_CASE("those that give way go first, and leave in the middle of their pieces if there would be too many") {
  Line line(0, 8);
  line.connections.begin({.number = 8, .rate = 0});
  const int first = line.add();
  CHECK(line.last.aims == std::vector<Connections::Aim>{{first, 8, false}});
  const int second = line.add();
  CHECK(line.last.aims == std::vector<Connections::Aim>{{first, 4, true}, {second, 4, true}});
  line.remove(first);
  CHECK(line.last.aims == std::vector<Connections::Aim>{{second, 8, false}});
}

TEST_CASE("a fixed share that stays as it is is not asked for again, unless its surplus is in the way of others") {
  Line line(4, 8);
  const int first = line.add();
  CHECK(line.last.aims == std::vector<Connections::Aim>{{first, 4, false}});
  line.carry_out();
  CHECK(line.last.aims.empty());
  // It lost one, which does not come back at once.
  line.at(first).busy = 3;
  line.carry_out();
  CHECK(line.last.aims.empty());
  const int second = line.add();
  line.at(first).busy = 6;
  line.carry_out();
  CHECK(line.last.aims == std::vector<Connections::Aim>{{first, 4, true}});
  line.remove(second);
  CHECK(line.last.aims.empty());
}

TEST_CASE("a number that is found is asked for with each report, because connections fail on the way") {
  Line line(0, 8);
  line.connections.begin({.number = 8, .rate = 0});
  const int only = line.add();
  line.at(only).busy = 5;
  line.flow();
  CHECK(line.given(only) == 8);
}

TEST_CASE(
    "where the number is fixed a file's share follows the bytes that it began with, and else those that it has left") {
  for (const int for_each : {0, 8}) {
    CAPTURE(for_each);
    Line line(for_each, 9);
    if (for_each == 0) line.connections.begin({.number = 9, .rate = 0});
    const int large = line.add(800 * mib);
    const int small = line.add(100 * mib);
    const int before = line.given(large);
    CHECK(before > line.given(small));
    line.at(large).left = 10 * mib;
    line.carry_out();
    CHECK((line.given(large) < before) == (for_each == 0));
  }
}

TEST_CASE("a number that was found is doubled for a few seconds, for a transfer that takes no longer") {
  struct Case {
    FoundConnections found;
    std::int64_t left;
    int most;
    int expected;
  };
  for (const Case& row : {Case{{8, 100 * mib}, 399 * mib, 32, 16},
                          {{8, 100 * mib}, 401 * mib, 32, 8},
                          {{8, 100 * mib}, 399 * mib, 12, 12},
                          {{3, 100 * mib}, 10 * mib, 32, 3},
                          {{8, 800 * mib}, 100 * mib, 32, 8},
                          {{8, 799 * mib}, 100 * mib, 32, 16}}) {
    CAPTURE(row.found.number);
    CAPTURE(row.left);
    CAPTURE(row.most);
    Line line(0, row.most);
    line.connections.begin(row.found);
    const int only = line.add(row.left);
    CHECK(line.given(only) == row.expected);
    for (int ticks = 0; ticks < 7; ++ticks) line.flow(row.found.rate / 2);
    CHECK(line.given(only) == row.expected);
    line.flow(row.found.rate / 2);
    CHECK(line.given(only) == row.found.number);
  }
}

TEST_CASE("a store that refuses has no number doubled, in this transfer or in the next one") {
  Line line(0, 32);
  line.connections.begin({.number = 8, .rate = 100 * mib});
  const int only = line.add(100 * mib);
  REQUIRE(line.given(only) == 16);
  line.refused(only);
  CHECK(line.given(only) == 8);
  line.remove(only);
  CHECK(line.given(line.add(100 * mib)) == 8);
  line.remove(2);
  line.now = line.now + 1h;
  CHECK(line.given(line.add(100 * mib)) == 8);
}

TEST_CASE("a transfer that joins others has nothing doubled, and has its part of what is") {
  Line line(0, 32);
  line.connections.begin({.number = 8, .rate = 100 * mib});
  const int large = line.add(1000 * mib);
  const int small = line.add(10 * mib);
  CHECK(line.given(large) + line.given(small) == 8);
  line.remove(large);
  line.remove(small);
  const int first = line.add(50 * mib);
  const int second = line.add(50 * mib);
  CHECK(line.given(first) + line.given(second) == 16);
}

TEST_CASE("a report is due after a tick, and nothing is found by one that the disk or the rate limit held back") {
  for (const bool hindered : {false, true}) {
    CAPTURE(hindered);
    Line line(0, 32);
    line.add();
    line.now = line.now + connection_tick;
    REQUIRE(line.connections.came(mib, line.now));
    line.connections.report(line.transfers, hindered, line.now);
    CHECK_FALSE(line.connections.came(mib, line.now + (connection_tick - 1ms)));
    for (int n = 0; n < 10; ++n) {
      line.now = line.now + connection_tick;
      REQUIRE(line.connections.came(4 * mib, line.now));
      line.connections.report(line.transfers, hindered, line.now);
      line.carry_out();
    }
    CHECK(line.connections.found().has_value() == !hindered);
  }
}

TEST_CASE("blocks are for all connections that there may be, and for one of each transfer at least") {
  Line line(0, 2);
  for (int n = 0; n < 3; ++n) line.add();
  CHECK(line.last.all == 3);
  Line fixed(4, 32);
  fixed.add();
  fixed.add();
  CHECK(fixed.last.all == 8);
}
