#include "agent/cycle.hpp"

#include "agent/recovery.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

std::vector<core::Listed> without_links(const core::Listing& listing) {
  std::vector<core::Listed> listed;
  for (const auto& entry : listing.entries) listed.push_back({entry.kind, entry.name, entry.date, entry.size});
  return listed;
}

bool removes(const core::Action& action) {
  return action.kind == core::ActionKind::prune || action.kind == core::ActionKind::drop_partial;
}

}  // namespace

Cycle::Cycle(CycleResources resources, Service& service, ports::CycleProgress& progress)
    : resources_(resources), ports_(resources.ports), service_(service), progress_(progress) {}

awaitable<base::Result<core::CycleReport>> Cycle::run(core::Try which) {
  const auto begun = ports_.clock.steady();
  auto look = [&shelf = ports_.shelf] { return shelf.in_place(); };
  const auto in_place = co_await off_loop(ports_.pool.get_executor(), std::move(look));
  if (!in_place) co_return in_place.error();
  const auto listed = co_await take_listing();
  if (!listed) co_return listed.error();
  auto planned = co_await make_plan(which);
  if (!planned) co_return planned.error();
  co_await adopt_all();
  if (!failed_checks_.empty()) planned = co_await make_plan(which);
  if (!planned) co_return planned.error();
  tell_left_out();
  co_await fetch_all();
  co_await remove_all();
  const auto refreshed = co_await resources_.publisher.refresh();
  if (!refreshed) note_failure("", refreshed.error());
  co_return report(begun);
}

awaitable<base::Result<void>> Cycle::take_listing() {
  auto fresh = co_await service_.listing();
  if (!fresh) co_return fresh.error();
  resources_.links.begin(*fresh);
  listing_ = std::move(fresh->listing);
  auto keep = [listed = without_links(listing_), at = ports_.clock.now()](catalogue::Catalogue& c) {
    auto kept = c.keep_listing(listed, at);
    return kept ? c.keep_key_use(at) : kept;
  };
  const auto kept = co_await resources_.calls(std::move(keep));
  if (!kept) co_return kept.error();
  tell(ports::EventKind::listed, ports::Level::info,
       "the service lists " + base::counted(std::ssize(listing_.entries), "file"));
  co_return base::Result<void>();
}

awaitable<base::Result<void>> Cycle::make_plan(core::Try which) {
  auto inventory = co_await take_inventory(ports_, resources_.calls);
  if (!inventory) co_return inventory.error();
  inventory->failed_checks = failed_checks_;
  partials_ = inventory->partials;
  plan_ = core::reconcile(listing_, *inventory, resources_.settings.policy, which);
  co_return base::Result<void>();
}

awaitable<void> Cycle::adopt_all() {
  for (const auto& action : plan_->actions) {
    if (action.kind != core::ActionKind::adopt) continue;
    const auto adopted = co_await adopt(action);
    if (adopted) {
      ++published_;
      tell(ports::EventKind::adopted, ports::Level::notice, "adopted " + action.name + ", which was already on disk",
           {{"file", action.name}});
    } else if (adopted.error().code == base::Errc::integrity) {
      failed_checks_.push_back(action.name);
    } else {
      note_failure(action.name, adopted.error());
    }
  }
}

awaitable<base::Result<void>> Cycle::adopt(core::Action action) {
  auto check = [&shelf = ports_.shelf, &stopping = resources_.stopping, action, rules = resources_.settings.check] {
    return shelf.check(action.name, action.size, rules, [&stopping](std::int64_t) { return !stopping.load(); });
  };
  const auto checked = co_await off_loop(ports_.pool.get_executor(), std::move(check));
  if (!checked) co_return checked.error();
  core::FileRecord file;
  file.kind = action.file_kind;
  file.name = action.name;
  file.date = action.date;
  file.size = action.size;
  file.sha256 = checked->sha256;
  auto adopted = co_await resources_.publisher.adopt(std::move(file));
  co_return adopted;
}

void Cycle::tell_left_out() {
  for (const auto& action : plan_->actions)
    if (action.kind == core::ActionKind::refuse || action.kind == core::ActionKind::skip) tell_left_out(action);
}

void Cycle::tell_left_out(const core::Action& action) {
  const auto& name = action.name;
  auto failure = failure_of(action);
  if (action.reason == core::Reason::refused_by_checks) {
    ++refused_;
    tell(ports::EventKind::entry_refused, ports::Level::error, report::sentence(failure),
         {{"entry", name}, {"reason", action.cause.detail}});
  } else if (action.reason == core::Reason::does_not_fit) {
    tell(ports::EventKind::space_low, ports::Level::error, name + " does not fit: " + report::reason(action.cause),
         {{"file", name}, {"bytes", std::to_string(action.needs)}});
  } else if (action.reason != core::Reason::quarantined) {
    tell(ports::EventKind::fetch_failed, ports::Level::error, report::sentence(failure), {{"file", name}});
  }
  failures_.push_back(std::move(failure));
}

/// The failure that the history records for an action that leaves its file out.
core::Failure Cycle::failure_of(const core::Action& action) {
  core::Failure failure{core::FailureKind::lost, action.cause};
  failure.cause.subject = action.name;
  if (action.reason == core::Reason::refused_by_checks) {
    failure.kind = core::FailureKind::refused_entry;
  } else if (action.reason == core::Reason::does_not_fit) {
    failure.kind = core::FailureKind::no_space;
  } else if (action.reason == core::Reason::quarantined) {
    failure.kind = core::FailureKind::quarantined;
  } else {
    failure.cause.detail = report::detail(action);
  }
  return failure;
}

