#include "core/transfer_rig.hpp"

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using base::Errc;
using core::Range;

namespace {

Line on(int connection, const core::TransferEvent& event, std::string expected) {
  return {connection, 0, event, std::move(expected)};
}
Line on(int connection, std::int64_t bytes, const core::TransferEvent& event, std::string expected) {
  return {connection, bytes, event, std::move(expected)};
}

/// One connection receives all of a small file.
Script asks_and_receives(int connection = 1) {
  return {on(connection, done(), "link"), on(connection, link(1), "ask 0-100000"),
          on(connection, part(0, file_size), "record \"1\""), on(connection, done(), "receive 0-100000"),
          on(connection, file_size, done(), "leave")};
}

constexpr std::int64_t large = 32 * mib;
core::TransferEvent large_part(std::int64_t first, std::int64_t last) { return part(first * mib, last * mib, large); }
std::string asked(std::int64_t first, std::int64_t last, bool known = true) {
  return "ask " + text(Range{first * mib, last * mib}) + (known ? " if \"1\"" : "");
}
std::string receives(std::int64_t first, std::int64_t last) {
  return "receive " + text(Range{first * mib, last * mib});
}

/// The first answer has come; `others` is how the connections are opened.
Script begins(const std::string& others) {
  return {on(1, done(), "link"), on(1, link(1, large), asked(0, 4, false)), on(1, large_part(0, 4), "record \"1\""),
          on(1, done(), others + receives(0, 4))};
}

Script joins(int connection, std::int64_t first, std::int64_t last) {
  return {on(connection, done(), "link"), on(connection, link(1, large), asked(first, last))};
}

}  // namespace

TEST_CASE("what the links' supply, the catalogue and the stop say is final") {
  Rig no_link(1, file_size);
  no_link.run({on(1, done(), "link"), on(1, failed(Errc::unreachable), "close all; leave")});
  CHECK(no_link.end() == "give up unreachable");

  Rig stopped(1, file_size);
  stopped.run(Script{on(1, done(), "link"), on(1, link(1), "ask 0-100000"),
                     on(1, failed(Errc::timed_out), "retry timed_out; wait 1000 ms"),
                     on(1, failed(Errc::cancelled), "close all; leave")});
  CHECK(stopped.end() == "give up cancelled");
}

TEST_CASE("a file that was damaged on the way is fetched from nothing when that is asked for") {
  Rig rig(1, file_size);
  rig.run(asks_and_receives());
  CHECK(rig.end() == "finished");
  rig.transfer.forget();
  CHECK(rig.transfer.begin() == std::vector<int>{2});
  rig.run(asks_and_receives(2));
  CHECK(rig.end() == "finished");
}

TEST_CASE("others join when the first answer has shown which object it is, and each has a piece of its own") {
  Rig rig(4, large);
  CHECK(rig.opened == std::vector<int>{1});
  rig.run(begins("open 2; open 3; open 4; ") + joins(2, 4, 8) + joins(3, 8, 12) + joins(4, 12, 16) +
          Script{on(2, large_part(4, 8), receives(4, 8)), on(2, 4 * mib, done(), "link"),
                 on(2, link(1, large), asked(16, 20)), on(1, 4 * mib, done(), "link"),
                 on(1, link(1, large), asked(20, 24))});
}

TEST_CASE("where the store has sent parts before, all connections ask at once") {
  core::Transfer transfer({.connections = 4, .expects_parts = true}, {large, ""}, {});
  CHECK(transfer.begin() == std::vector<int>{1, 2, 3, 4});
  const core::Transfer::Moment at{base::Steady{1000s}, 0.5};
  for (const int connection : {1, 2, 3}) {
    transfer.on(connection, done(), at);
    const auto step = transfer.on(connection, link(1, large), at);
    CHECK(step.range == Range{4 * mib * (connection - 1), 4 * mib * connection});
  }
  CHECK(text(transfer.on(2, large_part(4, 8), at)) == "record \"1\"");
  CHECK(text(transfer.on(1, large_part(0, 4), at)) == "wait 250 ms");
  CHECK(text(transfer.on(2, done(), at)) == receives(4, 8));
  CHECK(text(transfer.on(1, done(), at)) == receives(0, 4));
  CHECK(text(transfer.on(3, whole(large), at)) == "retry protocol; close; wait 1000 ms");
}

