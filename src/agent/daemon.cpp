#include "vtmirror/agent/daemon.hpp"

#include "agent/ledger.hpp"
#include "agent/problems.hpp"
#include "agent/task_group.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// How long a change of the clock or a suspend may go unnoticed.
constexpr base::Milliseconds longest_nap = std::chrono::minutes(1);

/// The last cycle and its listing, as the catalogue remembers them.
struct Remembered {
  std::vector<catalogue::CycleRecord> cycles;  ///< newest first
  std::vector<core::Listed> listed;
};

base::Result<Remembered> remember(const catalogue::Catalogue& c) {
  constexpr int enough_for_a_day = 50;
  auto cycles = c.history(enough_for_a_day);
  if (!cycles) return cycles.error();
  auto listing = c.last_listing();
  if (!listing) return listing.error();
  Remembered remembered{std::move(*cycles), {}};
  if (*listing) remembered.listed = std::move((*listing)->files);
  return remembered;
}

bool lists_delta_of(const std::vector<core::Listed>& listed, base::Date day) {
  return std::any_of(listed.begin(), listed.end(),
                     [day](const core::Listed& file) { return file.kind == core::Kind::delta && file.date == day; });
}

}  // namespace

struct Daemon::Body {
  Body(Parts p, DaemonSettings s, Watcher& w)
      : parts(p), settings(std::move(s)), watcher(w), ledger(p.pool, p.catalogue), wake(p.loop), tasks(p.loop) {
    agent = std::make_unique<Agent>(parts, settings.service, settings.cycle);
    state.since = p.clock.now();
    dice = p.dice.roll();
  }

  awaitable<base::Result<void>> run();
  awaitable<base::Result<void>> recall();
  awaitable<void> nap(base::Milliseconds pause);
  awaitable<void> ring_after(base::Milliseconds pause, int nap);
  awaitable<void> run_cycle();
  void apply_pending();
  void enter(core::State next, std::optional<base::Time> next_wake);
  void judge(const core::NextWake& next);

  Parts parts;
  DaemonSettings settings;
  Watcher& watcher;
  Ledger ledger;
  Wake wake;
  TaskGroup tasks;
  std::unique_ptr<Agent> agent;
  std::optional<DaemonSettings> pending;
  std::optional<core::LastCycle> last;
  std::string last_error;
  DaemonState state;
  double dice = 0;
  bool asked = false;
  int naps = 0;
};

Daemon::Daemon(Parts parts, DaemonSettings settings, Watcher& watcher)
    : body_(std::make_unique<Body>(parts, std::move(settings), watcher)) {}
Daemon::~Daemon() = default;

const DaemonState& Daemon::state() const { return body_->state; }
const ports::CycleProgress* Daemon::progress() const { return body_->agent->progress(); }

void Daemon::ask_for_cycle() {
  body_->asked = true;
  body_->wake.notify();
}

void Daemon::take(DaemonSettings settings) {
  body_->pending = std::move(settings);
  body_->wake.notify();
}

awaitable<base::Result<void>> Daemon::run() {
  auto ended = co_await body_->run();
  co_return ended;
}

awaitable<base::Result<void>> Daemon::Body::run() {
  const ports::Stop::Registration stop(parts.stop, [this] { wake.notify(); });
  auto recovered = co_await agent->recover();
  if (!recovered) co_return recovered;
  auto recalled = co_await recall();
  if (!recalled) co_return recalled;
  while (!parts.stop.requested()) {
    apply_pending();
    const auto now = parts.clock.now();
    const auto next = core::next_wake(last, settings.schedule, *settings.zone, now, dice);
    judge(next);
    if (asked || next.at <= now) {
      co_await run_cycle();
      continue;
    }
    const bool tomorrow = next.reason == core::WakeReason::daily || next.reason == core::WakeReason::missed;
    enter(tomorrow ? core::State::idle : core::State::waiting, next.at);
    const auto pause = std::min<base::Milliseconds>(next.at - now, longest_nap);
    co_await nap(pause);
  }
  enter(core::State::stopping, std::nullopt);
  co_await tasks.join();
  co_return base::Result<void>();
}

