#include "vtmirror/agent/daemon.hpp"

#include "agent/off_loop.hpp"
#include "agent/succession.hpp"
#include "agent/wake.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// How long a clock change or a suspend may go unnoticed.
constexpr base::Milliseconds longest_nap = std::chrono::minutes(1);
/// The service is asked at least once a day, however long a wait it requests.
constexpr base::Milliseconds longest_patience = std::chrono::hours(24);

}  // namespace

struct Daemon::Impl {
  Impl(Ports p, DaemonSettings s, Watcher& w)
      : ports(p),
        settings(std::move(s)),
        watcher(w),
        calls(p.catalogue),
        health(p, settings.health),
        wake(p.loop),
        tasks(p.loop),
        succession(p, health.secret_watch()),
        dice(p.dice.roll()) {
    succession.take(settings);
    agent = std::make_shared<Agent>(ports, settings.service, settings.cycle);
    state.since = p.clock.now();
  }

  awaitable<base::Result<void>> run();
  awaitable<void> nap(base::Milliseconds pause);
  awaitable<void> ring_after(base::Milliseconds pause, int nap);
  awaitable<base::Result<void>> run_cycle(core::Try which);
  bool is_same_day(const core::LastCycle& a, const core::LastCycle& b) const;
  awaitable<void> tend_secret();
  std::optional<core::LastCycle> last() const;
  bool has_failed_before() const;
  void apply_pending();
  void enter(core::State next, std::optional<base::Time> next_wake);
  awaitable<void> judge();

  Ports ports;
  DaemonSettings settings;
  Watcher& watcher;
  CatalogueCalls calls;
  Health health;
  Wake wake;
  TaskGroup tasks;
  Succession succession;
  std::shared_ptr<Agent> agent;  ///< shared with plans in progress, which may outlive its settings
  std::optional<DaemonSettings> pending;
  core::DaemonState state;
  base::Time not_before{};  // the service's request at the end of the last cycle; a person may still start one
  double dice = 0;
  bool asked = false;
  int naps = 0;
};

Daemon::Daemon(Ports ports, DaemonSettings settings, Watcher& watcher)
    : impl_(std::make_unique<Impl>(ports, std::move(settings), watcher)) {}
Daemon::~Daemon() = default;

const core::DaemonState& Daemon::state() const { return impl_->state; }
const ports::CycleProgress* Daemon::progress() const { return impl_->agent->progress(); }

std::int64_t Daemon::ask_for_cycle() {
  // A cycle that has ended and is only being judged does not contain later changes.
  if (progress() != nullptr) return impl_->state.cycles;
  impl_->asked = true;
  impl_->wake.notify();
  return impl_->state.cycles + 1;
}

void Daemon::take(DaemonSettings settings) {
  impl_->pending = std::move(settings);
  impl_->wake.notify();
}

awaitable<base::Result<void>> Daemon::run() { return impl_->run(); }

awaitable<base::Result<core::Plan>> Daemon::plan() {
  if (impl_->state.state == core::State::starting)
    co_return base::Error{base::Errc::locked,
                          "the daemon is starting and has not read the mirror yet: try again in a moment"};
  const auto agent = impl_->agent;
  auto plan = co_await agent->plan();
  co_return plan;
}

awaitable<base::Result<void>> Daemon::Impl::run() {
  const ports::Stop::Registration stop(ports.stop, [this] { wake.notify(); });
  auto recovered = co_await agent->recover();
  if (!recovered) co_return recovered;
  // Until a cycle has repaired them, manifest and status would name files that do not exist.
  asked = asked || agent->lost_files() > 0;
  auto recalled = co_await health.recall();
  if (!recalled) co_return recalled;
  bool is_first = true;
  base::Result<void> ended;
  while (!ports.stop.requested()) {
    apply_pending();
    co_await tend_secret();
    if (pending) continue;
    if (std::exchange(is_first, false)) asked = asked || has_failed_before();
    const auto now = ports.clock.now();
    const auto next = core::next_wake(last(), settings.health.schedule, *settings.health.zone, now, dice);
    co_await judge();
    auto look = [](const catalogue::Catalogue& c) { return c.damage(); };
    const auto damage = co_await calls(std::move(look));
    if (damage) {
      ended = *damage;
      ports.stop.request();
      continue;
    }
    const bool days_own = next.reason == core::WakeReason::daily || next.reason == core::WakeReason::missed;
    if (asked || next.at <= now) {
      const auto which = asked || days_own ? core::Try::first : core::Try::again;
      ended = co_await run_cycle(which);
      if (!ended) ports.stop.request();
      continue;
    }
    enter(days_own ? core::State::idle : core::State::waiting, next.at);
    const auto pause = std::min<base::Milliseconds>(next.at - now, longest_nap);
    co_await nap(pause);
  }
  enter(core::State::stopping, std::nullopt);
  co_await tasks.join();
  co_return ended;
}

