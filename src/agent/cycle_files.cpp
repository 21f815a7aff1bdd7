// The cycle's files: fetched side by side, and let go.
#include "agent/cycle.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/retention.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

/// One worker begins with the bulk file and the others with the deltas, so that neither waits for the other; a single
/// worker takes the deltas first. Whoever is done helps with what is left.
awaitable<void> Cycle::fetch_all() {
  for (const auto* queue : {&deltas_, &bulks_}) {
    for (const auto& action : *queue) {
      ports::DownloadProgress download;
      download.name = action.name;
      download.size = action.size;
      download.received = action.durable;
      progress_.downloads.push_back(std::move(download));
    }
  }
  progress_.files = static_cast<int>(progress_.downloads.size());
  if (progress_.downloads.empty()) co_return;
  std::int64_t bytes = 0;
  for (const auto& download : progress_.downloads) {
    progress_.bytes += download.size;
    bytes += download.size - download.received;
  }
  tell(ports::EventKind::planned, ports::Level::info,
       std::to_string(progress_.files) + (progress_.files == 1 ? " file" : " files") + " to fetch, " +
           base::human_size(bytes),
       {{"files", std::to_string(progress_.files)}, {"bytes", std::to_string(bytes)}});

  TaskGroup workers(parts_.loop);
  const auto wanted = std::min(workshop_.shared.settings.parallel_files, progress_.files);
  const bool bulk_beside = wanted > 1 && !bulks_.empty();
  if (bulk_beside) workers.spawn(work(core::Kind::bulk));
  for (int n = bulk_beside ? 1 : 0; n < wanted; ++n) workers.spawn(work(core::Kind::delta));
  co_await workers.join();
}

awaitable<void> Cycle::work(core::Kind first) {
  auto& own = first == core::Kind::bulk ? bulks_ : deltas_;
  auto& other = first == core::Kind::bulk ? deltas_ : bulks_;
  while (!parts_.stop.requested()) {
    auto& queue = own.empty() ? other : own;
    if (queue.empty()) break;
    auto action = std::move(queue.front());
    queue.pop_front();
    co_await fetch_one(std::move(action));
  }
}

awaitable<void> Cycle::fetch_one(core::Action action) {
  auto partial = co_await partial_for(action);
  if (!partial) {
    note_failure(action.name, partial.error());
    co_return;
  }
  auto& progress = progress_of(action.name);
  const auto name = action.name;
  Fetch fetch(workshop_, std::move(action), std::move(*partial), progress);
  const auto done = co_await fetch.run();
  if (done) {
    ++published_;
    ++progress_.done;
  } else {
    note_failure(name, done.error());
  }
}

/// The record to go on from, or a new one: a resume is the plan's decision, not this one's.
awaitable<base::Result<catalogue::Partial>> Cycle::partial_for(core::Action action) {
  catalogue::Partial fresh;
  fresh.name = action.name;
  fresh.kind = action.file_kind;
  fresh.date = action.date;
  fresh.size = action.size;
  if (action.kind != core::ActionKind::resume) co_return fresh;
  auto read = [](catalogue::Catalogue& c) { return c.partials(); };
  const auto partials = co_await workshop_.shared.ledger(std::move(read));
  if (!partials) co_return partials.error();
  for (const auto& partial : *partials)
    if (partial.name == action.name) co_return partial;
  co_return fresh;
}

ports::DownloadProgress& Cycle::progress_of(const std::string& name) {
  return *std::find_if(progress_.downloads.begin(), progress_.downloads.end(),
                       [&](const auto& download) { return download.name == name; });
}

awaitable<void> Cycle::let_go(const core::Plan& plan) {
  if (parts_.stop.requested()) co_return;
  for (const auto& action : plan.actions)
    if (action.kind == core::ActionKind::drop_partial) co_await drop_partial(action.name);
  co_await prune();
}

awaitable<void> Cycle::drop_partial(std::string name) {
  auto drop = [&partials = parts_.partials, name] { return partials.drop(name); };
  auto dropped = co_await off_loop(parts_.pool.get_executor(), std::move(drop));
  if (dropped) {
    auto forget = [name](catalogue::Catalogue& c) { return c.forget_partial(name); };
    dropped = co_await workshop_.shared.ledger(std::move(forget));
  }
  if (!dropped)
    note_failure("", dropped.error());
  else
    tell(ports::EventKind::pruned, ports::Level::notice,
         "what was fetched of " + name +
             " is removed: " + std::string(core::sentence(core::Reason::not_listed_any_more)),
         {{"file", name}});
}

/// Goes by what is held now, after the fetching: the plan could not know what would come.
awaitable<void> Cycle::prune() {
  auto read = [](catalogue::Catalogue& c) { return c.files(); };
  const auto files = co_await workshop_.shared.ledger(std::move(read));
  if (!files) {
    note_failure("", files.error());
    co_return;
  }
  const auto held = held_of(*files);
  const auto names = core::prune(held, listed_, workshop_.shared.settings.policy.keep_cycles);
  for (const auto& name : names) {
    const auto removed = co_await workshop_.publisher.remove(name);
    if (removed)
      tell(ports::EventKind::pruned, ports::Level::info,
           "removed " + name + ": " + std::string(core::sentence(core::Reason::beyond_keep_cycles)), {{"file", name}});
    else
      note_failure("", removed.error());
  }
}

}  // namespace vtmirror::agent
