#include "agent/off_loop.hpp"
#include "vtmirror/catalogue/catalogue.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <optional>
#include <utility>

namespace vtmirror::test {
namespace {

using boost::asio::awaitable;

/// A disk that refuses writes until enough parts of the kept room were released.
struct Disk {
  bool make_room() {
    ++asked;
    if (kept == 0) return false;
    --kept;
    --lacking;
    return true;
  }
  base::Result<void> write() {
    ++writes;
    if (lacking <= 0) return {};
    return base::Error{code, "the disk is full"};
  }
  int lacking = 0;
  int kept = 0;
  base::Errc code = base::Errc::no_space;
  int asked = 0;
  int writes = 0;
};

awaitable<void> write(agent::CatalogueCalls& calls, Disk& disk, std::optional<base::Result<void>>& ended) {
  auto call = [&disk](catalogue::Notices&) { return disk.write(); };
  auto written = co_await calls.with_room(std::move(call));
  ended.emplace(std::move(written));
}

base::Result<void> written(Disk& disk, bool may_make_room = true) {
  auto catalogue = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value();
  boost::asio::thread_pool pool{1};
  std::function<bool()> make_room;
  if (may_make_room) make_room = [&disk] { return disk.make_room(); };
  agent::CatalogueStrand strand(pool, catalogue, std::move(make_room));
  agent::CatalogueCalls calls(strand);
  boost::asio::io_context loop;
  std::optional<base::Result<void>> ended;
  boost::asio::co_spawn(loop, write(calls, disk, ended), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  loop.run();
  pool.join();
  return *ended;
}

}  // namespace

TEST_CASE("a write that a full disk refuses is made again with the room that was kept, and no more of it is used") {
  Disk disk{.lacking = 2, .kept = 4};
  CHECK(written(disk));
  CHECK(disk.kept == 2);
  CHECK(disk.writes == 3);
  Disk roomy{.kept = 4};
  CHECK(written(roomy));
  CHECK(roomy.asked == 0);
}

TEST_CASE("a write for which all the room that was kept is not enough ends as on any full disk") {
  Disk disk{.lacking = 3, .kept = 2};
  const auto refused = written(disk);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::Errc::no_space);
  CHECK(disk.writes == 3);
  Disk without{.lacking = 1, .kept = 2};
  CHECK_FALSE(written(without, false));
  CHECK(without.writes == 1);
}

TEST_CASE("no room is made for a write that fails in another way") {
  Disk disk{.lacking = 1, .kept = 2, .code = base::Errc::io};
  CHECK_FALSE(written(disk));
  CHECK(disk.asked == 0);
  CHECK(disk.writes == 1);
}

}  // namespace vtmirror::test
