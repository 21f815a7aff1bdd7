#include "agent/cycle.hpp"
#include "agent/pruning.hpp"

#include "agent/consumer_upkeep.hpp"
#include "agent/inventory.hpp"
#include "agent/probe.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"
#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/core/extension.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// The host that the links lead to.
std::string store_of(const core::Listing& listing) {
  for (const auto& entry : listing.entries)
    if (const auto url = base::parse_url(entry.link.reveal())) return url->host;
  return {};
}

/// The published digest; empty where none was made.
base::Result<std::string> digest_of(const catalogue::Files& catalogue, const std::string& name) {
  const auto file = catalogue.file(name);
  if (!file) return file.error();
  return *file ? (*file)->sha256 : std::string();
}

bool prunes(const core::Action& action) { return action.kind == core::ActionKind::prune; }

}  // namespace

Cycle::Cycle(CycleResources resources, Service& service, ports::CycleProgress& progress, std::function<void()> listed)
    : resources_(resources),
      ports_(resources.ports),
      service_(service),
      progress_(progress),
      listed_(std::move(listed)),
      downloads_(resources, progress,
                 [this](const std::string& name, const base::Error& error) { note_failure(name, error); }),
      extending_(ports_.loop, 1) {}

awaitable<base::Result<core::CycleReport>> Cycle::run(core::Try which) {
  const auto begun = ports_.clock.steady();
  auto look = [&shelf = ports_.shelf] { return shelf.in_place(); };
  const auto in_place = co_await off_loop(ports_.pool.get_executor(), std::move(look));
  if (!in_place) co_return in_place.error();
  const auto listed = co_await fetch_listing();
  if (!listed) co_return listed.error();
  progress_.step = ports::Step::comparing;
  // Before the plan, which counts the free space and downloads again what the store has replaced.
  co_await tidy();
  co_await probe_store(resources_, listing_);
  auto planned = co_await make_plan(which);
  if (!planned) co_return planned.error();
  co_await adopt_all();
  if (!failed_checks_.empty()) planned = co_await make_plan(which);
  if (!planned) co_return planned.error();
  leave_out(core::left_out(plan_->actions, *plan_));
  co_await make_room();
  co_await fetch_all();
  co_await prune_all();
  const auto refreshed = co_await resources_.publisher.refresh();
  if (!refreshed) note_failure("", refreshed.error());
  if (refreshed && some_stay_) co_await remove_rest();
  co_await tidy();
  co_await compare_with_chain();
  co_return report(begun);
}

awaitable<void> Cycle::compare_with_chain() {
  if (!tally_.has_to_ask_chain()) co_return;
  auto read = [](const catalogue::Files& files) { return catalogue::chain_now(files); };
  const auto now = co_await resources_.calls(std::move(read));
  if (now)
    tally_.chain_lacks(core::failures_of(now->chain));
  else
    note_failure("", now.error());
}

/// By age, so only by a clock that is right: one that is set wrong for one cycle must not cost a consumer its place.
awaitable<void> Cycle::tidy() {
  if (!clock_check_.is_right(ports_.clock.now(), ports_.clock.steady())) co_return;
  const auto cleaned = co_await release_superseded(ports_);
  if (!cleaned) note_failure("", cleaned.error());
  const auto tended = co_await tend_consumers(ports_, resources_.calls, resources_.settings.consumers);
  if (!tended) note_failure("", tended.error());
}

awaitable<base::Result<void>> Cycle::fetch_listing() {
  auto fresh = co_await service_.listing(longest_retry_after_to_begin);
  if (!fresh) co_return fresh.error();
  resources_.links.begin(*fresh, [this](const core::Listing& later) { merge(later); });
  listing_ = std::move(fresh->listing);
  clock_check_ = ClockCheck(fresh->server_now, fresh->at, ports_.clock.steady());
  if (auto usable = check_usable(listing_); !usable) {
    auto used = [at = ports_.clock.now()](catalogue::Catalogue& c) { return c.keep_key_use(at); };
    const auto kept = co_await resources_.calls(std::move(used));
    co_return kept ? usable : kept;
  }
  auto kept = co_await keep_listing();
  co_return kept;
}

