#include "agent/cycle.hpp"

#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

std::vector<core::Listed> without_links(const core::Listing& listing) {
  std::vector<core::Listed> listed;
  for (const auto& entry : listing.entries) listed.push_back({entry.kind, entry.name, entry.date, entry.size});
  return listed;
}

bool fetches(const core::Action& action) {
  return action.kind == core::ActionKind::fetch || action.kind == core::ActionKind::resume ||
         action.kind == core::ActionKind::fetch_again;
}

core::FailureKind kind_of(base::Errc code) {
  if (code == base::Errc::no_space) return core::FailureKind::no_space;
  return code == base::Errc::integrity ? core::FailureKind::damaged : core::FailureKind::other;
}

/// Everything that the plan is made of and the catalogue knows.
struct Known {
  std::vector<core::FileRecord> files;
  std::vector<core::PartialRecord> partials;
};

base::Result<Known> read_known(const catalogue::Catalogue& c) {
  auto files = c.files();
  if (!files) return files.error();
  auto partials = c.partials();
  if (!partials) return partials.error();
  return Known{std::move(*files), std::move(*partials)};
}

}  // namespace

Cycle::Cycle(Workshop workshop, Service& service, ports::CycleProgress& progress)
    : workshop_(workshop), parts_(workshop.shared.parts), service_(service), progress_(progress) {}

awaitable<base::Result<core::Plan>> Cycle::plan() {
  const auto fresh = co_await service_.listing();
  if (!fresh) co_return fresh.error();
  auto plan = co_await make_plan(fresh->listing);
  co_return plan;
}

awaitable<base::Result<core::CycleReport>> Cycle::run(Try which) {
  const auto begun = parts_.clock.steady();
  auto look = [&shelf = parts_.shelf] { return shelf.in_place(); };
  const auto in_place = co_await off_loop(parts_.pool.get_executor(), std::move(look));
  if (!in_place) co_return in_place.error();
  const auto fresh = co_await take_listing();
  if (!fresh) co_return fresh.error();
  const auto plan = co_await make_plan(fresh->listing);
  if (!plan) co_return plan.error();
  sort_out(*plan);
  if (which == Try::again) {
    const auto left = co_await leave_quarantined();
    if (!left) co_return left.error();
  }
  co_await adopt_all(*plan);
  const auto fitted = co_await fit_into_space();
  if (!fitted) co_return fitted.error();
  co_await fetch_all();
  co_await let_go(*plan);
  const auto refreshed = co_await workshop_.publisher.refresh();
  if (!refreshed) note_failure("", refreshed.error());
  co_return report(begun);
}

awaitable<base::Result<FreshListing>> Cycle::take_listing() {
  auto fresh = co_await service_.listing();
  if (!fresh) co_return fresh;
  workshop_.shared.links.begin(*fresh);
  listed_ = without_links(fresh->listing);
  auto keep = [listed = listed_, at = parts_.clock.now()](catalogue::Catalogue& c) -> base::Result<void> {
    if (auto kept = c.keep_listing(listed, at); !kept) return kept;
    return c.keep_key_use(at);
  };
  const auto kept = co_await workshop_.shared.ledger(std::move(keep));
  if (!kept) co_return kept.error();
  tell(ports::EventKind::listed, ports::Level::info,
       "the service lists " + std::to_string(listed_.size()) + (listed_.size() == 1 ? " file" : " files"));
  for (const auto& entry : fresh->listing.refused) {
    ++refused_;
    const auto why = "entry " + entry.name + " of the listing is refused: " + entry.why;
    tell(ports::EventKind::entry_refused, ports::Level::error, why, {{"entry", entry.name}, {"reason", entry.why}});
    note_failure({core::FailureKind::refused_entry, {.subject = entry.name, .detail = entry.why}});
  }
  co_return fresh;
}

awaitable<base::Result<core::Plan>> Cycle::make_plan(const core::Listing& listing) {
  const auto known = co_await workshop_.shared.ledger(read_known);
  if (!known) co_return known.error();
  auto list = [&shelf = parts_.shelf] { return shelf.files(); };
  const auto on_disk = co_await off_loop(parts_.pool.get_executor(), std::move(list));
  if (!on_disk) co_return on_disk.error();
  co_return core::reconcile(listing, known->files, known->partials, *on_disk, workshop_.shared.settings.policy);
}

/// What is to be fetched goes into the two queues; what cannot be had is told.
void Cycle::sort_out(const core::Plan& plan) {
  for (const auto& action : plan.actions) {
    // A refused entry was told with the listing.
    if (action.kind == core::ActionKind::refuse && action.reason != core::Reason::refused_by_checks) {
      const auto why = action.name + ": " + action.detail;
      tell(ports::EventKind::fetch_failed, ports::Level::error, why, {{"file", action.name}});
      note_failure({core::FailureKind::lost, {.subject = action.name, .detail = action.detail}});
    }
    if (!fetches(action)) continue;
    (action.file_kind == core::Kind::bulk ? bulks_ : deltas_).push_back(action);
  }
}

