// Whole files over connections with rates of their own: when the last byte comes, and how many requests that takes.
#include "core/transfer_rig.hpp"

#include <algorithm>
#include <functional>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;

namespace {

constexpr double rate = 40.0 * static_cast<double>(mib);  ///< bytes per second, of an ordinary connection
constexpr base::Milliseconds tick{10};

/// Each request waits a round trip for its first byte.
class Lines {
 public:
  Lines(int connections, std::int64_t size, base::Milliseconds trip, std::function<double(int)> rate_of,
        Number number = Number::fixed)
      : rig_(connections, size, {}, "", number, true), trip_(trip), rate_of_(std::move(rate_of)) {
    rig_.waits_pass = false;
    for (const int opened : rig_.opened) on(opened, done());
  }

  /// Seconds until the last byte. `target`: the number of connections after a number of half seconds.
  double run(const std::function<int(int)>& target = {}) {
    const auto begin = rig_.now;
    for (int ticks = 1; !going_.empty(); ++ticks) {
      rig_.now = rig_.now + tick;
      if (target && ticks % 50 == 0) aim(target(ticks / 50));
      for (auto each = going_.begin(); each != going_.end();) advance((each++)->first);
      for (const int woken_up : rig_.transfer.to_wake())
        if (going_.contains(woken_up)) on(woken_up, woken());
    }
    CHECK(rig_.end() == "finished");
    return static_cast<double>((last_byte_ - begin).count()) / 1000;
  }
  int requests() const { return requests_; }

 private:
  struct Going {
    core::TransferStep step{};
    base::Steady until{};
    std::int64_t left = 0;
    double owed = 0;  ///< a part of a byte
  };

  void aim(int connections) {
    const auto change = rig_.transfer.aim(connections, rig_.now);
    for (const int opened : change.open) on(opened, done());
    for (const int closed : change.close) on(closed, failed(base::Errc::cancelled));
  }

  void on(int connection, const core::TransferEvent& event) {
    auto step = rig_.on(connection, event);
    auto& going = going_[connection];
    going = {.step = step, .until = rig_.now + trip_, .left = step.range.size()};
    if (step.kind == core::TransferStep::Kind::wait) going.until = rig_.now + step.pause;
    if (step.kind == core::TransferStep::Kind::ask) ++requests_;
    if (step.kind == core::TransferStep::Kind::leave) going_.erase(connection);
    if (step.close_other) on(*step.close_other, failed(base::Errc::unreachable));
    for (const int opened : step.open) on(opened, done());
    if (step.kind == core::TransferStep::Kind::find_link) on(connection, link(1, rig_.size));
    if (step.kind == core::TransferStep::Kind::record) on(connection, done());
  }

  void advance(int connection) {
    auto& going = going_.at(connection);
    if (going.step.kind == core::TransferStep::Kind::receive) return receive(connection, going);
    if (rig_.now < going.until) return;
    const auto range = going.step.range;
    const bool asked = going.step.kind == core::TransferStep::Kind::ask;
    on(connection, asked ? part(range.begin, range.end, rig_.size) : done());
  }

  void receive(int connection, Going& going) {
    going.owed += rate_of_(connection) * static_cast<double>(tick.count()) / 1000;
    const auto bytes = std::min(static_cast<std::int64_t>(going.owed), going.left);
    going.owed -= static_cast<double>(bytes);
    going.left -= bytes;
    if (bytes > 0 && rig_.bytes(connection, bytes) > 0) last_byte_ = rig_.now;
    if (going.left == 0 || !rig_.transfer.expects(connection)) on(connection, done());
  }

  Rig rig_;
  base::Milliseconds trip_;
  std::function<double(int)> rate_of_;
  std::map<int, Going> going_;
  base::Steady last_byte_{};
  int requests_ = 0;
};

double ideal(std::int64_t size, double all) { return static_cast<double>(size) / all; }

}  // namespace

TEST_CASE("equal connections end at nearly the same time, with few requests") {
  for (const int connections : {2, 3, 4, 7, 16, 32})
    for (const std::int64_t size : {100 * mib, 400 * mib, 4096 * mib}) {
      CAPTURE(connections);
      CAPTURE(size / mib);
      Lines lines(connections, size, 0ms, [](int) { return rate; });
      // The last pieces take a tenth of a second.
      CHECK(lines.run() <= 1.05 * ideal(size, connections * rate) + 0.15);
      const auto least = size / (std::int64_t{128} << 20);
      CHECK(lines.requests() <= least + std::int64_t{9} * connections);
    }
}

TEST_CASE("a connection at a tenth of the others' rate costs at most a tenth of the time") {
  for (const int connections : {3, 4, 8, 16})
    for (const std::int64_t size : {1024 * mib, 4096 * mib, 40'960 * mib}) {
      CAPTURE(connections);
      CAPTURE(size / mib);
      Lines lines(connections, size, 20ms, [](int connection) { return connection == 1 ? rate / 10 : rate; });
      CHECK(lines.run() <= 1.1 * ideal(size, (connections - 1 + 0.1) * rate));
    }
}

TEST_CASE("the pieces of connections that began alone do not hold up the end") {
  // The number doubles each second, from one to thirty-two.
  const auto target = [](int halves) { return 1 << std::min(halves / 2, 5); };
  for (const double each : {0.05 * rate, 0.5 * rate, rate}) {
    constexpr std::int64_t size = 1024 * mib;
    double least = 0;
    for (double came = 0; came < static_cast<double>(size); least += 0.5)
      came += target(static_cast<int>(2 * least)) * each / 2;
    CAPTURE(each / static_cast<double>(mib));
    CAPTURE(least);
    Lines lines(
        1, size, 20ms, [each](int) { return each; }, Number::found);
    CHECK(lines.run(target) <= 1.15 * least + 0.5);
  }
}

TEST_CASE("a line of forty milliseconds costs its round trips, and little more") {
  for (const int connections : {4, 16}) {
    CAPTURE(connections);
    Lines lines(connections, 400 * mib, 40ms, [](int) { return rate; });
    CHECK(lines.run() <= 1.3 * ideal(400 * mib, connections * rate) + 0.15);
  }
}