awaitable<base::Result<void>> Cycle::keep_listing() {
  auto keep = [listed = core::without_links(listing_), at = ports_.clock.now()](catalogue::Catalogue& c) {
    auto kept = c.keep_listing(listed, at);
    return kept ? c.keep_key_use(at) : kept;
  };
  const auto kept = co_await resources_.calls(std::move(keep));
  if (!kept) co_return kept.error();
  auto listed = "the service lists " + base::counted(std::ssize(listing_.entries), "file");
  const bool differ = !clock_check_.agreed();
  if (differ) listed += "; " + clock_check_.words() + ", so nothing is removed by its age: set the clock";
  log(ports::EventKind::listed, differ ? ports::Level::warning : ports::Level::info, std::move(listed));
  if (listed_) listed_();
  co_return base::Result<void>();
}

awaitable<base::Result<void>> Cycle::make_plan(core::Try which) {
  auto inventory = co_await read_inventory(ports_, resources_.calls);
  if (!inventory) co_return inventory.error();
  inventory->failed_checks = failed_checks_;
  partials_ = inventory->partials;
  core::add_causes(unread_, inventory->unread);

  const auto lost = core::losses(*inventory);
  plan_ = core::reconcile(listing_, *inventory, resources_.settings.policy, which);
  auto keep = [lost, unfit = core::unfit(*plan_, resources_.settings.policy.reserve)](catalogue::Catalogue& c) {
    for (const auto& file : lost)
      if (const auto kept = c.keep_condition(file.name, file.condition); !kept) return base::Result<void>(kept.error());
    return c.keep_unfit(unfit);
  };
  auto kept = co_await resources_.calls(std::move(keep));
  if (!kept) co_return kept;
  // The manifest must not name a missing file while 40 GB are downloaded.
  auto refreshed = co_await resources_.publisher.refresh();
  co_return refreshed;
}

/// Files that are on disk already: those that somebody put there, and lost ones that are back.
awaitable<void> Cycle::adopt_all() {
  for (const auto& action : plan_->actions) {
    if (action.kind != core::ActionKind::adopt) continue;
    const auto adopted = co_await adopt(action);
    if (adopted) {
      tally_.adopted();
      log(ports::EventKind::adopted, ports::Level::notice,
          "adopted " + core::short_name(action.name) + ", which was already on disk", {{"file", action.name}});
    } else if (adopted.error().code == base::Errc::integrity) {
      failed_checks_.push_back(action.name);
    } else {
      log(ports::EventKind::fetch_failed, ports::Level::error,
          core::short_name(action.name) +
              " could not be adopted in this cycle: " + report::reason(adopted.error(), action.name),
          {{"file", action.name}, {"reason", std::string(base::name(adopted.error().code))}});
      note_failure(action.name, adopted.error());
    }
  }
}

/// Errors: integrity, without words, if the file must be downloaded instead; io, catalogue, cancelled.
awaitable<base::Result<void>> Cycle::adopt(core::Action action) {
  std::string published;
  if (action.reason == core::Reason::back_on_disk) {
    auto read = [name = action.name](catalogue::Files& files) { return digest_of(files, name); };
    const auto digest = co_await resources_.calls(std::move(read));
    if (!digest) co_return digest.error();
    published = *digest;
  }
  auto rules = resources_.settings.check;
  rules.digest = rules.digest || !published.empty();
  const auto deadly = co_await begin_check(resources_.checks, action.name, action.size);
  if (deadly) co_return base::Error{base::Errc::integrity};
  auto check = [&shelf = ports_.shelf, &stopping = resources_.checks.stopping, action, rules] {
    return shelf.check(action.name, action.size, rules, until(stopping));
  };
  const auto checked = co_await off_loop(ports_.checks.get_executor(), std::move(check));
  co_await end_check(resources_.checks, action.name);
  if (!checked) co_return checked.error();
  if (!published.empty() && checked->sha256 != published) co_return base::Error{base::Errc::integrity};
  core::FileRecord file;
  file.kind = action.file_kind;
  file.name = action.name;
  file.date = action.date;
  file.size = action.size;
  file.sha256 = checked->sha256;
  auto adopted = co_await resources_.publisher.adopt(std::move(file));
  co_return adopted;
}

