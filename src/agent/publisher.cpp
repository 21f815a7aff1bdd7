#include "agent/publisher.hpp"

#include "agent/texts.hpp"
#include "vtmirror/core/recovery.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// The version that manifests promise. One that is lost or damaged has no bytes to keep.
ports::VerifiedFile promised_of(const core::FileRecord& file) {
  return {file.name, file.condition == core::Condition::whole ? file.size : ports::no_file, file.sha256};
}

/// A publication, and the version that was public under that name before.
struct Published {
  std::int64_t generation = 0;
  std::optional<core::FileRecord> before;
};

base::Result<Published> keep_published(catalogue::Files& catalogue, const core::FileRecord& file) {
  auto before = catalogue.file(file.name);
  if (!before) return before.error();
  const auto generation = catalogue.publish(file);
  if (!generation) return generation.error();
  return Published{*generation, std::move(*before)};
}

/// Whether a manifest that names `before` would be wrong about the bytes of `next`.
bool contradicts(const core::PartialRecord& next, const core::FileRecord& before) {
  return next.size != before.size || next.sha256 != before.sha256;
}

/// Records that the name has no public bytes until the next edition is recorded. Returns false if the manifest need not
/// change for that. A removal of the name that was not finished is dropped, because it would remove the next edition.
base::Result<bool> keep_withdrawn(catalogue::Files& catalogue, const core::PartialRecord& next) {
  if (const auto stays = catalogue.keep_gone({next.name}); !stays) return stays.error();
  const auto found = catalogue.file(next.name);
  if (!found) return found.error();
  const auto& before = *found;
  if (!before || !contradicts(next, *before)) return false;
  if (before->condition != core::Condition::whole) return true;
  const auto kept = catalogue.keep_condition(next.name, core::Condition::lost);
  if (!kept) return kept.error();
  return true;
}

/// Whether upstream published another edition, rather than the same one being downloaded again to replace damage.
bool replaces(const core::FileRecord& file, const core::FileRecord& before) {
  return file.size != before.size || file.date != before.date || file.sha256 != before.sha256;
}

}  // namespace

awaitable<base::Result<void>> Publisher::publish(core::PartialRecord verified) {
  const ports::VerifiedFile file{verified.name, verified.size, verified.sha256};
  auto staged = co_await stage(file);
  if (!staged) co_return staged;
  co_await turn_.acquire();
  const Taken turn(turn_);
  auto held = co_await hold(verified.name, verified.sha256);
  if (!held) co_return held;
  auto withdrawn = co_await withdraw(verified);
  if (!withdrawn) co_return withdrawn;
  auto make_public = [&shelf = ports_.shelf, file] { return shelf.publish(file); };
  auto published = co_await off_loop(ports_.pool.get_executor(), std::move(make_public));
  if (!published) co_return published;
  auto now_public = core::record_of(verified);
  auto recorded = co_await record(std::move(now_public));
  co_return recorded;
}

/// Writes the manifest even if the catalogue has already withdrawn the file: the process may have ended before the
/// manifest was written.
awaitable<base::Result<void>> Publisher::withdraw(core::PartialRecord next) {
  auto keep = [next](catalogue::Files& files) { return keep_withdrawn(files, next); };
  const auto named = co_await calls_(std::move(keep));
  if (!named) co_return named.error();
  if (!*named) co_return base::Result<void>();
  auto written = co_await write_manifest();
  co_return written;
}

awaitable<base::Result<void>> Publisher::stage(ports::VerifiedFile file) {
  auto job = [&shelf = ports_.shelf, &stopping = stopping_, file] { return shelf.stage(file, until(stopping)); };
  auto staged = co_await off_loop(ports_.pool.get_executor(), std::move(job));
  co_return staged;
}

awaitable<base::Result<void>> Publisher::hold(std::string name, std::string next_digest) {
  auto find = [name](const catalogue::Files& files) { return files.file(name); };
  const auto promised = co_await calls_(std::move(find));
  if (!promised) co_return promised.error();
  const auto& file = *promised;
  if (!file || (!next_digest.empty() && file->sha256 == next_digest)) co_return base::Result<void>();
  auto keep = [&shelf = ports_.shelf, kept = promised_of(*file)] { return shelf.hold(kept); };
  auto held = co_await off_loop(ports_.pool.get_executor(), keep);
  if (!held && held.error().code == base::Errc::no_space && next_digest.empty()) {
    // Without it nothing could be removed from a full disk.
    auto again = [keep](catalogue::Files&) { return keep(); };
    held = co_await calls_.with_room(std::move(again));
  }
  if (!held) co_return held.error();
  if (!*held)
    ports_.journal.log({ports::EventKind::superseded,
                        ports::Level::warning,
                        core::short_name(name) +
                            ": the mirror's file system has no hard links, so programs that are reading these bytes"
                            " by an older manifest lose them now",
                        {{"file", name}}});
  co_return base::Result<void>();
}