TEST_CASE("a store that no longer sends parts sends the whole file over the last connection that is left") {
  core::Transfer transfer({.connections = 3, .expects_parts = true}, {large, ""}, {});
  CHECK(transfer.begin().size() == 3);
  const core::Transfer::Moment at{base::Steady{1000s}, 0.5};
  for (const int connection : {1, 2, 3}) {
    transfer.on(connection, done(), at);
    transfer.on(connection, link(1, large), at);
  }
  CHECK(text(transfer.on(2, whole(large), at)) == "close; leave");
  CHECK(text(transfer.on(3, whole(large), at)) == "close; leave");
  CHECK(text(transfer.on(1, whole(large), at)) == "record \"1\"");
  CHECK(text(transfer.on(1, done(), at)) == "receive " + text(Range{0, large}));
}

TEST_CASE("outages, and refusals beside connections that receive, do not add up to the end of a transfer") {
  Rig rig(32, 512 * mib, {}, "\"1\"");
  auto& transfer = rig.transfer;
  const auto answers = [&](int connection) {
    transfer.on(connection, done(), {rig.now, 0.5});
    const auto asks = transfer.on(connection, link(1, 512 * mib), {rig.now, 0.5});
    return transfer.on(connection, part(asks.range.begin, asks.range.end, 512 * mib), {rig.now, 0.5});
  };
  for (const int connection : answers(1).open) answers(connection);
  REQUIRE(transfer.busy() == 32);
  for (int outage = 0; outage < 20; ++outage) {
    for (int connection = 1; connection <= 32; ++connection) CHECK(transfer.received(connection, 1000, rig.now) > 0);
    rig.now = rig.now + 10s;
    for (int connection = 1; connection <= 32; ++connection)
      REQUIRE(transfer.on(connection, failed(Errc::unreachable), {rig.now, 0.5}).kind ==
              core::TransferStep::Kind::wait);
    rig.now = rig.now + 10s;
    for (int connection = 1; connection <= 32; ++connection) answers(connection);
  }
  for (int connection = 2; connection <= 28; ++connection) {
    CHECK(transfer.received(1, 1000, rig.now) == 1000);
    CHECK(text(transfer.on(connection, refused(503, 7200s), {rig.now, 0.5})) == "leave");
  }
  CHECK(transfer.busy() == 5);
  CHECK_FALSE(transfer.over());
}

TEST_CASE("no more connections are opened than there are pieces left") {
  Rig rig(4, large, core::RangeSet(std::vector<Range>{{0, 24 * mib}}));
  rig.run({on(1, done(), "link"), on(1, link(1, large), asked(24, 28, false)),
           on(1, large_part(24, 28), "record \"1\""), on(1, done(), "open 2; " + receives(24, 28))});
}

TEST_CASE("an outage that breaks every connection counts once, and its pause holds for all") {
  Rig rig(4, large);
  rig.transfer.aim(3, rig.now);
  const auto wait = [](const core::TransferStep& step) {
    REQUIRE(step.kind == core::TransferStep::Kind::wait);
    return step.pause;
  };
  auto& transfer = rig.transfer;
  const auto at = rig.now;
  rig.run(begins("open 2; open 3; "));
  for (const int connection : {2, 3}) {
    transfer.on(connection, done(), {at, 0.5});
    transfer.on(connection, link(1, large), {at, 0.5});
  }
  CHECK(wait(transfer.on(1, failed(Errc::unreachable), {at, 0.5})) == 1s);
  CHECK(wait(transfer.on(2, failed(Errc::unreachable), {at + 400ms, 0.5})) == 1s);
  const auto third = transfer.on(3, failed(Errc::unreachable), {at + 500ms, 0.0});
  CHECK(wait(third) == 900ms);
  CHECK(third.retried->attempt == 2);
  transfer.on(3, done(), {at + 1400ms, 0.5});
  transfer.on(3, link(1, large), {at + 1400ms, 0.5});
  CHECK(wait(transfer.on(3, failed(Errc::unreachable), {at + 1400ms, 0.5})) == 2s);
}

TEST_CASE("connections with links of one listing need one renewal, however many are refused") {
  Rig rig(4, large);
  rig.transfer.aim(3, rig.now);
  rig.run(begins("open 2; open 3; ") + joins(2, 4, 8) + joins(3, 8, 12) +
          Script{on(2, refused(403), "retry link_refused; link after 1"), on(3, refused(403), "link after 1"),
                 on(2, link(2, large), asked(4, 8)), on(3, link(2, large), asked(8, 12)),
                 on(3, large_part(8, 12), receives(8, 12)), on(2, refused(403), "retry link_refused; wait 2000 ms")});
}

TEST_CASE("an answer that ignores the range is dropped beside other connections, and received by a single one") {
  Rig rig(4, large);
  rig.transfer.aim(2, rig.now);
  rig.run(begins("open 2; ") + joins(2, 4, 8) +
          Script{on(2, whole(large), "retry protocol; close; wait 1000 ms"), on(1, 4 * mib, done(), "link")});
  rig.transfer.aim(1, rig.now);
  rig.run({on(2, done(), "leave"), on(1, link(1, large), asked(4, 8)),
           on(1, whole(large), "receive " + text(Range{4 * mib, large}) + " behind " + std::to_string(4 * mib)),
           on(1, 28 * mib, done(), "expect end"), on(1, done(), "leave")});
  CHECK(rig.end() == "finished");
}