awaitable<void> Cycle::fetch_all() {
  if (queue(plan_->actions) == 0) co_return;
  progress_.step = ports::Step::downloading;
  co_await recall_connections();
  accepts_listings_ = true;
  co_await downloads_.download_all();
  accepts_listings_ = false;
  co_await keep_connections();
  if (downloads_.waiting() > 0) tally_.stopped_waiting();
}

/// A number that cannot be recalled or kept is found again.
awaitable<void> Cycle::recall_connections() {
  if (!resources_.connections.finds()) co_return;
  auto recall = [host = store_of(listing_)](const catalogue::Catalogue& c) { return c.found_connections(host); };
  const auto before = co_await resources_.watermarks(std::move(recall));
  if (before && *before) resources_.connections.begin(**before);
}

awaitable<void> Cycle::keep_connections() {
  const auto found = resources_.connections.found();
  if (!found) co_return;
  auto keep = [host = store_of(listing_), found = *found, at = ports_.clock.now()](catalogue::Catalogue& c) {
    return c.keep_found_connections(host, found, at);
  };
  const auto kept = co_await resources_.watermarks(std::move(keep));
  static_cast<void>(kept.has_value());
}

int Cycle::queue(const std::vector<core::Action>& actions) {
  const int files = downloads_.add(actions, partials_);
  if (files == 0) return files;
  const auto bytes = core::Plan{actions}.bytes_to_fetch();
  const auto* noun = files < progress_.files ? "more file" : "file";
  log(ports::EventKind::planned, ports::Level::info,
      base::counted(files, noun) + " to download, " + base::human_size(bytes),
      {{"files", std::to_string(files)}, {"bytes", std::to_string(bytes)}});
  return files;
}

/// The newest listing is merged into the running cycle; `extend` runs beside the downloads, which end only after it.
void Cycle::merge(const core::Listing& later) {
  if (!accepts_listings_) return;
  later_ = later;
  downloads_.spawn(extend());
}

awaitable<void> Cycle::extend() {
  co_await extending_.acquire();
  const Taken turn(extending_);
  if (!later_ || ports_.stop.requested()) co_return;
  auto later = *std::exchange(later_, std::nullopt);
  // If the service continues to send such a listing, the next cycle reports it.
  if (!check_usable(later)) co_return;
  const auto done = co_await extend_by(std::move(later));
  if (!done) note_failure("", done.error());
}

awaitable<base::Result<void>> Cycle::extend_by(core::Listing later) {
  listing_ = std::move(later);
  auto kept = co_await keep_listing();
  if (!kept) co_return kept;
  auto inventory = co_await read_inventory(ports_, resources_.calls);
  if (!inventory) co_return inventory.error();
  inventory->failed_checks = failed_checks_;
  auto extension = core::extend(*plan_, listing_, *inventory, resources_.settings.policy, downloads_.over());
  plan_ = std::move(extension.plan);
  tally_.begun(extension.added);
  partials_ = std::move(inventory->partials);
  leave_out(extension.left_out);
  if (queue(extension.added) > 0) downloads_.start_more();
  auto unfit = [files = core::unfit(*plan_, resources_.settings.policy.reserve)](catalogue::Catalogue& c) {
    return c.keep_unfit(files);
  };
  kept = co_await resources_.calls(std::move(unfit));
  if (!kept) co_return kept;
  auto refreshed = co_await resources_.publisher.refresh();
  co_return refreshed;
}

/// Before the downloads: the plan has assigned their space.
awaitable<void> Cycle::make_room() {
  std::vector<core::Action> quarantined;
  for (const auto& action : plan_->actions) {
    if (ports_.stop.requested()) co_return;
    if (!core::goes_first(action)) continue;
    if (prunes(action))
      quarantined.push_back(action);
    else
      co_await drop_and_log(action);
  }
  co_await remove_and_count(std::move(quarantined));
}

