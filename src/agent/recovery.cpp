#include "agent/recovery.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

const core::LocalFile* find(const std::vector<core::LocalFile>& files, const std::string& name) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

bool knows(const std::vector<core::PartialRecord>& partials, const std::string& name) {
  return std::any_of(partials.begin(), partials.end(), [&](const auto& partial) { return partial.name == name; });
}

/// Differences between the public files on disk and the catalogue.
struct Difference {
  std::vector<std::string> let_go;  ///< on disk, but removed in the catalogue
  std::vector<std::string> lost;    ///< in the catalogue, but missing on disk or of another size
};

base::Result<Difference> difference(const catalogue::Files& known, const std::vector<core::LocalFile>& on_disk) {
  Difference found;
  for (const auto& file : on_disk) {
    const auto gone = known.is_let_go(file.name);
    if (!gone) return gone.error();
    if (*gone) found.let_go.push_back(file.name);
  }
  const auto held = known.files();
  if (!held) return held.error();
  for (const auto& file : *held) {
    const auto* copy = find(on_disk, file.name);
    if (copy == nullptr || copy->size != file.size) found.lost.push_back(file.name);
  }
  return found;
}

}  // namespace

awaitable<base::Result<void>> Recovery::run(bool told) {
  auto read_partials = [](catalogue::Partials& known) { return known.partials(); };
  const auto partials = co_await ledger_(std::move(read_partials));
  if (!partials) co_return partials.error();
  auto list = [&scratch = parts_.partials] { return scratch.files(); };
  const auto on_disk = co_await off_loop(parts_.pool.get_executor(), std::move(list));
  if (!on_disk) co_return on_disk.error();

  for (const auto& partial : *partials) {
    auto settled = co_await settle(partial, find(*on_disk, partial.name));
    if (!settled) co_return settled;
  }
  for (const auto& file : *on_disk) {
    if (knows(*partials, file.name)) continue;
    auto dropped = co_await drop_orphan(file.name);
    if (!dropped) co_return dropped;
  }
  auto compared = co_await compare_public_files();
  if (!compared || told) co_return compared;
  auto refreshed = co_await publisher_.refresh();
  co_return refreshed;
}

/// A file that is removed in the catalogue and still on disk: the removal was interrupted. A file that is missing from
/// disk is left to the next cycle, which can download it.
awaitable<base::Result<void>> Recovery::compare_public_files() {
  auto list = [&shelf = parts_.shelf] { return shelf.files(); };
  auto on_disk = co_await off_loop(parts_.pool.get_executor(), std::move(list));
  if (!on_disk) co_return on_disk.error();
  auto ask = [files = std::move(*on_disk)](catalogue::Files& known) { return difference(known, files); };
  const auto found = co_await ledger_(std::move(ask));
  if (!found) co_return found.error();
  lost_ = found->lost.size();
  for (const auto& name : found->lost)
    tell(name, name + " is missing from the mirror or was truncated: the next cycle repairs it");
  for (const auto& name : found->let_go) {
    tell(name, name + ": finishing its interrupted removal");
    auto remove = [&shelf = parts_.shelf, name] { return shelf.remove(name); };
    auto removed = co_await off_loop(parts_.pool.get_executor(), std::move(remove));
    if (!removed) co_return removed;
  }
  co_return base::Result<void>();
}

awaitable<base::Result<void>> Recovery::settle(core::PartialRecord partial, const core::LocalFile* on_disk) {
  if (partial.verified && on_disk != nullptr && on_disk->size == partial.size) {
    auto finished = co_await finish_publication(std::move(partial), false);
    co_return finished;
  }
  if (partial.verified) {
    const auto renamed = co_await is_public_as(partial);
    if (!renamed) co_return renamed.error();
    if (*renamed) {
      auto finished = co_await finish_publication(std::move(partial), true);
      co_return finished;
    }
  }
  if (on_disk == nullptr) {
    auto forgotten = co_await forget(std::move(partial), "its partial file is missing");
    co_return forgotten;
  }
  if (on_disk->size < partial.durable.end()) {
    auto forgotten = co_await forget(std::move(partial), "its partial file was truncated");
    co_return forgotten;
  }
  co_return base::Result<void>();
}

awaitable<base::Result<void>> Recovery::finish_publication(core::PartialRecord partial, bool renamed) {
  tell(partial.name, partial.name + " had passed its checks: finishing its publication");
  if (!renamed) {
    auto published = co_await publisher_.publish(std::move(partial));
    co_return published;
  }
  auto file = record_of(partial);
  auto adopted = co_await publisher_.adopt(std::move(file));
  co_return adopted;
}

/// The partial is gone and a public file exists: by its digest, it is this file or an older version.
awaitable<base::Result<bool>> Recovery::is_public_as(core::PartialRecord partial) {
  const ports::CheckRules rules{.zip = partial.sha256.empty(), .digest = !partial.sha256.empty()};
  auto job = [&shelf = parts_.shelf, partial, rules] {
    return shelf.check(partial.name, partial.size, rules, [](std::int64_t) { return true; });
  };
  const auto checked = co_await off_loop(parts_.pool.get_executor(), std::move(job));
  co_return checked && checked->sha256 == partial.sha256;
}

awaitable<base::Result<void>> Recovery::forget(core::PartialRecord partial, std::string why) {
  tell(partial.name, partial.name + " must be downloaded from the start: " + why);
  auto drop = [&partials = parts_.partials, name = partial.name] { return partials.drop(name); };
  const auto dropped = co_await off_loop(parts_.pool.get_executor(), std::move(drop));
  if (!dropped) co_return dropped.error();
  auto forget = [name = partial.name](catalogue::Partials& partials) { return partials.forget_partial(name); };
  auto forgotten = co_await ledger_(std::move(forget));
  co_return forgotten;
}

awaitable<base::Result<void>> Recovery::drop_orphan(std::string name) {
  tell(name, "removing an unfinished file that is not in the catalogue: " + name);
  auto drop = [&partials = parts_.partials, name] { return partials.drop(name); };
  auto dropped = co_await off_loop(parts_.pool.get_executor(), std::move(drop));
  co_return dropped;
}

void Recovery::tell(std::string_view name, std::string message) {
  ports::Event event{.kind = ports::EventKind::recovered, .level = ports::Level::notice};
  event.message = std::move(message);
  event.fields.push_back({"file", std::string(name)});
  parts_.journal.tell(event);
}

}  // namespace vtmirror::agent
