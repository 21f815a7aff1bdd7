// The end of a file: a connection that has nothing left to receive does the work of a slow one.
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
  void bytes(int connection, std::int64_t count) { CHECK(rig.bytes(connection, count) == count); }
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
  CHECK(pair.rig.transfer.received(2, mib, pair.rig.now) == 0);
  CHECK_FALSE(pair.rig.transfer.expects(2));
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
    const auto opened = pair.rig.transfer.aim(2, pair.rig.now).open;
    if (opened.empty()) break;
    other = taker;
    taker = opened.front();
    pair.passes(5s);
  }
  CHECK(replaced >= 1);
  CHECK(replaced <= 8);
}

TEST_CASE("a connection whose answer does not come is replaced, once another one would have had several") {
  Pair pair;
  pair.all_but_the_second(4 * mib);
  pair.go(2, done());
  CHECK(pair.rig.transfer.busy() == 1);
  Pair waits(2, Number::fixed);
  waits.passes(1s);
  waits.bytes(2, 4 * mib);
  REQUIRE(waits.go(2, done()) == "link");
  REQUIRE(waits.go(2, core::LinkFound{1, large}).starts_with("ask 8388608-12582912"));
  waits.passes(1s);
  waits.bytes(1, 4 * mib);
  waits.next(1, 12 * mib);
  waits.passes(500ms);
  waits.bytes(1, 4 * mib);
  CHECK(waits.go(1, done()) == "wait 250 ms");
  waits.passes(2s);
  CHECK(waits.go(1, done()) == "take over from 2; link");
  CHECK(waits.go(2, failed(Errc::cancelled)) == "leave");
  CHECK(waits.go(1, core::LinkFound{1, large}) == "ask " + text(core::Range{8 * mib, 12 * mib}) + " if \"1\"");
}

TEST_CASE("the back of a large piece is given to a connection without one, and its owner ends before it") {
  constexpr std::int64_t size = 256 * mib;
  Rig rig(2, size, {}, "", Number::found, true);
  rig.waits_pass = false;
  // One connection brings 32 MiB a second, the other one two.
  const auto receive = [&](const core::TransferStep& asks) {
    rig.now = rig.now + 20ms;
    rig.on(2, core::AnswerCame{part_head(asks.range.begin, asks.range.end, size)});
    rig.now = rig.now + base::Milliseconds(1000 * asks.range.size() / (32 * mib));
    CHECK(rig.bytes(2, asks.range.size()) == asks.range.size());
  };
  rig.on(1, done());
  const auto first = rig.on(1, core::LinkFound{1, size}).range;
  CHECK(first == core::Range{0, 32 * mib});
  rig.on(1, part(0, 32 * mib, size));
  rig.on(1, done());
  auto step = rig.on(2, done());
  for (std::int64_t end = 0; end < size; step = rig.on(2, done())) {
    const auto before = rig.now;
    const auto asks = rig.on(2, core::LinkFound{1, size});
    receive(asks);
    end = asks.range.end;
    rig.bytes(1, 2 * mib * (rig.now - before).count() / 1000);
  }
  CHECK(text(step) == "link");
  const auto asks = rig.on(2, core::LinkFound{1, size});
  const auto own = asks.range.begin - rig.offsets[1];
  CHECK(own > 0);
  CHECK(own < 2 * mib);
  CHECK(rig.transfer.expects(1));
  CHECK(rig.bytes(1, 8 * mib) == own);
  CHECK_FALSE(rig.transfer.expects(1));
  receive(asks);
  for (step = rig.on(2, done()); step.kind == core::TransferStep::Kind::find_link; step = rig.on(2, done()))
    receive(rig.on(2, core::LinkFound{1, size}));
  CHECK(text(rig.on(1, done())) == "leave");
  rig.on(2, woken());
  CHECK(rig.end() == "finished");
}

TEST_CASE("a surplus connection leaves at once if its piece would last, and between pieces if it is nearly done") {
  Pair pair;
  pair.passes(1s);
  pair.bytes(1, 3 * mib);
  CHECK(pair.rig.transfer.aim(1, pair.rig.now) == core::Transfer::Change{.close = {2}});
  CHECK_FALSE(pair.rig.transfer.expects(2));
  CHECK(pair.go(2, failed(Errc::cancelled)) == "leave");
  pair.bytes(1, mib);
  CHECK(pair.go(1, done()) == "link");
  CHECK(pair.go(1, core::LinkFound{1, large}).starts_with("ask 4194304-"));

  Pair soon;
  soon.passes(1s);
  soon.bytes(1, 3 * mib);
  soon.bytes(2, 3 * mib);
  CHECK(soon.rig.transfer.aim(1, soon.rig.now) == core::Transfer::Change());
  soon.bytes(2, mib);
  CHECK(soon.go(2, done()) == "leave");
}

TEST_CASE("the last connection stays when it fails, although a surplus one has not left yet") {
  Pair pair;
  pair.passes(1s);
  pair.bytes(1, 3 * mib);
  REQUIRE(pair.rig.transfer.aim(1, pair.rig.now).close == std::vector{2});
  CHECK(pair.go(1, failed(Errc::unreachable)) == "retry unreachable; wait 1000 ms");
  CHECK(pair.go(2, failed(Errc::cancelled)) == "leave");
  pair.passes(1s);
  CHECK(pair.go(1, done()) == "link");
}

TEST_CASE("a connection that waits for long sends no other one away") {
  for (const auto number : {Number::fixed, Number::found}) {
    CAPTURE(number);
    Pair pair(2, number);
    pair.rig.waits_pass = false;
    pair.passes(3s);
    CHECK(pair.go(2, refused(503, std::chrono::seconds(120))) == "retry rate_limited; wait 120000 ms");
    pair.rig.transfer.aim(1, pair.rig.now);
    pair.bytes(1, 4 * mib);
    CHECK(pair.go(1, done()) == "link");
  }
}

