#include "agent/adopted_file.hpp"

#include "agent/file_check.hpp"
#include "vtmirror/core/space.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>
#include <optional>

namespace vtmirror::agent {

using boost::asio::awaitable;
using Phase = ports::DownloadProgress::Phase;

namespace {

core::PartialRecord record_of(const core::Adoptable& file, const std::string& sha256) {
  core::PartialRecord record{.name = file.name, .kind = file.kind, .date = file.date, .size = file.size};
  record.durable.add({0, file.size});
  record.verified = true;
  record.sha256 = sha256;
  return record;
}

/// Room for a copy is judged as for a download.
base::Result<void> check_room(ports::Partials& partials, std::int64_t reserve, std::int64_t size) {
  const auto free = partials.free_space();
  if (!free) return free.error();
  const auto fit = core::Space(*free, reserve).claim(size, 0);
  if (fit.fits) return {};
  return core::does_not_fit(fit, reserve);
}

}  // namespace

ports::Watch AdoptedFile::watch() const {
  return [&done = from_.done, &stopping = from_.stopping](std::int64_t bytes) {
    done = bytes;
    return !stopping.load();
  };
}

/// The size alone shows that a file is whole only if the service listed it.
bool AdoptedFile::checks_zip() const {
  return from_.settings.check.zip || (!file_.has_listed_size && file_.sha256.empty());
}

awaitable<base::Result<core::AdoptedBy>> AdoptedFile::adopt() {
  const auto path = co_await choose();
  if (!path) co_return path.error();
  const auto cleared = co_await drop_partial();
  if (!cleared) co_return cleared.error();
  const auto brought = co_await bring(*path);
  auto checked = base::Result<std::string>(std::string());
  if (brought) checked = co_await check();
  if (!brought || !checked) {
    const auto dropped = co_await drop_partial();
    static_cast<void>(dropped.has_value());  // the next start removes an unfinished file without a record
    co_return brought ? checked.error() : brought.error();
  }
  const auto verified = record_of(file_, *checked);
  auto keep = [verified](catalogue::Downloads& downloads) { return downloads.keep_partial(verified); };
  const auto kept = co_await from_.calls(std::move(keep));
  if (!kept) co_return kept.error();
  const auto published = co_await from_.publisher.publish(verified);
  if (!published) co_return published.error();
  co_return *brought;
}

/// If a download of the file has begun, the file is read before that is given up for it.
awaitable<base::Result<std::string>> AdoptedFile::choose() {
  auto ask = [](const catalogue::Downloads& downloads) { return downloads.partials(); };
  const auto partials = co_await from_.calls(std::move(ask));
  if (!partials) co_return partials.error();
  const bool begun = std::ranges::find(*partials, file_.name, &core::PartialRecord::name) != partials->end();
  if (file_.paths.size() == 1 && !begun) co_return file_.paths.front();
  auto compared = co_await compare();
  co_return compared;
}

awaitable<base::Result<std::string>> AdoptedFile::compare() {
  std::optional<std::string> good;
  std::string digest;
  base::Error last;
  for (const auto& path : file_.paths) {
    const auto checked = co_await check_in_place(path);
    if (!checked && checked.error().code != base::Errc::integrity && checked.error().code != base::Errc::io)
      co_return checked.error();
    if (!checked) {
      last = checked.error();
      damaged_.push_back({path, file_.name, report::reason(last, path)});
      continue;
    }
    if (good && digest != checked->sha256)
      co_return base::Error{base::Errc::integrity, "files of that name have different bytes: " + *good + ", " + path};
    if (good) same_.push_back(path);
    if (!good) digest = checked->sha256;
    if (!good) good = path;
  }
  if (good) co_return *good;
  damaged_.clear();  // the failure says it of all of them
  co_return last;
}

awaitable<base::Result<ports::Checked>> AdoptedFile::check_in_place(std::string path) {
  enter(Phase::checking);
  const ports::CheckRules rules{.zip = checks_zip(), .digest = true};
  auto job = [&folder = from_.folder, path, size = file_.size, rules, watch = watch()] {
    return folder.check(path, size, rules, watch);
  };
  auto checked = co_await off_loop(from_.ports.checks.get_executor(), std::move(job));
  co_return checked;
}

awaitable<base::Result<core::AdoptedBy>> AdoptedFile::bring(std::string path) {
  auto share = [&folder = from_.folder, path, name = file_.name, links = !from_.copies] {
    return folder.share(path, name, links);
  };
  const auto shared = co_await off_loop(from_.ports.pool.get_executor(), std::move(share));
  if (!shared) co_return shared.error();
  if (*shared) co_return **shared;
  const auto copied = co_await copy(path);
  if (!copied) co_return copied.error();
  co_return core::AdoptedBy::copy;
}

awaitable<base::Result<void>> AdoptedFile::copy(std::string path) {
  enter(Phase::fetching);
  auto job = [&partials = from_.ports.partials, &folder = from_.folder, reserve = from_.settings.policy.reserve, path,
              name = file_.name, size = file_.size, watch = watch()]() -> base::Result<void> {
    if (auto room = check_room(partials, reserve, size); !room) return room;
    const auto partial = partials.open({name, size, 0});
    if (!partial) return partial.error();
    return folder.copy(path, size, **partial, watch);
  };
  auto copied = co_await off_loop(from_.ports.checks.get_executor(), std::move(job));
  co_return copied;
}

/// Checks what will be published, even if the folder's file changes meanwhile. Returns the digest.
awaitable<base::Result<std::string>> AdoptedFile::check() {
  enter(Phase::checking);
  const CheckResources of_checks{from_.ports, from_.calls, from_.checks, from_.stopping, true};
  const auto deadly = co_await begin_check(of_checks, file_.name, file_.size);
  if (deadly) co_return core::error_of(*deadly);
  const ports::CheckRules rules{.zip = checks_zip(), .digest = from_.settings.check.digest || !file_.sha256.empty()};
  auto job = [&partials = from_.ports.partials, name = file_.name, size = file_.size, rules,
              watch = watch()]() -> base::Result<ports::Checked> {
    const auto begun = partials.begin_check(name, size, rules);
    if (!begun) return begun.error();
    return (*begun)->finish(watch);
  };
  const auto checked = co_await off_loop(from_.ports.checks.get_executor(), std::move(job));
  co_await end_check(of_checks, file_.name);
  if (!checked) co_return checked.error();
  if (!file_.sha256.empty() && file_.sha256 != checked->sha256)
    co_return base::Error{base::Errc::integrity, "it is not the file that was published under that name"};
  co_return checked->sha256;
}

awaitable<base::Result<void>> AdoptedFile::drop_partial() {
  auto forget = [name = file_.name](catalogue::Downloads& downloads) { return downloads.forget_partial(name); };
  const auto forgotten = co_await from_.calls(std::move(forget));
  if (!forgotten) co_return forgotten;
  auto drop = [&partials = from_.ports.partials, name = file_.name] { return partials.drop(name); };
  auto dropped = co_await off_loop(from_.ports.pool.get_executor(), std::move(drop));
  co_return dropped;
}

}  // namespace vtmirror::agent
