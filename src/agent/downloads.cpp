#include "agent/downloads.hpp"

#include "vtmirror/core/retry.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// The record to continue, or a new one. Only the plan decides whether to resume.
core::PartialRecord partial_for(const core::Action& action, const std::vector<core::PartialRecord>& partials) {
  const auto known = std::ranges::find(partials, action.name, &core::PartialRecord::name);
  if (action.kind == core::ActionKind::resume && known != partials.end()) return *known;
  core::PartialRecord fresh;
  fresh.name = action.name;
  fresh.kind = action.file_kind;
  fresh.date = action.date;
  fresh.size = action.size;
  return fresh;
}

}  // namespace

Downloads::Downloads(CycleResources resources, ports::CycleProgress& progress, Failed failed)
    : resources_(resources), progress_(progress), failed_(std::move(failed)), tasks_(resources.ports.loop) {}

int Downloads::add(const std::vector<core::Action>& actions, const std::vector<core::PartialRecord>& partials) {
  int files = 0;
  for (const auto& action : actions) {
    if (!core::downloads(action)) continue;
    (action.file_kind == core::Kind::bulk ? bulks_ : deltas_).push_back({action, partial_for(action, partials)});
    begin_row(action).received = action.durable;
    ++files;
  }
  progress_.files = static_cast<int>(progress_.downloads.size());
  return files;
}

/// A file that is downloaded again keeps its row.
ports::DownloadProgress& Downloads::begin_row(const core::Action& action) {
  const auto ended = ends_.find(action.name);
  if (ended == ends_.end())
    return progress_.downloads.emplace_back(ports::DownloadProgress{.name = action.name, .size = action.size});
  if (ended->second.published) --progress_.done;
  ends_.erase(ended);
  auto& row = progress_of(action.name);
  row = {.name = action.name, .size = action.size, .fetched = row.fetched};
  return row;
}

std::vector<std::string> Downloads::over() const {
  std::vector<std::string> names;
  const auto now = resources_.ports.clock.steady();
  for (const auto& [name, end] : ends_)
    if (end.published || now - end.at >= std::max(core::before_another_download(end.failures), end.asked))
      names.push_back(name);
  return names;
}

bool Downloads::any_failed() const {
  return std::ranges::any_of(ends_, [](const auto& each) { return !each.second.published; });
}

/// One worker begins with the bulk file and the others with the deltas, so that neither waits for the other; a single
/// worker begins with the deltas. A worker without own files takes any that are left.
awaitable<void> Downloads::download_all() {
  const auto wanted = std::min(resources_.settings.parallel_files, waiting());
  const bool bulk_beside = wanted > 1 && !bulks_.empty();
  if (bulk_beside) start_worker(core::Kind::bulk, true);
  for (int n = bulk_beside ? 1 : 0; n < wanted; ++n) start_worker(core::Kind::delta, true);
  co_await tasks_.join();
}

void Downloads::start_more() {
  for (int more = waiting(); more > 0 && workers_ < resources_.settings.parallel_files; --more)
    start_worker(core::Kind::delta, true);
  if (!deltas_.empty() && workers_ == at_bulk_) start_worker(core::Kind::delta, false);
}

void Downloads::start_worker(core::Kind first, bool both) {
  ++workers_;
  tasks_.spawn(work(first, both));
}

awaitable<void> Downloads::work(core::Kind first, bool both) {
  auto& own = first == core::Kind::bulk ? bulks_ : deltas_;
  auto& other = first == core::Kind::bulk ? deltas_ : bulks_;
  while (!resources_.ports.stop.requested()) {
    auto& queue = own.empty() && both ? other : own;
    if (queue.empty()) break;
    auto next = std::move(queue.front());
    queue.pop_front();
    const int bulk = next.action.file_kind == core::Kind::bulk ? 1 : 0;
    at_bulk_ += bulk;
    co_await download(std::move(next));
    at_bulk_ -= bulk;
  }
  --workers_;
}

awaitable<void> Downloads::download(Queued next) {
  const auto name = next.action.name;
  Fetch fetch(resources_, std::move(next.action), std::move(next.partial), progress_of(name));
  const auto done = co_await fetch.run();
  End end{.published = done.has_value(), .at = resources_.ports.clock.steady()};
  if (!done) end.failures = ++failures_[name];
  if (!done) end.asked = done.error().retry_after.value_or(std::chrono::seconds(0));
  ends_[name] = end;
  if (!done) {
    failed_(name, done.error());
    co_return;
  }
  ++published_;
  ++progress_.done;
}

ports::DownloadProgress& Downloads::progress_of(const std::string& name) {
  return *std::ranges::find(progress_.downloads, name, &ports::DownloadProgress::name);
}

}  // namespace vtmirror::agent
