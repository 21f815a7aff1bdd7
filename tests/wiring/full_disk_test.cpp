#include "wiring/full_disk.hpp"

#include "support/jumping_clock.hpp"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

using namespace vtmirror;
using boost::asio::awaitable;

namespace {

/// A step that ends in each of these in turn.
struct Start {
  awaitable<base::Result<void>> step() { co_return ends.at(tries++); }
  awaitable<void> run() {
    const std::function<awaitable<base::Result<void>>()> each = [this] { return step(); };
    const std::function<void(const base::Error&)> refused = [this](const auto& error) {
      logged.push_back(error.detail);
    };
    const std::function<awaitable<base::Result<void>>()> pause = [this] { return clock.wait(wiring::full_disk_pause); };
    ended = co_await wiring::repeat_while_full(each, refused, pause);
  }
  base::Result<void> end() {
    boost::asio::io_context loop;
    boost::asio::co_spawn(loop, run(), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    loop.run();
    return *ended;
  }

  std::vector<base::Result<void>> ends;
  std::size_t tries = 0;
  test::JumpingClock clock;
  std::vector<std::string> logged;
  std::optional<base::Result<void>> ended;
};

const base::Error full{base::Errc::no_space, "the disk is full"};

}  // namespace

TEST_CASE(
    "a start that a full disk refuses is repeated with a pause until there is room, and each refusal is reported") {
  Start start;
  start.ends = {full, full, base::Result<void>()};
  CHECK(start.end());
  CHECK(start.tries == 3);
  CHECK(start.clock.waits == std::vector<base::Milliseconds>(2, wiring::full_disk_pause));
  CHECK(start.logged == std::vector<std::string>(2, "the disk is full"));
}

TEST_CASE("a start that fails for another reason is not repeated") {
  Start start;
  start.ends = {full, base::Error{base::Errc::io, "the disk is broken"}};
  const auto ended = start.end();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == base::Errc::io);
  CHECK(start.tries == 2);
}
