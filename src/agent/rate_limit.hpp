// One limit of bytes per second for all transfers, from the settings and their timetable.
// Promises the pace of `core::Pace` over all connections together. Delays nothing if there is no limit.
#pragma once

#include "agent/connections.hpp"
#include "vtmirror/core/rate.hpp"
#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/http.hpp"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace vtmirror::agent {

class RateLimit {
 public:
  RateLimit(ports::Clock& clock, core::RateRules rules) : clock_(clock), rules_(std::move(rules)) {}

  /// Applies from now on, also to connections that already wait.
  void set(core::RateRules rules) {
    rules_ = std::move(rules);
    looked_up_.reset();
    pace_ = core::Pace();
  }

  /// Whether there is no limit at any time: then `read` would only cost time.
  bool is_off() const { return rules_.periods.empty() && rules_.bytes_a_second <= 0; }

  /// The head of an answer has come, and with it what the connection took of the body.
  void answered(const ports::Lane& lane) {
    if (!is_off()) pace_.give_back(-ahead(lane));
  }

  /// Reads from `lane` when the limit allows it, and not more than it allows. What has not arrived is not granted, so
  /// that lanes that wait do not save up what they would then read at once. Errors: those of the lane, and cancelled.
  boost::asio::awaitable<base::Result<std::size_t>> read(ports::Lane& lane, std::span<std::byte> room,
                                                         Connections& connections) {
    const auto before = ahead(lane);
    const auto arrived = co_await lane.arrived();
    if (!arrived) co_return arrived.error();
    const auto held = ahead(lane);
    pace_.give_back(before - held);
    const auto wanted = static_cast<std::int64_t>(room.size());
    const auto granted = co_await grant(wanted, connections);
    if (!granted) co_return granted.error();
    const auto read = co_await lane.read(room.first(static_cast<std::size_t>(*granted)));
    const auto got = static_cast<std::int64_t>(read ? *read : 0);
    pace_.give_back(*granted - got - (ahead(lane) - held));
    co_return read;
  }

 private:
  /// A connection takes whole records. What it took counts then, and not when it is read.
  static std::int64_t ahead(const ports::Lane& lane) { return static_cast<std::int64_t>(lane.ahead()); }

  /// Waits until some of `wanted` may be read, and returns how much; all of it without a limit.
  boost::asio::awaitable<base::Result<std::int64_t>> grant(std::int64_t wanted, Connections& connections) {
    for (;;) {
      const auto limit = limit_now();
      if (limit <= 0) co_return wanted;
      const auto grant = pace_.ask(limit, wanted, clock_.steady());
      if (grant.bytes > 0) co_return grant.bytes;
      connections.hinder();
      const auto waited = co_await clock_.wait(std::min(grant.pause, longest_pause));
      if (!waited) co_return waited.error();
    }
  }

  /// A changed limit applies to waiting connections after this time at the latest.
  static constexpr base::Milliseconds longest_pause{1000};

  /// The timetable is looked up once a second.
  std::int64_t limit_now() {
    if (rules_.periods.empty()) return rules_.bytes_a_second;
    const auto second = std::chrono::floor<std::chrono::seconds>(clock_.now());
    if (looked_up_ != second) {
      looked_up_ = second;
      limit_ = core::rate_at(rules_, second);
    }
    return limit_;
  }

  ports::Clock& clock_;
  core::RateRules rules_;
  core::Pace pace_;
  std::optional<std::chrono::sys_seconds> looked_up_{};
  std::int64_t limit_ = 0;
};

}  // namespace vtmirror::agent
