#include "agent/clean_up.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/core/retention.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace vtmirror::agent {

using boost::asio::awaitable;

base::Result<std::vector<core::QuarantinedFile>> expired_quarantine(const catalogue::Catalogue& c,
                                                                    base::Milliseconds kept_for, base::Time now) {
  auto files = c.quarantined();
  if (!files) return files.error();
  const auto partials = c.partials();
  if (!partials) return partials.error();
  std::erase_if(*files, [&](const core::QuarantinedFile& file) {
    return !core::quarantine_is_over(file, kept_for, now) ||
           std::ranges::find(*partials, file.name, &core::PartialRecord::name) != partials->end();
  });
  return files;
}

/// The file is removed before its record, because nothing would look for a file without a record again.
awaitable<base::Result<void>> drop_quarantined(Ports ports, CatalogueCalls& calls, std::string name) {
  auto clear = [&partials = ports.partials, name] { return partials.clear(name); };
  auto cleared = co_await off_loop(ports.pool.get_executor(), std::move(clear));
  if (!cleared) co_return cleared;
  auto forget = [name](catalogue::Files& files) { return files.forget_quarantined(name); };
  auto forgotten = co_await calls(std::move(forget));
  co_return forgotten;
}

namespace {

awaitable<base::Result<void>> drop(Ports ports, CatalogueCalls& calls, core::QuarantinedFile file) {
  auto forgotten = co_await drop_quarantined(ports, calls, file.name);
  if (!forgotten) co_return forgotten;
  ports.journal.tell({ports::EventKind::pruned,
                      ports::Level::info,
                      "removed " + core::short_name(file.name) + " (" + base::human_size(file.size) +
                          ") from the quarantine: the service no longer lists it",
                      {{"file", file.name}}});
  co_return forgotten;
}

}  // namespace

awaitable<base::Result<void>> clean_up(Ports ports, CatalogueCalls& calls, std::chrono::seconds quarantine) {
  const auto now = ports.clock.now();
  auto release = [&shelf = ports.shelf, now] { return shelf.release(now); };
  auto done = co_await off_loop(ports.pool.get_executor(), std::move(release));
  auto find = [quarantine, now](const catalogue::Catalogue& c) { return expired_quarantine(c, quarantine, now); };
  const auto over = co_await calls(std::move(find));
  if (!over) co_return over.error();
  for (const auto& file : *over) {
    const auto dropped = co_await drop(ports, calls, file);
    if (!dropped) done = dropped;
  }
  co_return done;
}

}  // namespace vtmirror::agent
