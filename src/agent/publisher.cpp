#include "agent/publisher.hpp"

#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/recovery.hpp"

#include <algorithm>
#include <optional>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// The contents of a manifest, read in one transaction.
base::Result<std::pair<ports::Manifest, std::vector<core::Held>>> compose(const catalogue::Files& catalogue) {
  const auto files = catalogue.files();
  if (!files) return files.error();
  const auto listing = catalogue.last_listing();
  if (!listing) return listing.error();
  const auto generation = catalogue.generation();
  if (!generation) return generation.error();
  const auto newest = catalogue.changes_since(*generation - 1);
  if (!newest) return newest.error();

  auto held = held_of(*files);
  ports::Manifest manifest;
  manifest.generation = *generation;
  // The time of the change, not of the write, so that writing the same state again gives the same bytes.
  if (!newest->empty()) manifest.published_at = newest->back().at;
  if (*listing) manifest.chain = core::chain_of((*listing)->files, held, (*listing)->absent);
  return std::pair(std::move(manifest), std::move(held));
}

/// A publication, and the version that was public under that name before.
struct Published {
  std::int64_t generation = 0;
  std::optional<core::FileRecord> before;
};

base::Result<Published> keep_published(catalogue::Files& catalogue, const core::FileRecord& file) {
  const auto files = catalogue.files();
  if (!files) return files.error();
  const auto before = std::find_if(files->begin(), files->end(),
                                   [&file](const core::FileRecord& each) { return each.name == file.name; });
  const auto generation = catalogue.publish(file);
  if (!generation) return generation.error();
  return Published{*generation, before == files->end() ? std::nullopt : std::optional(*before)};
}

/// Whether upstream published another version, rather than the same one being downloaded again to replace damage.
bool replaces(const core::FileRecord& file, const core::FileRecord& before) {
  return file.size != before.size || file.date != before.date || file.sha256 != before.sha256;
}

}  // namespace

std::vector<core::Held> held_of(const std::vector<core::FileRecord>& files) {
  std::vector<core::Held> held;
  held.reserve(files.size());
  for (const auto& file : files) held.push_back({file.kind, file.name, file.date, file.size, file.sha256});
  return held;
}

awaitable<base::Result<void>> Publisher::publish(core::PartialRecord verified) {
  const ports::VerifiedFile file{verified.name, verified.size, verified.sha256};
  auto staged = co_await stage(file);
  if (!staged) co_return staged;
  co_await turn_.take();
  const Taken turn(turn_);
  auto make_public = [&shelf = ports_.shelf, file] { return shelf.publish(file); };
  auto published = co_await off_loop(ports_.pool.get_executor(), std::move(make_public));
  if (!published) co_return published;
  auto now_public = core::record_of(verified);
  auto recorded = co_await record(std::move(now_public));
  co_return recorded;
}

awaitable<base::Result<void>> Publisher::stage(ports::VerifiedFile file) {
  auto job = [&shelf = ports_.shelf, &stopping = stopping_, file] {
    return shelf.stage(file, [&stopping](std::int64_t) { return !stopping.load(); });
  };
  auto staged = co_await off_loop(ports_.pool.get_executor(), std::move(job));
  co_return staged;
}

awaitable<base::Result<void>> Publisher::adopt(core::FileRecord file) {
  co_await turn_.take();
  const Taken turn(turn_);
  auto recorded = co_await record(std::move(file));
  co_return recorded;
}

awaitable<base::Result<void>> Publisher::record(core::FileRecord file) {
  file.published_at = ports_.clock.now();
  auto keep = [file](catalogue::Files& files) { return keep_published(files, file); };
  const auto published = co_await calls_(std::move(keep));
  if (!published) co_return published.error();
  if (published->before && replaces(file, *published->before)) tell_superseded(file.name, published->generation);
  auto written = co_await write_manifest();
  // A failure to remove the partial is harmless: the file is public, and the next start removes what is left.
  auto clear = [&partials = ports_.partials, name = file.name] { return partials.clear(name); };
  const auto cleared = co_await off_loop(ports_.pool.get_executor(), std::move(clear));
  static_cast<void>(cleared.has_value());
  co_return written;
}

void Publisher::tell_superseded(const std::string& name, std::int64_t generation) {
  ports::Event event{.kind = ports::EventKind::superseded, .level = ports::Level::notice};
  event.message = "upstream replaced " + name + ": the new version is public from generation " +
                  std::to_string(generation) + " on, and the previous one is superseded";
  event.fields.push_back({"file", name});
  event.fields.push_back({"generation", std::to_string(generation)});
  ports_.journal.tell(event);
}

awaitable<base::Result<void>> Publisher::remove(std::string name) {
  co_await turn_.take();
  const Taken turn(turn_);
  // The record is removed first, so that a manifest never names a file that does not exist. If the process ends before
  // the file is removed, the next start removes it, because the catalogue records it as removed.
  auto forget = [name, at = ports_.clock.now()](catalogue::Files& files) { return files.remove(name, at); };
  const auto generation = co_await calls_(std::move(forget));
  if (!generation) co_return generation.error();
  const auto written = co_await write_manifest();
  if (!written) co_return written.error();
  auto take_down = [&shelf = ports_.shelf, name] { return shelf.remove(name); };
  auto removed = co_await off_loop(ports_.pool.get_executor(), std::move(take_down));
  co_return removed;
}

awaitable<base::Result<void>> Publisher::refresh() {
  co_await turn_.take();
  const Taken turn(turn_);
  auto written = co_await write_manifest();
  co_return written;
}

awaitable<base::Result<void>> Publisher::write_manifest() {
  auto read = [](catalogue::Files& files) { return compose(files); };
  const auto composed = co_await calls_(std::move(read));
  if (!composed) co_return composed.error();
  auto write = [&shelf = ports_.shelf, composed] { return shelf.write_manifest(composed->first, composed->second); };
  auto written = co_await off_loop(ports_.pool.get_executor(), std::move(write));
  co_return written;
}

}  // namespace vtmirror::agent
