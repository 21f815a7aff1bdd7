// What a crash costs: the bytes that came and are not recorded.
#include "agent/transfer_rig.hpp"

#include <deque>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using base::Errc;

namespace {

constexpr std::int64_t mib = TransferRig::mib;
using Pace = StandingService::Pace;

/// What came until a second ago, according to the store.
class Arrivals {
 public:
  explicit Arrivals(TransferRig& rig) : rig_(rig) {
    rig.service.came = [this](std::size_t bytes) {
      recent_.push_back({rig_.clock.steady(), all_ += static_cast<std::int64_t>(bytes)});
    };
  }
  std::int64_t all() const { return all_; }
  std::int64_t a_second_ago() {
    for (; !recent_.empty() && rig_.clock.steady() - recent_.front().at > 1s; recent_.pop_front())
      older_ = recent_.front().all;
    return older_;
  }

 private:
  struct Arrival {
    base::Steady at;
    std::int64_t all = 0;
  };
  TransferRig& rig_;
  std::deque<Arrival> recent_;
  std::int64_t all_ = 0;
  std::int64_t older_ = 0;
};

/// Paced, with `limits` that are met soon, while the catalogue's lock is held: so much has come that its connections
/// wait for room.
struct Waiting {
  static constexpr agent::UnrecordedLimits limits{.sync_after = mib, .most = 2 * mib};

  explicit Waiting(int connections) : rig(connections, 8 * mib, limits) {
    rig.service.pace = {10ms, 64 << 10};
    rig.begin();
    rig.pass(5ms);
    rig.shared.lock();
    rig.pass(4s);
  }
  TransferRig rig;
};

}  // namespace

TEST_CASE("a line of any speed that is cut at any moment loses less than its last second") {
  const std::vector<Pace> paces{{100ms, 300}, {40ms, 4000}, {20ms, 100'000}, {300ms, 70'000}, {900ms, 5000}};
  for (const int connections : {1, 3})
    for (const auto& pace : paces) {
      CAPTURE(pace.bytes);
      CAPTURE(connections);
      TransferRig rig(connections, 4 * mib * connections);
      Arrivals arrivals(rig);
      rig.service.pace = pace;
      rig.begin();
      for (int tick = 0; tick < 120 && !rig.ended; ++tick) {
        rig.pass(30ms);
        REQUIRE(rig.durable() >= arrivals.a_second_ago());
      }
      CHECK(arrivals.a_second_ago() > 0);
    }
}

TEST_CASE("bytes that came before a body stands still are durable in time") {
  TransferRig rig(1);
  rig.service.store_script = [](const StoreRequest&, StoreAnswer& answer) {
    answer.body.resize(100'000);
    answer.end = base::Error{Errc::timed_out, "no byte for 30 s"};
  };
  rig.begin();
  rig.pass(500ms);
  CHECK(rig.service.stands());
  CHECK(rig.durable() == 100'000);
}

TEST_CASE("a fast line is synced by bytes, and never has more unrecorded than the limit") {
  const agent::UnrecordedLimits limits{.sync_after = mib, .most = 3 * mib};
  for (const int connections : {1, 4}) {
    CAPTURE(connections);
    TransferRig rig(connections, 9 * mib, limits);
    std::int64_t came = 0;
    std::int64_t most = 0;
    int reads = 0;
    rig.service.came = [&](std::size_t bytes) {
      came += static_cast<std::int64_t>(bytes);
      if (++reads % 16 == 0) most = std::max(most, came - rig.durable());
    };
    rig.begin();
    REQUIRE(rig.ended);
    CHECK(rig.is_whole());
    CHECK(rig.passed() == 0ms);
    CHECK(most <= limits.most);
    CHECK(most > mib);
  }
}

TEST_CASE("the limit leaves room below 256 MiB for what sockets hold") {
  const agent::UnrecordedLimits limits;
  CHECK(limits.most <= 192 * mib);
  CHECK(limits.sync_after < limits.most);
}

TEST_CASE("a catalogue that stays busy stops the bytes at the limit, and they continue when it is free") {
  Waiting waiting(2);
  auto& rig = waiting.rig;
  const auto fetched = rig.progress.fetched;
  CHECK(fetched <= 2 * mib);
  CHECK(fetched > mib);
  rig.pass(4s);
  CHECK(rig.progress.fetched == fetched);
  rig.shared.unlock();
  rig.pass(60s);
  REQUIRE(rig.ended);
  CHECK(rig.is_whole());
}

TEST_CASE("a disk that fails while connections wait for room ends the transfer") {
  Waiting waiting(2);
  REQUIRE_FALSE(waiting.rig.ended);
  waiting.rig.storage.die_at(1);
  waiting.rig.pass(1s);
  CHECK(waiting.rig.why() == Errc::io);
}

TEST_CASE("a stop while connections wait for room ends the transfer") {
  Waiting waiting(2);
  auto& rig = waiting.rig;
  REQUIRE_FALSE(rig.ended);
  SUBCASE("while the catalogue is still busy") {}
  SUBCASE("when it is free again") { rig.shared.unlock(); }
  rig.stop.request();
  rig.settle();
  CHECK(rig.why() == Errc::cancelled);
}

TEST_CASE("an object that changes while a connection waits for room is downloaded again") {
  TransferRig rig(2, 8 * mib, Waiting::limits);
  rig.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.range.begin != 4 * mib) return;
    answer = ScriptedService::refusal(503);
    answer.head.retry_after = 20s;
  };
  rig.service.pace = {10ms, 64 << 10};
  rig.begin();
  rig.pass(5ms);
  rig.shared.lock();
  rig.pass(10s);
  REQUIRE_FALSE(rig.ended);
  REQUIRE(rig.progress.fetched < 3 * mib);
  rig.service.files[rig.name].version = 2;
  rig.service.store_script = {};
  rig.pass(11s);
  CHECK(rig.progress.connections == 0);
  rig.shared.unlock();
  rig.pass(60s);
  REQUIRE(rig.ended);
  CHECK(rig.is_whole());
}
