// Trouble that lasts: outages of several connections, stores that answer only some of them, and links that cannot be
// had.
#include "core/transfer_rig.hpp"

#include <map>
#include <set>
#include <utility>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using base::Errc;
using core::Range;
using Kind = core::TransferStep::Kind;

namespace {

constexpr std::int64_t large = 512 * mib;

/// A transfer whose connections all ask and have had an answer.
struct BusyLine {
  explicit BusyLine(int connections, std::int64_t file = large) : size(file), rig(connections, file, {}, "\"1\"") {
    for (const int connection : answers(1).open) answers(connection);
    REQUIRE(rig.transfer.busy() == connections);
  }

  core::TransferStep on(int connection, const core::TransferEvent& event) {
    return rig.transfer.on(connection, event, {rig.now, 0.5});
  }
  core::TransferStep asks(int connection) {
    on(connection, done());
    return on(connection, link(1, size));
  }
  /// Its piece ends, and the next one is answered.
  void answers_again(int connection) {
    rig.transfer.received(connection, size, rig.now);
    answers(connection);
  }
  core::TransferStep answers(int connection) {
    const auto asked = asks(connection);
    return on(connection, part(asked.range.begin, asked.range.end, size));
  }

  std::int64_t size;
  Rig rig;
};

/// Each request fails after 15 to 25 ms until the transfer ends.
struct Outage {
  explicit Outage(int connections) : line(connections) {
    const auto begin = line.rig.now;
    for (int connection = 1; connection <= connections; ++connection)
      events.emplace(begin + 10ms * connection, connection);
    std::set<int> waits;
    while (!events.empty() && !line.rig.transfer.over() && requests < 100'000) {
      const auto [when, connection] = *events.begin();
      events.erase(events.begin());
      line.rig.now = when;
      if (waits.erase(connection) > 0) {
        auto step = line.on(connection, done());
        if (step.kind == Kind::find_link) step = line.on(connection, link(1, large));
        if (step.kind == Kind::ask) ++requests;
        go_on(connection, step, waits);
      } else {
        go_on(connection, line.on(connection, refused(500)), waits);
      }
    }
    lasted = line.rig.now - begin;
  }

  void go_on(int connection, const core::TransferStep& step, std::set<int>& waits) {
    if (step.kind == Kind::wait) {
      waits.insert(connection);
      events.emplace(line.rig.now + step.pause, connection);
    } else if (step.kind == Kind::ask) {
      events.emplace(line.rig.now + 15ms + 1ms * (connection % 10), connection);
    } else {
      CHECK(step.kind == Kind::leave);
    }
  }

  BusyLine line;
  std::multimap<base::Steady, int> events;
  int requests = 0;
  base::Milliseconds lasted{};
};

}  // namespace

TEST_CASE("an outage ends a transfer after as many pauses, however many connections it has") {
  for (const int connections : {1, 2, 4, 8, 16, 32}) {
    CAPTURE(connections);
    const Outage outage(connections);
    CHECK(text(outage.line.rig.transfer.end()) == "give up http_status");
    CHECK(outage.lasted >= 100s);
    CHECK(outage.lasted <= 200s);
    CHECK(outage.requests <= 8 * connections);
  }
}

TEST_CASE("a connection that has waited waits on while another one's pause lasts") {
  BusyLine line(3);
  CHECK(text(line.on(1, failed(Errc::unreachable))) == "retry unreachable; wait 1000 ms");
  line.rig.now = line.rig.now + 600ms;
  CHECK(text(line.on(2, failed(Errc::unreachable))) == "retry unreachable; wait 1000 ms");
  line.rig.now = line.rig.now + 400ms;
  CHECK(text(line.on(1, done())) == "wait 600 ms");
  line.rig.now = line.rig.now + 600ms;
  CHECK(text(line.on(1, done())) == "link");
}

TEST_CASE("what a store answers only some connections, the others ask for ever more seldom, and nothing ends") {
  for (const auto& answer : {refused(500), refused(502), failed(Errc::protocol), failed(Errc::tls)}) {
    BusyLine line(2);
    base::Milliseconds pauses{};
    for (int failure = 0; failure < 20; ++failure) {
      REQUIRE(line.rig.transfer.received(1, 1000, line.rig.now) == 1000);
      const auto step = line.on(2, answer);
      REQUIRE(step.kind == Kind::wait);
      CHECK(step.pause >= std::min(pauses, base::Milliseconds(60s)));
      pauses = step.pause;
      line.rig.now = line.rig.now + step.pause;
      line.rig.transfer.received(1, 1000, line.rig.now);
      line.asks(2);
    }
    CHECK(pauses == 60s);
    CHECK_FALSE(line.rig.transfer.over());
    const auto asked = line.rig.transfer.received(1, 1000, line.rig.now);
    CHECK(asked == 1000);
  }
}

TEST_CASE("bytes of its own end a connection's failures beside others") {
  BusyLine line(2);
  for (int failure = 0; failure < 3; ++failure) {
    line.rig.transfer.received(1, 1000, line.rig.now);
    line.rig.now = line.rig.now + line.on(2, refused(500)).pause;
    line.asks(2);
  }
  line.rig.transfer.received(1, 1000, line.rig.now);
  CHECK(text(line.on(2, refused(500))) == "retry http_status; wait 8000 ms");
  line.rig.now = line.rig.now + 8s;
  line.answers(2);
  line.rig.transfer.received(2, 1000, line.rig.now);
  line.rig.transfer.received(1, 1000, line.rig.now);
  CHECK(text(line.on(2, refused(500))) == "retry http_status; wait 1000 ms");
}

