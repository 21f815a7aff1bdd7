// The end of a file: who has nothing left takes over from who is slow.
#include "core/transfer_rig.hpp"

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using base::Errc;

namespace {

constexpr std::int64_t large = 16 * mib;

/// Two connections, each of which receives eight MiB. The first one is to be the fast one.
struct Pair {
  explicit Pair(int connections = 2, Number number = Number::found) : rig(connections, large, {}, "", number, true) {
    rig.waits_pass = false;
    go(1, done());
    go(1, core::LinkFound{1, large});
    go(1, part(0, 4 * mib, large));
    go(1, done());
    go(2, done());
    go(2, core::LinkFound{1, large});
    go(2, part(4 * mib, 8 * mib, large));
  }
  std::string go(int connection, const core::TransferEvent& event) { return text(rig.on(connection, event)); }
  void bytes(int connection, std::int64_t count) { rig.bytes(connection, count); }
  void passes(base::Milliseconds time) { rig.now = rig.now + time; }
  /// The connection ends its piece and receives the next one.
  void next(int connection, std::int64_t begin) {
    go(connection, done());
    go(connection, core::LinkFound{1, large});
    go(connection, part(begin, begin + 4 * mib, large));
  }
  /// Connection 1 has received all the rest within two seconds, the other one `theirs` of its 4 MiB.
  void all_but_the_second(std::int64_t theirs) {
    passes(1s);
    bytes(1, 4 * mib);
    next(1, 8 * mib);
    passes(1s);
    bytes(1, 4 * mib);
    next(1, 12 * mib);
    passes(500ms);
    if (theirs > 0) bytes(2, theirs);
    passes(500ms);
    bytes(1, 4 * mib);
  }

  Rig rig;
};

}  // namespace

TEST_CASE("a connection without a piece takes the rest of one that is stalled, and asks for it") {
  for (const auto number : {Number::fixed, Number::found}) {
    CAPTURE(number);
    Pair pair(2, number);
    pair.bytes(2, mib);
    pair.all_but_the_second(0);
    CHECK(pair.go(1, done()) == "take over from 2; link");
    CHECK(pair.go(1, core::LinkFound{1, large}) == "ask " + text(core::Range{5 * mib, 8 * mib}) + " if \"1\"");
    CHECK(pair.go(2, failed(Errc::unreachable)) == "leave");
    CHECK(pair.go(1, part(5 * mib, 8 * mib, large)) == "receive " + text(core::Range{5 * mib, 8 * mib}));
    pair.bytes(1, 3 * mib);
    CHECK(pair.go(1, done()) == "leave");
    CHECK(pair.rig.end() == "finished");
  }
}

TEST_CASE("a connection at a tenth of the others' rate is replaced, one at half of it is not") {
  Pair tenth;
  tenth.all_but_the_second(mib);
  CHECK(tenth.go(1, done()) == "take over from 2; link");
  Pair half;
  half.all_but_the_second(3 * mib);
  CHECK(half.go(1, done()) == "wait 250 ms");
}

TEST_CASE("bytes that come over a connection after it was replaced are dropped") {
  Pair pair;
  pair.all_but_the_second(0);
  pair.go(1, done());
  CHECK_FALSE(pair.rig.transfer.received(2, mib, pair.rig.now));
  CHECK(pair.go(2, done()) == "leave");
}

TEST_CASE("a connection that has nothing to do waits for the last one, and looks again") {
  Pair pair;
  pair.all_but_the_second(3 * mib);
  REQUIRE(pair.go(1, done()) == "wait 250 ms");
  CHECK(pair.rig.transfer.to_wake().empty());
  pair.passes(250ms);
  CHECK(pair.go(1, done()) == "wait 250 ms");
  pair.bytes(2, mib);
  CHECK(pair.go(2, done()) == "leave");
  CHECK(pair.rig.transfer.to_wake() == std::vector{1});
  CHECK(pair.go(1, woken()) == "leave");
  CHECK(pair.rig.end() == "finished");
}

TEST_CASE("a connection that waits takes what another one gave back after a failure") {
  Pair pair;
  pair.all_but_the_second(3 * mib);
  REQUIRE(pair.go(1, done()) == "wait 250 ms");
  CHECK(pair.go(2, failed(Errc::unreachable)) == "retry unreachable; wait 1000 ms");
  CHECK(pair.rig.transfer.to_wake() == std::vector{1});
  CHECK(pair.go(1, woken()) == "link");
}

TEST_CASE("where nothing comes over any connection, replacing ends") {
  Pair pair;
  pair.all_but_the_second(0);
  int replaced = 0;
  int taker = 1, other = 2;
  for (int n = 0; n < 100; ++n) {
    const auto said = pair.go(taker, done());
    if (said.find("take over") != 0) break;
    ++replaced;
    pair.go(taker, core::LinkFound{1, large});
    pair.go(taker, part(4 * mib, 8 * mib, large));
    pair.go(other, done());
    const auto opened = pair.rig.transfer.aim(2);
    if (opened.empty()) break;
    other = taker;
    taker = opened.front();
    pair.passes(5s);
  }
  CHECK(replaced >= 1);
  CHECK(replaced <= 8);
}

TEST_CASE("between two rounds no connection is opened") {
  Rig rig(2, large, {}, "\"1\"", Number::found);
  rig.on(1, done());
  rig.on(1, core::LinkFound{1, large});
  rig.on(1, part(0, 4 * mib, large));
  rig.on(1, failed(Errc::changed_upstream));
  rig.on(2, done());
  CHECK(rig.transfer.aim(8).empty());
}

TEST_CASE("a connection that fails while there are more than wanted leaves instead of waiting") {
  Pair pair;
  pair.rig.transfer.aim(1);
  CHECK(pair.go(2, refused(503)) == "retry rate_limited; leave");
}

TEST_CASE("pieces become smaller when more connections are wanted") {
  Rig rig(1, 400 * mib, {}, "", Number::found);
  rig.on(1, done());
  CHECK(text(rig.on(1, core::LinkFound{1, 400 * mib})) == "ask " + text(core::Range{0, 52 * mib}));
  rig.on(1, part(0, 52 * mib, 400 * mib));
  rig.on(1, done());
  CHECK(rig.transfer.aim(16).size() == 15);
  rig.on(2, done());
  CHECK(text(rig.on(2, core::LinkFound{1, 400 * mib})) == "ask " + text(core::Range{52 * mib, 64 * mib}) + " if \"1\"");
}