/// Somebody who restarts the daemon may have corrected the cause of the last failure, which the schedule would retry
/// only tomorrow. A process that ends again and again must not ask the service each time, and a refused secret is still
/// tried once a day.
bool Daemon::Impl::has_failed_before() const {
  const auto cycle = last();
  if (!cycle || cycle->complete || cycle->cut || cycle->refused) return false;
  return ports.clock.now() - cycle->finished > longest_nap;
}

/// Sends warnings on their day, and requests a new secret when one is due: the watcher then provides settings with it.
awaitable<void> Daemon::Impl::tend_secret() {
  co_await health.look();
  const bool changed = co_await succession.run();
  if (changed) watcher.secret_changed();
}

/// Ends early when a cycle is requested, when settings arrive, and at the stop.
awaitable<void> Daemon::Impl::nap(base::Milliseconds pause) {
  // Requests that came while the loop waited for something else rang when nobody listened.
  if (ports.stop.requested() || asked || pending) co_return;
  tasks.spawn(ring_after(pause, ++naps));
  co_await wake.wait();
}

/// Rings only for its own nap: the timer of a nap that was cut short must not end the next one.
awaitable<void> Daemon::Impl::ring_after(base::Milliseconds pause, int nap) {
  const auto waited = co_await ports.clock.wait(pause);
  if (waited && nap == naps) wake.notify();
}

/// Errors: io, if the mirror's directory was removed: a new process uses what is there now, and locks it.
awaitable<base::Result<void>> Daemon::Impl::run_cycle(core::Try which) {
  asked = false;
  ++state.cycles;
  state.cycle_began = ports.clock.now();
  enter(core::State::syncing, std::nullopt);
  const auto before = health.last();
  core::LastCycle cycle;
  cycle.started = state.cycle_began;
  const auto report = co_await agent->cycle(which);
  cycle.finished = ports.clock.now();
  const auto told = report ? std::nullopt : report.error().retry_after;
  not_before = cycle.finished + std::min<base::Milliseconds>(told.value_or(std::chrono::seconds(0)), longest_patience);
  const auto recalled = co_await health.after_cycle(agent->secret(), agent->key());
  // The start or end of the cycle is not in the catalogue (the disk is full, say): the cycle must not count as cut off
  // or as never run, and be started again at once.
  if (!recalled || !health.last() || health.last()->started < cycle.started) {
    cycle.failures = 1 + (before && is_same_day(*before, cycle) ? before->failures : 0);
    std::optional<core::Failure> failure;
    if (!report || !recalled)
      failure = core::Failure{.cause = core::cause_of(!report ? report.error() : recalled.error())};
    health.note_end(cycle, std::move(failure));
  }
  dice = ports.dice.roll();
  watcher.cycle_ended();
  auto look = [&shelf = ports.shelf] { return shelf.in_place(); };
  auto in_place = co_await off_loop(ports.pool.get_executor(), std::move(look));
  co_return in_place;
}

std::optional<core::LastCycle> Daemon::Impl::last() const {
  auto cycle = health.last();
  if (!cycle) return cycle;
  cycle->refused = health.refused();
  cycle->not_before = not_before;
  return cycle;
}

bool Daemon::Impl::is_same_day(const core::LastCycle& a, const core::LastCycle& b) const {
  const auto day = [this](base::Time time) {
    return core::day_served(settings.health.schedule, *settings.health.zone, time);
  };
  return day(a.started) == day(b.started);
}

void Daemon::Impl::apply_pending() {
  if (!pending) return;
  settings = std::move(*pending);
  pending.reset();
  health.take(settings.health);
  succession.take(settings);
  // Somebody may have repaired it.
  const auto& problems = health.problems();
  const bool failed = std::any_of(problems.begin(), problems.end(), [](const core::Problem& problem) {
    return problem.code == core::ProblemCode::cycle_failed;
  });
  asked = asked || failed || health.refused();
  agent = std::make_shared<Agent>(ports, settings.service, settings.cycle);
}

void Daemon::Impl::enter(core::State next, std::optional<base::Time> next_wake) {
  const bool same = state.state == next && state.next_wake == next_wake;
  if (state.state != next) state.since = ports.clock.now();
  state.state = next;
  state.next_wake = next_wake;
  if (!same) watcher.state_changed();
}

awaitable<void> Daemon::Impl::judge() {
  co_await health.judge();
  const auto& secret = health.secret_watch().status();
  const bool same = state.problems == health.problems() && state.secret == secret;
  state.problems = health.problems();
  state.secret = secret;
  if (!same) watcher.state_changed();
}

}  // namespace vtmirror::agent
