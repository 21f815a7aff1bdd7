#include "agent/blocks.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace vtmirror::test {
namespace {

using agent::Blocks;

constexpr std::size_t mib = std::size_t{1} << 20;

/// Takes as many blocks as there are, and keeps them.
struct Taker {
  Taker() = default;
  ~Taker() {
    over = true;
    held.clear();
    blocks.wake();
    run();
  }
  Taker(const Taker&) = delete;
  Taker& operator=(const Taker&) = delete;

  void allow(int connections, int files) {
    blocks.allow(connections, files);
    run();
  }
  void want(int wanted) {
    for (int n = 0; n < wanted; ++n) boost::asio::co_spawn(loop, take_one(), boost::asio::detached);
    run();
  }
  boost::asio::awaitable<void> take_one() {
    auto useless = [this] { return over; };
    auto block = co_await blocks.acquire(std::move(useless));
    if (block) held.push_back(std::move(block));
  }
  void run() {
    loop.restart();
    loop.poll();
  }
  std::size_t bytes() const {
    return std::accumulate(held.begin(), held.end(), std::size_t{0},
                           [](std::size_t sum, const auto& block) { return sum + block.size; });
  }

  boost::asio::io_context loop;
  Blocks blocks{loop.get_executor()};
  std::vector<Blocks::Block> held;
  bool over = false;
};

}  // namespace

TEST_CASE("one connection is written a mebibyte at a time, and never waits for the only write that runs") {
  Taker taker;
  taker.allow(1, 1);
  taker.want(20);
  REQUIRE(taker.held.size() == 3);
  for (const auto& block : taker.held) {
    CHECK(block.size == mib);
    CHECK(reinterpret_cast<std::uintptr_t>(block.memory.get()) % agent::block_alignment == 0);
  }
  CHECK(taker.blocks.in_a_job() == 1);
}

TEST_CASE("each connection has a block, and each file what it holds back, whatever their numbers; all within a bound") {
  for (int connections = 1; connections <= 32; ++connections)
    for (const int files : {1, 2, 3}) {
      if (files > connections) continue;
      CAPTURE(connections);
      CAPTURE(files);
      Taker taker;
      taker.allow(connections, files);
      taker.want(100);
      const int in_a_job = taker.blocks.in_a_job();
      CHECK(std::cmp_greater_equal(taker.held.size(), connections + files * (in_a_job - 1) + 2 * in_a_job));
      CHECK(static_cast<std::size_t>(in_a_job) * taker.held.front().size == mib);
      CHECK(taker.bytes() <= (connections <= 16 ? 9 : 13) * mib);
    }
}

TEST_CASE("when the number of connections changes, blocks of the old size go, and all together stay within the bound") {
  Taker taker;
  taker.allow(1, 1);
  taker.want(40);
  CHECK(taker.bytes() == 3 * mib);
  taker.allow(16, 1);
  CHECK(taker.bytes() <= 7 * mib);
  CHECK(taker.held.size() > 3);
  for (std::size_t at = 3; at < taker.held.size(); ++at) CHECK(taker.held[at].size == mib / 4);
  taker.held.erase(taker.held.begin(), taker.held.begin() + 3);
  taker.run();
  CHECK(taker.held.size() == 27);
  for (const auto& block : taker.held) CHECK(block.size == mib / 4);
  taker.allow(1, 1);
  taker.held.clear();
  taker.run();
  CHECK(taker.held.size() == 3);
  CHECK(taker.bytes() == 3 * mib);
}

}  // namespace vtmirror::test
