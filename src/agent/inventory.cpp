#include "agent/inventory.hpp"

#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

base::Result<core::Inventory> read_catalogue(const catalogue::Catalogue& c) {
  core::Inventory inventory;
  auto files = c.files();
  if (!files) return files.error();
  inventory.files = std::move(*files);
  auto calendar = c.calendar();
  if (!calendar) return calendar.error();
  inventory.calendar = std::move(*calendar);
  auto partials = c.partials();
  if (!partials) return partials.error();
  inventory.partials = std::move(*partials);
  auto quarantined = c.quarantined();
  if (!quarantined) return quarantined.error();
  inventory.quarantined = std::move(*quarantined);
  return inventory;
}

base::Result<core::Inventory> with_disk(core::Inventory inventory, ports::Shelf& shelf, ports::Partials& partials) {
  auto public_files = shelf.files(inventory.unread);
  if (!public_files) return public_files.error();
  inventory.on_disk = std::move(*public_files);
  auto partial_files = partials.files();
  if (!partial_files) return partial_files.error();
  inventory.partials_on_disk = std::move(*partial_files);
  const auto free = partials.free_space();
  if (!free) return free.error();
  inventory.free_space = *free;
  return core::with_unread(std::move(inventory));
}

}  // namespace

awaitable<base::Result<core::Inventory>> read_inventory(Ports ports, CatalogueCalls& calls) {
  auto recorded = co_await calls(read_catalogue);
  if (!recorded) co_return recorded.error();
  recorded->at = ports.clock.now();
  auto look = [&shelf = ports.shelf, &partials = ports.partials, known = std::move(*recorded)]() mutable {
    return with_disk(std::move(known), shelf, partials);
  };
  auto inventory = co_await off_loop(ports.pool.get_executor(), std::move(look));
  co_return inventory;
}

awaitable<base::Result<core::Findings>> find_leaving(Ports ports, CatalogueCalls& calls) {
  auto inventory = co_await read_inventory(ports, calls);
  if (!inventory) co_return inventory.error();
  core::Findings findings;
  findings.inventory = std::move(*inventory);
  auto ask = [](const catalogue::Files& known) { return known.leaving(); };
  auto leaving = co_await calls(std::move(ask));
  if (!leaving) co_return leaving.error();
  findings.leaving = std::move(*leaving);
  co_return findings;
}

}  // namespace vtmirror::agent