/// What a process before this one did counts: a day's wake-up is not made twice.
awaitable<base::Result<void>> Daemon::Body::recall() {
  const auto remembered = co_await ledger(remember);
  if (!remembered) co_return remembered.error();
  if (remembered->cycles.empty()) co_return base::Result<void>();
  const auto& newest = remembered->cycles.front();
  core::LastCycle cycle;
  cycle.started = newest.started;
  cycle.finished = newest.finished.value_or(newest.started);
  cycle.complete = newest.finished && newest.outcome == catalogue::Outcome::complete;
  const auto day = core::day_served(settings.schedule, *settings.zone, newest.started);
  cycle.todays_listed = lists_delta_of(remembered->listed, day);
  for (const auto& past : remembered->cycles) {
    const bool complete = past.finished && past.outcome == catalogue::Outcome::complete;
    if (complete || core::day_served(settings.schedule, *settings.zone, past.started) != day) break;
    ++cycle.failures;
  }
  last_error = newest.error;
  // A cycle that was cut or stopped is taken up at once; not for ever, in case that it is the cycle that kills us.
  constexpr int enough_cuts = 3;
  const bool cut = !newest.finished || newest.error == stopped_cycle;
  if (cut && cycle.failures <= enough_cuts) co_return base::Result<void>();
  last = cycle;
  co_return base::Result<void>();
}

/// Ends early when somebody asks, when settings come, and at the stop.
awaitable<void> Daemon::Body::nap(base::Milliseconds pause) {
  if (parts.stop.requested()) co_return;
  tasks.spawn(ring_after(pause, ++naps));
  co_await wake.wait();
}

/// Rings only for its own nap: one that was cut short must not end the next.
awaitable<void> Daemon::Body::ring_after(base::Milliseconds pause, int nap) {
  const auto waited = co_await parts.clock.wait(pause);
  if (waited && nap == naps) wake.notify();
}

awaitable<void> Daemon::Body::run_cycle() {
  asked = false;
  enter(core::State::syncing, std::nullopt);
  const auto started = parts.clock.now();
  const auto day = core::day_served(settings.schedule, *settings.zone, started);
  const bool same_day = last && core::day_served(settings.schedule, *settings.zone, last->started) == day;
  const auto report = co_await agent->cycle();
  core::LastCycle cycle;
  cycle.started = started;
  cycle.finished = parts.clock.now();
  cycle.complete = report && report->outcome == catalogue::Outcome::complete;
  cycle.failures = cycle.complete ? 0 : 1 + (same_day ? last->failures : 0);
  last_error = report ? report->error : report.error().message();
  const auto remembered = co_await ledger(remember);
  cycle.todays_listed = remembered && lists_delta_of(remembered->listed, day);
  last = cycle;
  dice = parts.dice.roll();
  watcher.cycle_ended();
}

void Daemon::Body::apply_pending() {
  if (!pending) return;
  settings = std::move(*pending);
  pending.reset();
  agent = std::make_unique<Agent>(parts, settings.service, settings.cycle);
}

void Daemon::Body::enter(core::State next, std::optional<base::Time> next_wake) {
  const bool same = state.state == next && state.next_wake == next_wake;
  if (state.state != next) state.since = parts.clock.now();
  state.state = next;
  state.next_wake = next_wake;
  if (!same) watcher.state_changed();
}

/// A problem is told when it begins and when it is over, once each.
void Daemon::Body::judge(const core::NextWake& next) {
  auto problems = problems_now(last, last_error, next, state.problems, parts.clock.now());
  for (const auto& event : problem_events(state.problems, problems)) parts.journal.tell(event);
  const bool same = problems == state.problems;
  state.problems = std::move(problems);
  if (!same) watcher.state_changed();
}

}  // namespace vtmirror::agent
