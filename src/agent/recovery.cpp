#include "agent/recovery.hpp"

#include "agent/inventory.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

base::Result<std::vector<std::string>> let_go(const catalogue::Files& known,
                                              const std::vector<core::LocalFile>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) {
    const auto gone = known.is_let_go(file.name);
    if (!gone) return gone.error();
    if (*gone) names.push_back(file.name);
  }
  return names;
}

/// The public file is ours when the digest says so, and an older version, or none, otherwise.
std::vector<std::string> renamed(const std::vector<core::PartialRecord>& partials, ports::Shelf& shelf) {
  std::vector<std::string> names;
  for (const auto& partial : partials) {
    const ports::CheckRules rules{.zip = partial.sha256.empty(), .digest = !partial.sha256.empty()};
    const auto checked = shelf.check(partial.name, partial.size, rules, [](std::int64_t) { return true; });
    if (checked && checked->sha256 == partial.sha256) names.push_back(partial.name);
  }
  return names;
}

/// Without one for what has no record.
core::PartialRecord partial_of(const std::vector<core::PartialRecord>& partials, const std::string& name) {
  const auto found = std::ranges::find(partials, name, &core::PartialRecord::name);
  return found == partials.end() ? core::PartialRecord() : *found;
}

}  // namespace

awaitable<base::Result<core::Findings>> find_remains(Parts parts, Ledger& ledger) {
  auto inventory = co_await take_inventory(parts, ledger);
  if (!inventory) co_return inventory.error();
  core::Findings findings;
  findings.inventory = std::move(*inventory);
  auto ask = [files = findings.inventory.on_disk](const catalogue::Files& known) { return let_go(known, files); };
  auto gone = co_await ledger(std::move(ask));
  if (!gone) co_return gone.error();
  findings.let_go = std::move(*gone);
  auto compare = [&shelf = parts.shelf, partials = core::to_compare(findings.inventory)] {
    return renamed(partials, shelf);
  };
  findings.renamed = co_await off_loop(parts.pool.get_executor(), std::move(compare));
  co_return findings;
}

awaitable<base::Result<void>> Recovery::run(bool told) {
  const auto found = co_await find_remains(parts_, ledger_);
  if (!found) co_return found.error();
  const auto repairs = core::repairs(*found);
  for (const auto& repair : repairs) {
    auto partial = partial_of(found->inventory.partials, repair.name);
    auto done = co_await carry_out(repair, std::move(partial));
    if (!done) co_return done;
  }
  const auto lost = core::lost_files(core::repaired(found->inventory, repairs));
  lost_ = lost.size();
  for (const auto& name : lost) tell(name, name + " is missing from the mirror or was truncated: the next cycle repairs it");
  if (told) co_return base::Result<void>();
  auto refreshed = co_await publisher_.refresh();
  co_return refreshed;
}

awaitable<base::Result<void>> Recovery::carry_out(core::Repair repair, core::PartialRecord partial) {
  base::Result<void> done;
  switch (repair.kind) {
    case core::RepairKind::publish:
      done = co_await finish_publication(std::move(partial), false);
      break;
    case core::RepairKind::record:
      done = co_await finish_publication(std::move(partial), true);
      break;
    case core::RepairKind::forget_missing:
      done = co_await forget(repair.name, "its partial file is missing");
      break;
    case core::RepairKind::forget_cut:
      done = co_await forget(repair.name, "its partial file was truncated");
      break;
    case core::RepairKind::drop_orphan:
      done = co_await drop_orphan(repair.name);
      break;
    case core::RepairKind::finish_removal:
      done = co_await finish_removal(repair.name);
      break;
  }
  co_return done;
}

awaitable<base::Result<void>> Recovery::finish_publication(core::PartialRecord partial, bool renamed) {
  tell(partial.name, partial.name + " had passed its checks: finishing its publication");
  if (!renamed) {
    auto published = co_await publisher_.publish(std::move(partial));
    co_return published;
  }
  auto file = core::record_of(partial);
  auto adopted = co_await publisher_.adopt(std::move(file));
  co_return adopted;
}

awaitable<base::Result<void>> Recovery::forget(std::string name, std::string why) {
  tell(name, name + " must be downloaded from the start: " + why);
  auto drop = [&partials = parts_.partials, name] { return partials.drop(name); };
  const auto dropped = co_await off_loop(parts_.pool.get_executor(), std::move(drop));
  if (!dropped) co_return dropped.error();
  auto forget = [name](catalogue::Partials& partials) { return partials.forget_partial(name); };
  auto forgotten = co_await ledger_(std::move(forget));
  co_return forgotten;
}

awaitable<base::Result<void>> Recovery::drop_orphan(std::string name) {
  tell(name, "removing an unfinished file that is not in the catalogue: " + name);
  auto drop = [&partials = parts_.partials, name] { return partials.drop(name); };
  auto dropped = co_await off_loop(parts_.pool.get_executor(), std::move(drop));
  co_return dropped;
}

awaitable<base::Result<void>> Recovery::finish_removal(std::string name) {
  tell(name, name + ": finishing its interrupted removal");
  auto remove = [&shelf = parts_.shelf, name] { return shelf.remove(name); };
  auto removed = co_await off_loop(parts_.pool.get_executor(), std::move(remove));
  co_return removed;
}

void Recovery::tell(std::string_view name, std::string message) {
  ports::Event event{.kind = ports::EventKind::recovered, .level = ports::Level::notice};
  event.message = std::move(message);
  event.fields.push_back({"file", std::string(name)});
  parts_.journal.tell(event);
}

}  // namespace vtmirror::agent