TEST_CASE("a connection that gives up ends the transfer for all, and what others report then changes nothing") {
  Rig rig(4, large);
  rig.transfer.aim(3, rig.now);
  rig.run(begins("open 2; open 3; ") + joins(2, 4, 8) +
          Script{on(2, refused(418), "close all; leave"), on(1, mib, failed(Errc::cancelled), "leave"),
                 on(3, done(), "leave")});
  CHECK(rig.end() == "give up http_status");
  CHECK(rig.transfer.durable_ranges() == core::RangeSet(std::vector<Range>{{0, mib}}));
}

TEST_CASE("a target that rises opens connections at once, and one that falls has them leave between pieces") {
  Rig rig(4, large);
  rig.transfer.aim(2, rig.now);
  auto& transfer = rig.transfer;
  CHECK(transfer.aim(4, rig.now).open.empty());
  rig.run(begins("open 2; open 3; open 4; ") + joins(2, 4, 8) + joins(3, 8, 12) + joins(4, 12, 16));
  CHECK(transfer.aim(6, rig.now).open == std::vector<int>{5, 6});
  CHECK(transfer.aim(1, rig.now) == core::Transfer::Change());
  rig.run({on(2, large_part(4, 8), receives(4, 8)), on(2, 4 * mib, done(), "leave"),
           on(3, failed(Errc::unreachable), "retry unreachable; wait 1000 ms"), on(3, done(), "leave"),
           on(5, done(), "leave"), on(6, done(), "leave"), on(1, 4 * mib, done(), "leave"),
           on(4, large_part(12, 16), receives(12, 16)), on(4, 4 * mib, done(), "link"),
           on(4, link(1, large), asked(8, 12))});
  rig.run({on(4, large_part(8, 12), receives(8, 12))});
}

TEST_CASE("a failure of the disk ends the transfer, whatever a connection reported before") {
  for (const bool sync : {false, true}) {
    CAPTURE(sync);
    Rig rig(4, large);
    rig.transfer.aim(2, rig.now);
    rig.run(begins("open 2; ") + joins(2, 4, 8) + Script{on(2, refused(418), "close all; leave")});
    rig.bytes(1, mib);
    CHECK(rig.transfer.is_behind());
    if (sync)
      rig.transfer.sync_failed({Errc::io, "first"});
    else
      rig.transfer.disk_failed({Errc::io, "first"});
    rig.transfer.disk_failed({Errc::no_space, "second"});
    CHECK(rig.transfer.has_disk_failed());
    rig.run({on(1, failed(Errc::cancelled), "leave")});
    CHECK(rig.transfer.bytes_written() == (sync ? 0 : mib));
    CHECK(text(rig.transfer.end()) == "give up io");
  }
}

TEST_CASE("a transfer whose bytes are not all durable has not finished") {
  Rig rig(1, file_size);
  rig.run(asks_and_receives());
  CHECK(text(rig.transfer.end()) == "give up io");
  CHECK(rig.end() == "finished");
}

TEST_CASE("a clock that goes back ends a pause and makes none longer") {
  Rig rig(4, large);
  rig.transfer.aim(2, rig.now);
  auto& transfer = rig.transfer;
  rig.run(begins("open 2; ") + joins(2, 4, 8));
  const auto late = rig.now + 24h;
  CHECK(transfer.on(1, failed(Errc::timed_out), {late, 0.5}).pause == 1s);
  const auto step = transfer.on(2, failed(Errc::timed_out), {rig.now, 0.5});
  CHECK(step.pause == 2s);
  CHECK(step.retried->attempt == 3);
}

namespace {

/// Two connections: the first receives [0, 4) MiB, and the store asks the second one for a pause of two minutes.
Script one_is_paused() {
  return begins("open 2; ") + joins(2, 4, 8) + Script{on(2, refused(503, 120s), "retry rate_limited; wait 120000 ms")};
}

/// The first connection completes a piece and takes the next one. `wakes` if nothing is left then.
Script goes_on(std::int64_t first, std::int64_t last, const std::string& wakes = "") {
  return {on(1, 4 * mib, done(), "link" + wakes), on(1, link(1, large), asked(first, last) + wakes),
          on(1, large_part(first, last), receives(first, last) + wakes)};
}

/// Until the first connection receives the last piece.
Script all_is_claimed() {
  Script script;
  for (std::int64_t at = 4; at < 28; at += 4) script = script + goes_on(at, at + 4);
  return script + goes_on(28, 32, "; wake 2");
}

Rig two_connections() {
  Rig rig(4, large);
  rig.transfer.aim(2, rig.now);
  rig.waits_pass = false;
  return rig;
}

}  // namespace