/// A file that a removal depends on may have failed, or have been lost during a long transfer, so the removals are
/// checked against what is held now.
awaitable<void> Cycle::prune_all() {
  if (ports_.stop.requested() || std::ranges::none_of(plan_->actions, prunes)) co_return;
  const auto now = co_await read_inventory(ports_, resources_.calls);
  if (!now) {
    note_failure("", now.error());
    co_return;
  }
  auto due = core::removals_due(*plan_, listing_, *now, resources_.settings.policy);
  co_await remove_and_count(std::move(due));
}

/// What kept files from being removed may be over, as a full disk. What stays was noted before.
awaitable<void> Cycle::remove_rest() {
  const auto late = co_await finish_late(ports_, resources_.publisher, resources_.settings.policy);
  if (!late) co_return;
  for (const auto& action : late->done) tally_.removed(action);
}

awaitable<void> Cycle::remove_and_count(std::vector<core::Action> actions) {
  const auto outcomes = co_await agent::remove(ports_, resources_.calls, resources_.publisher, actions);
  std::vector<base::Error> failures;
  for (std::size_t i = 0; i < actions.size(); ++i)
    if (outcomes[i])
      tally_.removed(actions[i]);
    else
      failures.push_back(outcomes[i].error());
  tally_.stayed(failures);
  some_stay_ = some_stay_ || !failures.empty();
}

awaitable<void> Cycle::drop_and_log(core::Action action) {
  auto drop = [&partials = ports_.partials, name = action.name] { return partials.drop(name); };
  auto dropped = co_await off_loop(ports_.pool.get_executor(), std::move(drop));
  if (dropped) {
    auto forget = [name = action.name](catalogue::Catalogue& c) { return c.forget_partial(name); };
    dropped = co_await resources_.calls(std::move(forget));
  }
  if (!dropped) {
    note_failure("", dropped.error());
    co_return;
  }
  tally_.removed(action);
  const auto text = "removed the unfinished download of " + core::short_name(action.name) + ": " +
                    std::string(report::sentence(action.reason));
  log(ports::EventKind::pruned, ports::Level::notice, text, {{"file", action.name}});
}

void Cycle::leave_out(const std::vector<core::LeftOut>& files) {
  for (const auto& file : files) {
    tally_.left_out(file);
    log_left_out(file);
  }
}

void Cycle::log_left_out(const core::LeftOut& file) {
  const auto& action = file.action;
  auto text = report::sentence(file.failure);
  switch (file.failure.kind) {
    case core::FailureKind::refused_entry:
      if (core::is_to_come(action.cause))
        text += "; it is in no chain, and all other files are used";
      else if (file.is_held)
        text += "; the file is held, and stays in the chain as it is";
      return log(ports::EventKind::entry_refused, core::is_failure(file) ? ports::Level::error : ports::Level::warning,
                 std::move(text), {{"entry", action.name}, {"reason", action.cause.detail}});
    case core::FailureKind::no_space:
      return log(ports::EventKind::space_low, ports::Level::error, std::move(text),
                 {{"file", action.name}, {"bytes", std::to_string(action.needs)}});
    case core::FailureKind::lost:
      return log(ports::EventKind::fetch_failed, ports::Level::error, std::move(text), {{"file", action.name}});
    case core::FailureKind::damaged:
    case core::FailureKind::quarantined:
    case core::FailureKind::other:
      // It was reported when it was quarantined.
      break;
  }
}

void Cycle::log(ports::EventKind kind, ports::Level level, std::string message, std::vector<ports::Field> fields) {
  ports_.journal.log({kind, level, std::move(message), std::move(fields)});
}

void Cycle::note_failure(const std::string& name, const base::Error& error) {
  tally_.failed(core::may_be_due_to_a_clock(error) ? clock_check_.explained(error) : error, name);
}

core::CycleReport Cycle::report(base::Steady begun) const {
  std::int64_t bytes = 0;
  for (const auto& download : progress_.downloads) bytes += download.fetched;
  return tally_.report(downloads_.published(), bytes, ports_.clock.steady() - begun);
}

}  // namespace vtmirror::agent