TEST_CASE("a fresh link that is refused ends nothing while bytes come over another connection") {
  BusyLine line(2);
  line.rig.transfer.received(1, 1000, line.rig.now);
  CHECK(text(line.on(2, refused(403))) == "retry link_refused; link after 1");
  line.on(2, link(2, large));
  CHECK(text(line.on(2, refused(403))) == "retry link_refused; wait 2000 ms");
  line.rig.now = line.rig.now + 2s;
  CHECK(text(line.on(2, done())) == "link after 1");
  line.on(2, link(2, large));
  line.rig.now = line.rig.now + 10s;
  line.on(1, failed(Errc::unreachable));
  CHECK(text(line.on(2, refused(403))) == "close all; leave");
}

TEST_CASE("a connection between two pieces, and one that is answered after long, shows that links are good too") {
  BusyLine line(3);
  CHECK(text(line.on(2, refused(403))) == "retry link_refused; link after 1");
  line.on(2, link(2, large));
  line.rig.transfer.received(1, 4 * mib, line.rig.now);
  line.rig.now = line.rig.now + 10s;
  CHECK(line.on(1, done()).kind == Kind::find_link);
  CHECK(line.on(3, failed(Errc::unreachable)).kind == Kind::wait);
  CHECK(text(line.on(2, refused(403))) == "retry link_refused; wait 2000 ms");
  CHECK_FALSE(line.rig.transfer.over());
}

TEST_CASE(
    "beside links that are good, refused ones are renewed once in five minutes, however often the others are "
    "answered") {
  BusyLine line(2, 80 * large);
  int renewals = 0;
  const auto end = line.rig.now + 1h;
  for (int listing = 1; line.rig.now < end;) {
    line.rig.transfer.received(1, 1000, line.rig.now);
    const auto step = line.on(2, refused(403));
    REQUIRE_FALSE(line.rig.transfer.over());
    if (step.kind == Kind::find_link) ++renewals;
    if (step.kind == Kind::find_link) ++listing;
    if (step.kind == Kind::wait) line.rig.now = line.rig.now + step.pause;
    if (step.kind == Kind::wait) line.on(2, done());
    line.on(2, link(listing, line.size));
    line.answers_again(1);
  }
  CHECK(renewals <= 12);
}

TEST_CASE("without a link, a connection leaves those that receive to end their pieces") {
  BusyLine line(3);
  line.rig.transfer.received(1, 1000, line.rig.now);
  CHECK(text(line.on(2, refused(403))) == "retry link_refused; link after 1");
  CHECK(text(line.on(2, failed(Errc::unreachable))) == "leave");
  CHECK(line.rig.transfer.aim(3, line.rig.now).open.empty());
  CHECK_FALSE(line.rig.transfer.over());
  line.rig.transfer.received(1, 1000, line.rig.now);
  CHECK(text(line.on(3, failed(Errc::unreachable))) == "retry unreachable; wait 1000 ms");
  line.rig.now = line.rig.now + 1s;
  line.on(3, done());
  CHECK(text(line.on(3, failed(Errc::cancelled))) == "close all; leave");

  BusyLine found(3);
  found.rig.transfer.received(1, 1000, found.rig.now);
  found.on(2, refused(403));
  CHECK(text(found.on(2, failed(Errc::protocol))) == "leave");
  found.on(1, failed(Errc::unreachable));
  found.rig.now = found.rig.now + 1s;
  found.on(1, done());
  CHECK(text(found.on(1, link(2, large))).starts_with("open 4; ask "));
  CHECK(found.rig.transfer.busy() == 2);
}

TEST_CASE("no connection receives before the ETag is recorded") {
  core::Transfer transfer({.connections = 2, .expects_parts = true}, {32 * mib, ""}, {});
  transfer.begin();
  const core::Transfer::Moment at{base::Steady{1000s}, 0.5};
  std::map<int, Range> asked;
  for (const int connection : {1, 2}) {
    transfer.on(connection, done(), at);
    asked[connection] = transfer.on(connection, link(1, 32 * mib), at).range;
  }
  const auto answer = [&](int connection) { return part(asked[connection].begin, asked[connection].end, 32 * mib); };
  CHECK(text(transfer.on(1, answer(1), at)) == "record \"1\"");
  CHECK(text(transfer.on(1, failed(Errc::catalogue_busy), at)) == "retry catalogue_busy; wait 1000 ms");
  // It is recorded by one connection; the others wait for that, and count none of its failures.
  CHECK(text(transfer.on(2, answer(2), at)) == "wait 250 ms");
  CHECK(text(transfer.on(2, done(), at)) == "wait 250 ms");
  CHECK(text(transfer.on(1, done(), at)) == "record \"1\"");
  CHECK(text(transfer.on(2, done(), at)) == "wait 250 ms");
  CHECK(text(transfer.on(1, done(), at)) == "receive " + text(asked[1]));
  CHECK(text(transfer.on(2, done(), at)) == "receive " + text(asked[2]));
}