/// One worker begins with the bulk file and the others with the deltas, so that neither waits for the other; a single
/// worker begins with the deltas. A worker without own files takes any that are left.
awaitable<void> Cycle::fetch_all() {
  queue_downloads();
  if (progress_.downloads.empty()) co_return;
  TaskGroup workers(ports_.loop);
  const auto wanted = std::min(resources_.settings.parallel_files, progress_.files);
  const bool bulk_beside = wanted > 1 && !bulks_.empty();
  if (bulk_beside) workers.spawn(work(core::Kind::bulk));
  for (int n = bulk_beside ? 1 : 0; n < wanted; ++n) workers.spawn(work(core::Kind::delta));
  co_await workers.join();
}

void Cycle::queue_downloads() {
  for (const auto& action : plan_->actions) {
    if (!core::downloads(action)) continue;
    (action.file_kind == core::Kind::bulk ? bulks_ : deltas_).push_back(action);
    ports::DownloadProgress download;
    download.name = action.name;
    download.size = action.size;
    download.received = action.durable;
    progress_.downloads.push_back(std::move(download));
  }
  progress_.files = static_cast<int>(progress_.downloads.size());
  if (progress_.downloads.empty()) return;
  const auto bytes = plan_->bytes_to_fetch();
  tell(ports::EventKind::planned, ports::Level::info,
       base::counted(progress_.files, "file") + " to download, " + base::human_size(bytes),
       {{"files", std::to_string(progress_.files)}, {"bytes", std::to_string(bytes)}});
}

awaitable<void> Cycle::work(core::Kind first) {
  auto& own = first == core::Kind::bulk ? bulks_ : deltas_;
  auto& other = first == core::Kind::bulk ? deltas_ : bulks_;
  while (!ports_.stop.requested()) {
    auto& queue = own.empty() ? other : own;
    if (queue.empty()) break;
    const auto action = std::move(queue.front());
    queue.pop_front();
    Fetch fetch(resources_, action, partial_for(action), progress_of(action.name));
    const auto done = co_await fetch.run();
    if (done) {
      ++published_;
      ++progress_.done;
    } else {
      note_failure(action.name, done.error());
    }
  }
}

/// The record to continue, or a new one. Only the plan decides whether to resume.
core::PartialRecord Cycle::partial_for(const core::Action& action) const {
  const auto known = std::ranges::find(partials_, action.name, &core::PartialRecord::name);
  if (action.kind == core::ActionKind::resume && known != partials_.end()) return *known;
  core::PartialRecord fresh;
  fresh.name = action.name;
  fresh.kind = action.file_kind;
  fresh.date = action.date;
  fresh.size = action.size;
  return fresh;
}

ports::DownloadProgress& Cycle::progress_of(const std::string& name) {
  return *std::find_if(progress_.downloads.begin(), progress_.downloads.end(),
                       [&](const auto& download) { return download.name == name; });
}

/// A file that a removal depends on may have failed, or have been lost during a long transfer, so the removals are
/// checked against what is held now.
awaitable<void> Cycle::remove_all() {
  if (ports_.stop.requested() || std::ranges::none_of(plan_->actions, removes)) co_return;
  const auto now = co_await take_inventory(ports_, resources_.calls);
  if (!now) {
    note_failure("", now.error());
    co_return;
  }
  const auto due = core::removals_due(*plan_, listing_, *now, resources_.settings.policy);
  for (const auto& action : due) {
    const auto removed = co_await remove(action);
    if (!removed) {
      note_failure("", removed.error());
      continue;
    }
    const auto* what = action.kind == core::ActionKind::drop_partial ? "the unfinished download of " : "";
    tell(ports::EventKind::pruned, action.kind == core::ActionKind::prune ? ports::Level::info : ports::Level::notice,
         "removed " + (what + action.name) + ": " + std::string(report::sentence(action.reason)),
         {{"file", action.name}});
  }
}

awaitable<base::Result<void>> Cycle::remove(core::Action action) {
  if (action.kind == core::ActionKind::prune) {
    auto removed = co_await resources_.publisher.remove(action.name);
    co_return removed;
  }
  auto drop = [&partials = ports_.partials, name = action.name] { return partials.drop(name); };
  auto dropped = co_await off_loop(ports_.pool.get_executor(), std::move(drop));
  if (!dropped) co_return dropped;
  auto forget = [name = action.name](catalogue::Catalogue& c) { return c.forget_partial(name); };
  auto forgotten = co_await resources_.calls(std::move(forget));
  co_return forgotten;
}

void Cycle::tell(ports::EventKind kind, ports::Level level, std::string message, std::vector<ports::Field> fields) {
  ports_.journal.tell({kind, level, std::move(message), std::move(fields)});
}

void Cycle::note_failure(const std::string& name, const base::Error& error) {
  failures_.push_back(core::failure_of(error, name));
}

core::CycleReport Cycle::report(base::Steady begun) const {
  core::CycleReport report;
  report.files = published_;
  report.refused = refused_;
  report.took = ports_.clock.steady() - begun;
  for (const auto& download : progress_.downloads) report.bytes += download.fetched;
  report.failures = failures_;
  report.outcome = failures_.empty() ? core::Outcome::complete : core::Outcome::partial;
  return report;
}

}  // namespace vtmirror::agent