awaitable<base::Result<void>> Cycle::leave_quarantined() {
  auto read = [](catalogue::Catalogue& c) { return c.quarantined(); };
  const auto quarantined = co_await workshop_.shared.ledger(std::move(read));
  if (!quarantined) co_return quarantined.error();
  for (const auto& file : *quarantined) {
    const auto same = [&file](const core::Action& a) { return a.name == file.name && a.size == file.size; };
    if (std::erase_if(bulks_, same) == 0) continue;
    core::Failure failure{core::FailureKind::quarantined, file.cause};
    failure.cause.subject = file.name;
    note_failure(std::move(failure));
  }
  co_return base::Result<void>();
}

awaitable<void> Cycle::adopt_all(const core::Plan& plan) {
  for (const auto& action : plan.actions) {
    if (action.kind != core::ActionKind::adopt) continue;
    const auto adopted = co_await adopt(action);
    if (adopted) {
      ++published_;
      tell(ports::EventKind::adopted, ports::Level::notice, "adopted " + action.name + ", which was on disk already",
           {{"file", action.name}});
    } else if (adopted.error().code == base::Errc::integrity) {
      auto again = action;
      again.kind = core::ActionKind::fetch_again;
      again.reason = core::Reason::damaged_on_disk;
      (action.file_kind == core::Kind::bulk ? bulks_ : deltas_).push_back(again);
    } else {
      note_failure(action.name, adopted.error());
    }
  }
}

awaitable<base::Result<void>> Cycle::adopt(core::Action action) {
  auto check = [&shelf = parts_.shelf, &stopping = workshop_.stopping, action,
                rules = workshop_.shared.settings.check] {
    return shelf.check(action.name, action.size, rules, [&stopping](std::int64_t) { return !stopping.load(); });
  };
  const auto checked = co_await off_loop(parts_.pool.get_executor(), std::move(check));
  if (!checked) co_return checked.error();
  core::FileRecord file;
  file.kind = action.file_kind;
  file.name = action.name;
  file.date = action.date;
  file.size = action.size;
  file.sha256 = checked->sha256;
  auto adopted = co_await workshop_.publisher.adopt(std::move(file));
  co_return adopted;
}

/// Takes what fits, in the order of the plan, and leaves the rest with a word: a full disk is told before, not met in
/// the middle.
awaitable<base::Result<void>> Cycle::fit_into_space() {
  auto look = [&scratch = parts_.partials]() -> base::Result<std::pair<std::int64_t, std::vector<core::LocalFile>>> {
    const auto space = scratch.free_space();
    if (!space) return space.error();
    auto partials = scratch.files();
    if (!partials) return partials.error();
    return std::pair(*space, std::move(*partials));
  };
  const auto looked = co_await off_loop(parts_.pool.get_executor(), std::move(look));
  if (!looked) co_return looked.error();
  auto left = looked->first - workshop_.shared.settings.reserve;
  for (auto* queue : {&deltas_, &bulks_}) {
    std::deque<core::Action> fitting;
    for (auto& action : *queue) {
      auto need = action.size;
      for (const auto& partial : looked->second)
        if (partial.name == action.name) need = std::max<std::int64_t>(0, need - partial.allocated);
      if (need <= left) {
        left -= need;
        fitting.push_back(std::move(action));
        continue;
      }
      core::Failure failure{core::FailureKind::no_space, {.code = base::Errc::no_space, .subject = action.name}};
      failure.cause.fields = {
          {"needed", need}, {"free", std::max<std::int64_t>(0, left)}, {"reserve", workshop_.shared.settings.reserve}};
      tell(ports::EventKind::space_low, ports::Level::error, action.name + " does not fit: " + reason(failure.cause),
           {{"file", action.name}, {"bytes", std::to_string(need)}});
      note_failure(std::move(failure));
    }
    *queue = std::move(fitting);
  }
  co_return base::Result<void>();
}

void Cycle::tell(ports::EventKind kind, ports::Level level, std::string message, std::vector<ports::Field> fields) {
  parts_.journal.tell({kind, level, std::move(message), std::move(fields)});
}

void Cycle::note_failure(const std::string& name, const base::Error& error) {
  note_failure({kind_of(error.code), core::cause_of(error, name)});
}

void Cycle::note_failure(core::Failure failure) { failures_.push_back(std::move(failure)); }

core::CycleReport Cycle::report(base::Steady begun) const {
  core::CycleReport report;
  report.files = published_;
  report.refused = refused_;
  if (!failures_.empty()) report.failure = failures_.front();
  report.took = parts_.clock.steady() - begun;
  for (const auto& download : progress_.downloads) report.bytes += download.fetched;
  report.failures = failures_;
  if (failures_.empty())
    report.outcome = catalogue::Outcome::complete;
  else
    report.outcome = catalogue::Outcome::partial;
  return report;
}

}  // namespace vtmirror::agent