awaitable<base::Result<void>> Publisher::adopt(core::FileRecord file) {
  co_await turn_.acquire();
  const Taken turn(turn_);
  auto recorded = co_await record(std::move(file));
  co_return recorded;
}

awaitable<base::Result<void>> Publisher::record(core::FileRecord file) {
  file.published_at = ports_.clock.now();
  auto keep = [file](catalogue::Files& files) { return keep_published(files, file); };
  const auto published = co_await calls_(std::move(keep));
  if (!published) co_return published.error();
  if (published->before && replaces(file, *published->before))
    log_superseded(*published->before, published->generation);
  auto written = co_await write_manifest();
  // A failure is harmless: the file is public, and the next start removes what is left.
  auto clear = [&partials = ports_.partials, name = file.name] { return partials.clear(name); };
  const auto cleared = co_await off_loop(ports_.pool.get_executor(), std::move(clear));
  if (!cleared)
    ports_.journal.log(
        {ports::EventKind::published,
         ports::Level::warning,
         core::short_name(file.name) +
             " is public, but what is left of its download could not be removed: " + cleared.error().message(),
         {{"file", file.name}}});
  co_return written;
}

/// Without an ETag it is not known that `before` ever was the service's: it may have been adopted.
void Publisher::log_superseded(const core::FileRecord& before, std::int64_t generation) {
  const auto& name = before.name;
  ports::Event event{.kind = ports::EventKind::superseded, .level = ports::Level::notice};
  event.message = (before.etag.empty() ? "the service has another edition of " : "the service replaced ") +
                  core::short_name(name) + "; the new edition is published in generation " + std::to_string(generation);
  event.fields = {{"file", name}, {"generation", std::to_string(generation)}};
  ports_.journal.log(event);
}

awaitable<base::Result<void>> Publisher::refresh() {
  co_await turn_.acquire();
  const Taken turn(turn_);
  auto written = co_await write_manifest();
  co_return written;
}

awaitable<void> Publisher::stamp(NextCheck next) {
  if (stamped_ && next_check_ == next) co_return;
  co_await turn_.acquire();
  const Taken turn(turn_);
  next_check_ = std::move(next);
  const auto renewed = co_await renew_stamps();
  stamped_ = renewed.has_value();
}

/// Does nothing before the first listing: after a rebuild, the manifest on disk says more than a new one could.
awaitable<base::Result<void>> Publisher::renew_stamps() {
  auto look = [](const catalogue::Files& files) { return files.listed_at(); };
  const auto listed_at = co_await calls_(std::move(look));
  if (!listed_at) co_return listed_at.error();
  if (!*listed_at) co_return base::Result<void>();
  auto written = co_await write_manifest();
  co_return written;
}

awaitable<base::Result<void>> Publisher::write_manifest() {
  auto read = [now = ports_.clock.now(), next = next_check_](catalogue::Files& files) {
    return compose(files, now, next);
  };
  const auto composed = co_await calls_(std::move(read));
  if (!composed) co_return composed.error();
  auto write = [&shelf = ports_.shelf, composed] { return shelf.write_manifest(composed->manifest, composed->held); };
  auto obstacles = co_await off_loop(ports_.pool.get_executor(), std::move(write));
  if (!obstacles && obstacles.error().code == base::Errc::no_space) {
    // Without a manifest nothing could be removed from a full disk. The room that is kept may be on another one.
    auto again = [&shelf = ports_.shelf, composed](catalogue::Files&) {
      return shelf.write_manifest(composed->manifest, composed->held);
    };
    obstacles = co_await calls_.with_room(std::move(again));
  }
  if (!obstacles) co_return obstacles.error();
  note_obstacles(*obstacles);
  if (!obstacles_.empty()) co_return base::Result<void>();
  auto keep = [generation = composed->manifest.edition.generation](catalogue::Files& files) {
    return files.keep_written(generation);
  };
  auto kept = co_await calls_(std::move(keep));
  co_return kept;
}

void Publisher::note_obstacles(std::vector<core::Cause> found) {
  for (const auto& obstacle : found) {
    if (std::ranges::find(obstacles_, obstacle) != obstacles_.end()) continue;
    ports::Event event{.kind = ports::EventKind::recovered, .level = ports::Level::error};
    event.message = report::sentence({.code = core::ProblemCode::repair_failed, .cause = obstacle});
    event.fields.push_back({"file", obstacle.subject});
    ports_.journal.log(event);
  }
  obstacles_ = std::move(found);
}

}  // namespace vtmirror::agent