TEST_CASE("surplus connections leave in the middle of their pieces if another file needs their places") {
  Pair pair(2, Number::fixed);
  pair.passes(1s);
  pair.bytes(1, 2 * mib);
  pair.bytes(2, 3 * mib);
  CHECK(pair.rig.transfer.aim(1, pair.rig.now) == core::Transfer::Change());
  CHECK(pair.rig.transfer.aim(1, pair.rig.now, true).close == std::vector{1});
  CHECK(pair.go(1, failed(Errc::cancelled)) == "leave");
  pair.bytes(2, mib);
  CHECK(pair.go(2, done()) == "link");
  // Before it has asked, too.
  Pair asks(2, Number::fixed);
  asks.bytes(1, 4 * mib);
  CHECK(asks.go(1, done()) == "link");
  CHECK(asks.rig.transfer.aim(1, asks.rig.now, true).close.size() == 1);
}

TEST_CASE("a target of 0 closes the connections and holds the transfer until there is another target") {
  for (const auto number : {Number::fixed, Number::found}) {
    CAPTURE(number);
    Pair pair(2, number);
    auto& transfer = pair.rig.transfer;
    pair.passes(1s);
    pair.bytes(1, 2 * mib);
    pair.bytes(2, mib);
    CHECK(transfer.aim(0, pair.rig.now).close.size() == 2);
    CHECK(pair.rig.bytes(1, mib) == 0);
    const auto step = pair.rig.on(1, failed(Errc::cancelled));
    CHECK(text(step) == "close; wait 3600000 ms");
    CHECK(step.idle);
    CHECK(pair.go(2, failed(Errc::cancelled)) == "leave");
    CHECK(transfer.busy() == 0);
    CHECK(transfer.to_wake().empty());
    CHECK(transfer.aim(0, pair.rig.now) == core::Transfer::Change());
    const auto opened = transfer.aim(2, pair.rig.now).open;
    REQUIRE(opened.size() == 1);
    CHECK(transfer.to_wake() == std::vector{1});
    CHECK(pair.go(1, woken()) == "link");
    CHECK(pair.go(1, core::LinkFound{1, large}).starts_with("ask " + std::to_string(2 * mib) + "-"));
    CHECK(pair.go(opened.front(), done()) == "link");
  }
}

TEST_CASE("a transfer that is held from its beginning asks nothing, and one whose whole body comes receives it") {
  Rig rig(0, large);
  CHECK(text(rig.on(1, done())) == "close; wait 3600000 ms");
  rig.transfer.aim(1, rig.now);
  CHECK(rig.transfer.to_wake() == std::vector{1});
  CHECK(text(rig.on(1, woken())) == "link");
  rig.on(1, core::LinkFound{1, large});
  rig.on(1, whole(large));
  rig.on(1, done());
  CHECK(rig.transfer.aim(0, rig.now) == core::Transfer::Change());
  CHECK(rig.transfer.expects(1));
}

TEST_CASE("a refusal because of other files counts as no failure, and is repeated within seconds") {
  const auto crowded = [](std::optional<std::chrono::seconds> retry_after) {
    auto event = std::get<core::StepFailed>(refused(503, retry_after));
    event.crowded = true;
    return event;
  };
  Rig rig(1, large);
  rig.on(1, done());
  for (int n = 0; n < 100; ++n) {
    rig.on(1, core::LinkFound{1, large});
    const auto step = rig.on(1, crowded(n % 2 == 0 ? std::optional(std::chrono::seconds(7200)) : std::nullopt));
    REQUIRE(step.kind == core::TransferStep::Kind::wait);
    CHECK(step.pause >= 500ms);
    CHECK(step.pause <= 5s);
    REQUIRE(text(rig.on(1, done())) == "link");
  }
  // Then it may be held, and asks no more.
  rig.on(1, core::LinkFound{1, large});
  rig.transfer.aim(0, rig.now);
  CHECK(text(rig.on(1, crowded({}))) == "close; wait 3600000 ms");
}

TEST_CASE("between two rounds no connection is opened") {
  Rig rig(2, large, {}, "\"1\"", Number::found);
  rig.on(1, done());
  rig.on(1, core::LinkFound{1, large});
  rig.on(1, part(0, 4 * mib, large));
  rig.on(1, failed(Errc::changed_upstream));
  rig.on(2, done());
  CHECK(rig.transfer.aim(8, rig.now).open.empty());
}

TEST_CASE("a connection that fails while there are more than wanted leaves instead of waiting") {
  Pair pair;
  pair.passes(1s);
  pair.bytes(1, 3 * mib);
  pair.bytes(2, 3 * mib);
  CHECK(pair.rig.transfer.aim(1, pair.rig.now) == core::Transfer::Change());
  pair.passes(3s);
  CHECK(pair.go(2, refused(503)) == "retry rate_limited; leave");
}

TEST_CASE("pieces become smaller when more connections are wanted") {
  Rig rig(1, 400 * mib, {}, "", Number::found);
  rig.on(1, done());
  CHECK(text(rig.on(1, core::LinkFound{1, 400 * mib})) == "ask " + text(core::Range{0, 52 * mib}));
  rig.on(1, part(0, 52 * mib, 400 * mib));
  rig.on(1, done());
  CHECK(rig.transfer.aim(16, rig.now).open.size() == 15);
  rig.on(2, done());
  CHECK(text(rig.on(2, core::LinkFound{1, 400 * mib})) == "ask " + text(core::Range{52 * mib, 64 * mib}) + " if \"1\"");
}
