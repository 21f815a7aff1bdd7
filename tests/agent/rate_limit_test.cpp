// The rate limit over lanes whose bytes stop and come again.
#include "agent/rate_limit.hpp"

#include "agent/blocks.hpp"
#include "agent/wake.hpp"
#include "support/simulated_clock.hpp"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <vector>

using namespace vtmirror;
using namespace std::chrono_literals;
using boost::asio::awaitable;

namespace {

constexpr std::int64_t limit = 10'000'000;
constexpr auto quarter = 250ms;

/// Whether the store sends, and what was read since.
struct Line {
  explicit Line(const boost::asio::any_io_executor& loop) : changed(loop) {}
  bool sends = true;
  agent::Wake changed;
};

/// Has as many bytes as anybody wants while the store sends, and then those that had arrived.
class Lane : public ports::Lane {
 public:
  explicit Lane(Line& line) : line_(line) {}
  awaitable<base::Result<ports::RangeAnswer>> get(std::string, core::Range, std::string) override {
    co_return ports::RangeAnswer{};
  }
  awaitable<base::Result<void>> arrived() override {
    while (!line_.sends && arrived_ == 0) co_await line_.changed.wait();
    if (line_.sends) arrived_ = most_;
    co_return base::Result<void>();
  }
  awaitable<base::Result<std::size_t>> read(std::span<std::byte> into) override {
    while (!line_.sends && arrived_ == 0) co_await line_.changed.wait();
    if (line_.sends) arrived_ = most_;
    const auto size = line_.sends ? into.size() : std::min(into.size(), arrived_);
    if (!line_.sends) arrived_ -= size;
    co_return size;
  }
  void close() override {}

 private:
  static constexpr std::size_t most_ = 256 << 10;
  Line& line_;
  std::size_t arrived_ = 0;
};

struct Rig {
  explicit Rig(int lanes) {
    clock.stop = &stop;
    for (int number = 0; number < lanes; ++number) readers.spawn(read(std::make_unique<Lane>(line)));
  }
  awaitable<void> read(std::unique_ptr<Lane> lane) {
    std::vector<std::byte> room(512 << 10);
    rate.answered(*lane);
    while (!stop.requested()) {
      const auto got = co_await rate.read(*lane, room, connections);
      if (!got) break;
      came.emplace_back(clock.steady(), static_cast<std::int64_t>(*got));
    }
  }
  void let_pass(base::Milliseconds time) {
    for (const auto end = clock.world() + time; clock.world() < end;) {
      loop.restart();
      loop.poll();
      clock.go_to(std::min(end, clock.next_deadline().value_or(end)));
    }
    loop.restart();
    loop.poll();
  }
  void send(bool sends) {
    line.sends = sends;
    line.changed.notify();
  }
  /// The most that came within a quarter of a second, as a share of the limit.
  double most_of_a_quarter() const {
    std::int64_t most = 0;
    std::int64_t sum = 0;
    auto first = came.begin();
    for (const auto& [at, bytes] : came) {
      sum += bytes;
      for (; at - first->first >= quarter; ++first) sum -= first->second;
      most = std::max(most, sum);
    }
    return static_cast<double>(most) / (static_cast<double>(limit) * std::chrono::duration<double>(quarter).count());
  }
  std::int64_t all() const {
    return std::accumulate(came.begin(), came.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& each) { return sum + each.second; });
  }
  ~Rig() {
    stop.request();
    send(true);
    loop.restart();
    loop.run();
  }

  boost::asio::io_context loop;
  ports::Stop stop;
  test::SimulatedClock clock{std::chrono::sys_days{std::chrono::year{2026} / 11 / 18}};
  agent::Blocks blocks{loop.get_executor()};
  agent::Connections connections{clock, blocks, 1, 16};
  agent::RateLimit rate{clock, {.bytes_a_second = limit}};
  Line line{loop.get_executor()};
  agent::TaskGroup readers{loop.get_executor()};
  std::deque<std::pair<base::Steady, std::int64_t>> came;
};

}  // namespace

TEST_CASE("after a time without bytes, sixteen lanes take no more at once than the limit allows") {
  for (const int lanes : {1, 16}) {
    CAPTURE(lanes);
    Rig rig(lanes);
    rig.let_pass(2s);
    rig.send(false);
    rig.let_pass(3s);
    const auto before = rig.all();
    rig.send(true);
    rig.let_pass(2s);
    CHECK(rig.most_of_a_quarter() < 1.2);
    // And the limit is used.
    CHECK(rig.all() - before > limit * 2 * 97 / 100);
    CHECK(rig.all() - before < limit * 2 * 103 / 100);
  }
}
