#include "wiring/daemon_answers.hpp"

#include "version.hpp"
#include "vtmirror/agent/verification.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/chain.hpp"
#include "vtmirror/report/changes.hpp"
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/files.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/wiring/agent_settings.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace vtmirror::wiring {
namespace {

using boost::asio::awaitable;

constexpr base::Milliseconds frame{250};

}  // namespace

report::Status DaemonAnswers::now() {
  report::Status status;
  status.version = version;
  const auto& state = daemon_->state();
  status.state = state.state;
  status.since = state.since;
  status.next_wake = state.next_wake;
  auto problems = state.problems;
  const auto& known = facts();
  if (unreadable_) problems.push_back(*unreadable_);
  for (const auto& problem : problems) status.problems.push_back(report::problem_status(problem, state.next_wake));
  if (const auto& waits = room_.problem()) status.problems.push_back(report::problem_status(*waits, room_.next_try()));
  status.last_cycle = last_cycle();
  status.mirror = known.mirror;
  // Until a lost catalogue has been rebuilt, the mirror's generation is not known.
  if (state.state == core::State::starting && status.mirror.generation == 0) status.mirror.generation.reset();
  status.chain = known.chain;
  status.api_key = known.api_key;
  status.consumers = known.consumers;
  const auto free = resources_.partials.free_space();
  if (free) status.mirror.free = *free;
  if (free)
    status.mirror.outlook =
        core::outlook(known.calendar, known.stock, known.savings, *free, policy_of(resources_.config),
                      std::chrono::floor<std::chrono::days>(resources_.clock.now()));
  status.cycle = cycle();
  if (auto* work = daemon_->verification(); work != nullptr && work->progress().started != base::Time())
    status.verification = report::verification_status(work->progress());
  status.secret = state.secret;
  return status;
}

/// If the last cycle could not be recorded, the one before it must not be reported in its place.
std::optional<report::LastCycleStatus> DaemonAnswers::last_cycle() {
  const auto& recorded = facts().last_cycle;
  const bool is_recorded = recorded && (!unrecorded_ || recorded->started >= unrecorded_->started);
  return is_recorded ? recorded : unrecorded_;
}

std::optional<report::CycleStatus> DaemonAnswers::cycle() {
  const auto* progress = daemon_->progress();
  if (progress == nullptr) return std::nullopt;
  const auto rates = rates_.update(*progress, resources_.clock.steady());
  report::CycleStatus cycle;
  cycle.started = progress->started;
  cycle.files = progress->files;
  cycle.done = progress->done;
  cycle.bytes = progress->bytes;
  cycle.received = progress->received;
  cycle.step = progress->step;
  cycle.asking = progress->asking;
  cycle.rate = static_cast<std::int64_t>(rates.total);
  const auto missing = cycle.bytes - cycle.received;
  if (cycle.rate > 0 && missing > 0) cycle.eta = std::chrono::seconds(missing / cycle.rate);
  for (const auto& download : progress->downloads) {
    using Phase = ports::DownloadProgress::Phase;
    cycle.fetched += download.fetched;
    cycle.published += download.phase == Phase::published ? 1 : 0;
    if (download.phase != Phase::fetching && download.phase != Phase::checking) continue;
    const auto rate = rates.files.find(download.name);
    cycle.downloads.push_back({.name = download.name,
                               .size = download.size,
                               .received = download.received,
                               .rate = rate == rates.files.end() ? 0 : static_cast<std::int64_t>(rate->second),
                               .connections = download.connections,
                               .attempt = download.attempt});
  }
  return cycle;
}

std::string DaemonAnswers::status() { return report::status_json(now()); }

std::string DaemonAnswers::status_table() {
  return report::status_table(now(), resources_.clock.now(),
                              {.width = 0, .colour = false, .utc_offset = &host::utc_offset});
}

std::string DaemonAnswers::metrics() {
  if (const auto* progress = daemon_->progress(); progress != nullptr) counters_.arrive(*progress);
  return report::metrics_text(now(), facts(), counters_, resources_.clock.now());
}

awaitable<base::Result<std::string>> DaemonAnswers::files() {
  const auto rows = report::file_rows(resources_.catalogue);
  if (!rows) co_return rows.error();
  co_return report::files_json(*rows);
}

awaitable<base::Result<std::string>> DaemonAnswers::coverage() {
  const auto coverage = report::coverage_of(resources_.catalogue);
  if (!coverage) co_return coverage.error();
  co_return report::coverage_json(*coverage);
}

awaitable<base::Result<std::string>> DaemonAnswers::history(int newest) {
  const auto cycles = resources_.catalogue.history(newest);
  if (!cycles) co_return cycles.error();
  auto running = cycle();
  const bool runs = daemon_->state().state == core::State::syncing;
  const report::HistoryLook look{.runs = runs, .cycle = std::move(running), .now = resources_.clock.now()};
  co_return report::history_json(*cycles, look);
}

awaitable<base::Result<std::string>> DaemonAnswers::changes(std::int64_t since) {
  const auto generation = resources_.catalogue.generation();
  if (!generation) co_return generation.error();
  // A consumer would take a catalogue that is still being rebuilt for another mirror.
  if (*generation == 0)
    if (auto why = not_started()) co_return std::move(*why);
  const auto changes = resources_.catalogue.changes_since(since);
  if (!changes) co_return changes.error();
  const auto edition = resources_.catalogue.edition_now();
  if (!edition) co_return edition.error();
  co_return report::changes_json(*changes, edition->session);
}

void DaemonAnswers::publish(ports::StreamEvent event, const std::string& json) {
  if (server_ != nullptr && server_->followers() > 0) server_->publish(std::string(ports::name(event)), json);
}

void DaemonAnswers::publish_status() {
  if (server_ != nullptr && server_->followers() > 0) publish(ports::StreamEvent::status, status());
}

void DaemonAnswers::log_of(const core::Problem& problem, ports::EventKind kind, ports::Level level,
                           std::string message) {
  log({kind,
       level,
       std::move(message),
       {{report::problem_member, std::string(core::name(problem.code))},
        {"reason", report::sentence(problem, report::Names::paths)}}});
}

void DaemonAnswers::state_changed() {
  forget_facts();
  if (daemon_ == nullptr) return;
  room_found();
  const auto status = now();
  resources_.supervisor.status(
      report::status_headline(status, resources_.clock.now(), {.utc_offset = &host::utc_offset}));
  publish(ports::StreamEvent::status, report::status_json(status));
  log_next_wake(status);
  if (status.state != core::State::syncing || shows_progress_) return;
  shows_progress_ = true;
  boost::asio::co_spawn(resources_.loop, publish_progress(), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

void DaemonAnswers::log_next_wake(const report::Status& status) {
  const bool waits = status.state == core::State::idle || status.state == core::State::waiting;
  if (!logs_next_wake_ || !waits || !status.next_wake) return;
  logs_next_wake_ = false;
  log({ports::EventKind::next_wake,
       ports::Level::info,
       report::wake_words(status, resources_.clock.now(), {.utc_offset = &host::utc_offset}),
       {{"next_try", base::iso8601(*status.next_wake)}}});
  log_standing_problems(status);
}

void DaemonAnswers::secret_changed() { static_cast<void>(resources_.reload()); }

void DaemonAnswers::cycle_ended() {
  forget_facts();
  rates_ = {};
  logs_next_wake_ = true;
  const auto& state = daemon_->state();
  const auto& recorded = facts().last_cycle;
  unrecorded_.reset();
  if (!recorded || recorded->started < state.cycle_began)
    unrecorded_ = report::LastCycleStatus{.started = state.cycle_began,
                                          .finished = resources_.clock.now(),
                                          .outcome = core::Outcome::failed,
                                          .error = "the cycle could not be recorded: see `vtmirror status`"};
  publish(ports::StreamEvent::cycle, report::last_cycle_json(*last_cycle(), state.cycles));
  resources_.cycle_ended();
}

namespace {

/// After which another chain, or other files, may be shown.
bool changes_facts(ports::EventKind kind) {
  using ports::EventKind;
  constexpr std::array kinds{EventKind::listed,     EventKind::published,   EventKind::adopted,      EventKind::pruned,
                             EventKind::superseded, EventKind::quarantined, EventKind::fetch_failed, EventKind::planned,
                             EventKind::recovered,  EventKind::damage_found};
  return std::ranges::find(kinds, kind) != kinds.end();
}

}  // namespace

void DaemonAnswers::log(const ports::Event& event) {
  resources_.journal.log(event);
  if (event.kind == ports::EventKind::cycle_finished && daemon_->progress() != nullptr)
    counters_.arrive(*daemon_->progress());
  counters_.count(event);
  note_problem(event);
  if (changes_facts(event.kind)) forget_facts();
  publish(ports::StreamEvent::journal, report::event_json(event));
}

awaitable<void> DaemonAnswers::publish_progress() {
  while (daemon_->state().state == core::State::syncing) {
    note_progress();
    const auto waited = co_await resources_.clock.wait(frame);
    if (!waited) break;
  }
  shows_progress_ = false;
}

void DaemonAnswers::note_progress() {
  const auto* progress = daemon_->progress();
  if (progress == nullptr) return;
  counters_.arrive(*progress);
  const auto now = resources_.clock.steady();
  const auto rates = rates_.update(*progress, now);
  for (const auto& event : lines_.due(*progress, rates, now)) log(event);
  publish(ports::StreamEvent::status, status());
}

}  // namespace vtmirror::wiring
