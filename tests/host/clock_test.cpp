#include "vtmirror/host/host.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <exception>
#include <optional>

namespace vtmirror::host {
namespace {

using base::Milliseconds;

/// A clock with its loop and its stop, and how the wait that was begun has ended.
struct Waiter {
  ports::Stop stop;  // outlives the loop, which destroys the waits that never ended
  boost::asio::io_context loop;
  std::unique_ptr<ports::Clock> clock = make_clock(loop, stop);
  std::optional<base::Result<void>> ended;

  void begin(Milliseconds pause) {
    boost::asio::co_spawn(loop, clock->wait(pause), [this](std::exception_ptr thrown, base::Result<void> result) {
      REQUIRE(!thrown);
      ended = result;
    });
  }
};

constexpr Milliseconds never = std::chrono::hours{24};

TEST_CASE("a wait ends after its pause") {
  Waiter waiter;
  const auto begun = waiter.clock->steady();
  waiter.begin(Milliseconds{1});
  waiter.loop.run();
  REQUIRE(waiter.ended);
  CHECK(waiter.ended->has_value());
  CHECK(waiter.clock->steady() - begun >= Milliseconds{0});
}

TEST_CASE("a wait does not end before its pause") {
  Waiter waiter;
  waiter.begin(never);
  waiter.loop.poll();
  CHECK_FALSE(waiter.ended);
}

TEST_CASE("two waits end in the order of their pauses") {
  Waiter longer;
  std::optional<bool> longer_was_first;
  boost::asio::co_spawn(longer.loop, longer.clock->wait(Milliseconds{5}), [&](std::exception_ptr, base::Result<void>) {
    if (!longer_was_first) longer_was_first = true;
  });
  boost::asio::co_spawn(longer.loop, longer.clock->wait(Milliseconds{1}), [&](std::exception_ptr, base::Result<void>) {
    if (!longer_was_first) longer_was_first = false;
  });
  longer.loop.run();
  CHECK(longer_was_first == std::optional(false));
}

TEST_CASE("a stop ends a wait that would last a day") {
  Waiter waiter;
  waiter.begin(never);
  waiter.loop.poll();
  REQUIRE_FALSE(waiter.ended);
  waiter.stop.request();
  waiter.loop.restart();
  waiter.loop.run();
  REQUIRE(waiter.ended);
  CHECK(waiter.ended->error().code == base::Errc::cancelled);
}

TEST_CASE("a stop ends every wait, and those begun after it end at once") {
  Waiter waiter;
  int cancelled = 0;
  const auto count = [&cancelled](std::exception_ptr, const base::Result<void>& result) {
    if (!result && result.error().code == base::Errc::cancelled) ++cancelled;
  };
  for (int i = 0; i < 3; ++i) boost::asio::co_spawn(waiter.loop, waiter.clock->wait(never), count);
  waiter.loop.poll();
  waiter.stop.request();
  boost::asio::co_spawn(waiter.loop, waiter.clock->wait(never), count);
  waiter.loop.restart();
  waiter.loop.run();
  CHECK(cancelled == 4);
}

TEST_CASE("a wait whose pause has passed is cancelled all the same when the stop came first") {
  Waiter waiter;
  waiter.begin(Milliseconds{0});
  // Posted now, so that it runs after the wait has begun and before its end is handled.
  boost::asio::post(waiter.loop, [&waiter] { waiter.stop.request(); });
  waiter.loop.run();
  REQUIRE(waiter.ended);
  REQUIRE_FALSE(waiter.ended->has_value());
  CHECK(waiter.ended->error().code == base::Errc::cancelled);
}

TEST_CASE("a wait that has ended is not woken by a later stop") {
  Waiter waiter;
  waiter.begin(Milliseconds{0});
  waiter.loop.run();
  waiter.stop.request();
  REQUIRE(waiter.ended);
  CHECK(waiter.ended->has_value());
}

TEST_CASE("the wall clock returns a time of this century, and the steady clock never goes back") {
  Waiter waiter;
  CHECK(waiter.clock->now() > base::Time{std::chrono::sys_days{std::chrono::year{2020} / 1 / 1}});
  CHECK(waiter.clock->now() < base::Time{std::chrono::sys_days{std::chrono::year{2200} / 1 / 1}});
  auto last = waiter.clock->steady();
  for (int i = 0; i < 1000; ++i) {
    const auto next = waiter.clock->steady();
    REQUIRE(next >= last);
    last = next;
  }
}

}  // namespace
}  // namespace vtmirror::host