TEST_CASE("a pause ends early when the other connections have claimed all that was left") {
  auto rig = two_connections();
  rig.run(one_is_paused() + all_is_claimed());
  rig.run({on(2, woken(), "leave"), on(1, 4 * mib, done(), "leave")});
  CHECK(rig.end() == "finished");
}

TEST_CASE("a connection that is woken for nothing, because work was given back, waits for the rest of its pause") {
  auto rig = two_connections();
  rig.run(one_is_paused() + all_is_claimed());
  rig.now = rig.now + 20s;
  rig.run({on(1, mib, refused(503, 1s), "retry rate_limited; wait 100000 ms"), on(2, woken(), "wait 100000 ms")});
  rig.now = rig.now + 100s;
  rig.run({on(2, done(), "link; wake 1"), on(2, link(1, large), asked(29, 32) + "; wake 1"), on(1, woken(), "leave")});
}

TEST_CASE("a wake that comes after the pause, or after the clock went back, is the pause's end") {
  for (const auto jump : {120'000ms, -1ms}) {
    CAPTURE(jump.count());
    auto rig = two_connections();
    rig.run(one_is_paused() + all_is_claimed());
    rig.run({on(1, mib, refused(503, 1s), "retry rate_limited; wait 120000 ms")});
    rig.now = rig.now + jump;
    rig.run({on(2, woken(), "link; wake 1")});
  }
}

TEST_CASE("a transfer that gives up, starts over or loses its disk ends every pause") {
  auto gives_up = two_connections();
  gives_up.run(one_is_paused() + Script{on(1, refused(418), "close all; leave; wake 2"), on(2, woken(), "leave")});
  CHECK(gives_up.end() == "give up http_status");

  auto starts_over = two_connections();
  starts_over.run(one_is_paused() + Script{on(1, failed(Errc::changed_upstream),
                                              "retry changed_upstream from nothing; close all; leave; wake 2"),
                                           on(2, woken(), "leave")});
  CHECK(starts_over.end() == "start over");

  auto loses_disk = two_connections();
  loses_disk.run(one_is_paused());
  CHECK(loses_disk.transfer.to_wake().empty());
  loses_disk.transfer.disk_failed({Errc::no_space, "full"});
  CHECK(loses_disk.transfer.to_wake() == std::vector<int>{2});
}

TEST_CASE("a connection that fails when nothing is left to claim does not wait") {
  auto rig = two_connections();
  rig.run(one_is_paused() + all_is_claimed());
  rig.run({on(1, 4 * mib, failed(Errc::unreachable), "retry unreachable; leave; wake 2"), on(2, woken(), "leave")});
  CHECK(rig.end() == "finished");
}

TEST_CASE("a connection that waits to record an ETag is woken by the transfer's end alone") {
  Rig rig(1, file_size);
  rig.waits_pass = false;
  rig.run({on(1, done(), "link"), on(1, link(1), "ask 0-100000"), on(1, part(0, file_size), "record \"1\""),
           on(1, failed(Errc::catalogue_busy), "retry catalogue_busy; wait 1000 ms"), on(1, woken(), "wait 1000 ms")});
  rig.transfer.disk_failed({Errc::io, "gone"});
  CHECK(rig.transfer.to_wake() == std::vector<int>{1});
  rig.run({on(1, woken(), "leave")});
}

TEST_CASE("what a busy catalogue did not record is recorded later, and no other failure to record is passed over") {
  Rig rig(1, file_size);
  rig.run(asks_and_receives());
  rig.transfer.watermark_failed({Errc::catalogue_busy, "locked"});
  CHECK_FALSE(rig.transfer.has_disk_failed());
  const core::Transfer::Moment now{rig.now, 0.5};
  for (int tries = 1; tries < 8; ++tries) REQUIRE(rig.transfer.record_failed({Errc::catalogue_busy, "locked"}, now));
  CHECK_FALSE(rig.transfer.record_failed({Errc::catalogue_busy, "locked"}, now));
  rig.transfer.recorded();
  const auto again = rig.transfer.record_failed({Errc::catalogue_busy, "locked"}, now);
  REQUIRE(again);
  CHECK(again->pause == 1s);
  CHECK_FALSE(rig.transfer.record_failed({Errc::catalogue, "no such table"}, now));
  rig.transfer.watermark_failed({Errc::catalogue, "no such table"});
  CHECK(rig.end() == "give up catalogue");
}
