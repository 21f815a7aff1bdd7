#include "vtmirror/agent/daemon.hpp"

#include "agent/off_loop.hpp"
#include "agent/running_cycle.hpp"
#include "agent/succession.hpp"
#include "agent/verifier.hpp"
#include "agent/wake.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// How long a clock change or a suspend may go unnoticed.
constexpr base::Milliseconds longest_nap = std::chrono::minutes(1);
constexpr base::Milliseconds shortest_nap = std::chrono::seconds(1);

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
        verifier(p, calls, tasks, wake, w),
        pruning(p.loop, 1),
        succession(p, health.secret_watch()),
        dice(p.dice.roll()) {
    succession.use(settings);
    verifier.use(settings.scrub);
    agent = std::make_shared<Agent>(ports, settings.service, settings.cycle);
    state.since = p.clock.now();
  }

  awaitable<base::Result<void>> run();
  awaitable<void> stamp(std::shared_ptr<Agent> by, base::Time next);
  awaitable<void> nap(base::Milliseconds pause);
  awaitable<void> ring_after(base::Milliseconds pause, int nap);
  awaitable<base::Result<void>> turn();
  awaitable<void> tend_cycle();
  void begin_cycle(core::Try which, bool corrected);
  awaitable<base::Result<void>> end_cycle();
  awaitable<void> tend_secret();
  std::optional<core::LastCycle> last() const;
  core::TriedWith tried_with() const;
  bool may_be_repaired() const;
  void apply_pending();
  void enter(core::State next, std::optional<base::Time> next_wake);
  awaitable<void> judge(bool corrected, base::Time next_try, std::optional<core::LastCycle> counts = std::nullopt);

  Ports ports;
  DaemonSettings settings;
  Watcher& watcher;
  CatalogueCalls calls;
  Health health;
  Wake wake;
  TaskGroup tasks;
  Verifier verifier;
  Slots pruning;  ///< its agent is not replaced meanwhile: two agents must not publish at the same time
  Succession succession;
  std::shared_ptr<Agent> agent;  ///< shared with cycles and plans in progress, which may outlive its settings
  std::shared_ptr<RunningCycle> running;
  std::optional<DaemonSettings> pending;
  std::optional<core::Cause> refused;  ///< why newer settings than `pending` were not taken
  core::DaemonState state;
  double dice = 0;
  bool asked = false;     // by a person, who need not wait
  bool repaired = false;  // the cause of the last failure may have been corrected since; one try finds out
  int naps = 0;
};

Daemon::Daemon(Ports ports, DaemonSettings settings, Watcher& watcher)
    : impl_(std::make_unique<Impl>(ports, std::move(settings), watcher)) {}
Daemon::~Daemon() = default;
const core::DaemonState& Daemon::state() const { return impl_->state; }
const ports::CycleProgress* Daemon::progress() const { return impl_->running ? impl_->running->progress() : nullptr; }

std::int64_t Daemon::ask_for_cycle() {
  // A cycle that has ended and is only being judged does not contain later changes.
  if (impl_->running && !impl_->running->report()) return impl_->state.cycles;
  impl_->asked = true;
  impl_->wake.notify();
  return impl_->state.cycles + 1;
}

void Daemon::refuse(core::Cause why) {
  impl_->refused = std::move(why);
  impl_->wake.notify();
}

void Daemon::use(DaemonSettings settings) {
  impl_->refused.reset();
  impl_->pending = std::move(settings);
  impl_->wake.notify();
}

awaitable<base::Result<void>> Daemon::run() { return impl_->run(); }
Daemon::InUse Daemon::in_use() const {
  return {impl_->running ? impl_->running->start().agent : impl_->agent, impl_->settings.cycle, impl_->pruning};
}
Verifier& Daemon::verifier() const { return impl_->verifier; }

awaitable<base::Result<void>> Daemon::Impl::run() {
  const ports::Stop::Registration stop(ports.stop, [this] { wake.notify(); });
  auto recovered = co_await agent->recover();
  if (!recovered) co_return recovered;
  // Until a cycle has repaired them, manifest and status would name files that do not exist.
  asked = asked || agent->lost_files() > 0;
  health.note_unrepaired(agent->unrepaired());
  auto recalled = co_await health.recall();
  if (!recalled) co_return recalled;
  co_await tend_secret();
  repaired = may_be_repaired();
  base::Result<void> ended;
  while (!ports.stop.requested()) {
    ended = co_await turn();
    if (!ended) ports.stop.request();
  }
  enter(core::State::stopping, std::nullopt);
  co_await tasks.join();
  if (!running) co_return ended;
  auto cycle_ended = co_await end_cycle();
  co_return ended ? cycle_ended : ended;
}

/// Errors: those of `end_cycle`, and catalogue_damaged.
awaitable<base::Result<void>> Daemon::Impl::turn() {
  if (running && running->report()) {
    auto ended = co_await end_cycle();
    if (!ended) co_return ended;
  }
  // What reads holds the agent, and two agents must not write the manifest.
  if (pending) co_await verifier.make_way();
  co_await pruning.acquire();
  apply_pending();
  pruning.release();
  co_await tend_secret();
  if (pending) co_return base::Result<void>();
  auto look = [](const catalogue::Catalogue& c) { return c.damage(); };
  const auto damage = co_await calls(std::move(look));
  if (damage) co_return *damage;
  if (running) {
    co_await tend_cycle();
    co_return base::Result<void>();
  }
  const auto now = ports.clock.now();
  const auto known = last();
  const auto next = core::next_wake(known, settings.health.schedule, *settings.health.zone, now, dice);
  const bool corrected = known && known->corrected;
  co_await judge(corrected, next.at);
  // Also before a cycle: it may take hours, and its manifests have the stamps too.
  co_await stamp(agent, next.at);
  const bool days_own = next.reason == core::WakeReason::daily || next.reason == core::WakeReason::missed;
  if (asked || next.at <= now) {
    co_await verifier.make_way_for_cycle();
    begin_cycle(asked || days_own ? core::Try::first : core::Try::again, corrected);
    co_return base::Result<void>();
  }
  enter(days_own ? core::State::idle : core::State::waiting, next.at);
  const bool found = co_await verifier.tend(agent, settings.health.zone);
  asked = asked || found;  // only a cycle can repair it
  if (found) co_await health.look_at_files();
  co_await nap(std::min<base::Milliseconds>(next.at - now, longest_nap));
  co_return base::Result<void>();
}

/// What is due while a cycle runs: its own problems come at its end, all others when they are found.
awaitable<void> Daemon::Impl::tend_cycle() {
  co_await health.look_at_files();
  const auto& schedule = settings.health.schedule;
  const auto tried = running->last_try(health, settings.health);
  const auto now = ports.clock.now();
  const auto next = core::next_wake(tried, schedule, *settings.health.zone, now, dice);
  co_await judge(running->start().corrected, next.at, tried);
  co_await stamp(running->start().agent, next.at);
  const bool due = next.at <= now;
  if (due && running->may_list()) running->list(schedule, settings.health.zone);
  // Not yet: it is still making its plan, or asking.
  const auto pause = due ? std::max(schedule.retry, shortest_nap) : next.at - now;
  co_await nap(std::min(pause, longest_nap));
}

/// A restart may follow a correction elsewhere than in the settings. A process that ends again and again must not ask
/// the service each time, and a refused secret is still tried once a day.
bool Daemon::Impl::may_be_repaired() const {
  const auto cycle = last();
  return cycle && !cycle->cut && !cycle->refused && ports.clock.now() - cycle->finished > longest_nap;
}

/// Sends warnings on their day, and requests a new secret when one is due: the watcher then provides settings with it.
awaitable<void> Daemon::Impl::tend_secret() {
  co_await health.look();
  const bool changed = co_await succession.run();
  if (changed) watcher.secret_changed();
}

awaitable<void> Daemon::Impl::stamp(std::shared_ptr<Agent> by, base::Time next) {
  NextCheck check{next, settings.health.schedule, settings.health.zone};
  co_await by->stamp(std::move(check));
}

/// Ends early when a cycle is requested, when settings arrive, and at the stop.
awaitable<void> Daemon::Impl::nap(base::Milliseconds pause) {
  // The wake-up of a request that came while the loop waited for something else was missed, so check here.
  if (ports.stop.requested() || asked || pending || refused || (running && running->report()) ||
      (!running && verifier.has_news()))
    co_return;
  tasks.spawn(ring_after(pause, ++naps));
  co_await wake.wait();
}

/// Wakes only the sleep it was started for: the timer of a nap that was cut short must not end the next one.
awaitable<void> Daemon::Impl::ring_after(base::Milliseconds pause, int nap) {
  const auto waited = co_await ports.clock.wait(pause);
  if (waited && nap == naps) wake.notify();
}

void Daemon::Impl::begin_cycle(core::Try which, bool corrected) {
  asked = repaired = false;
  ++state.cycles;
  state.cycle_began = ports.clock.now();
  enter(core::State::syncing, std::nullopt);
  RunningCycle::Start start{.agent = agent, .which = which, .corrected = corrected};
  start.before = health.last().value_or(core::LastCycle());
  const auto& schedule = settings.health.schedule;
  start.tried = core::listing_as_try(start.before, state.cycle_began, true, schedule, *settings.health.zone);
  start.record.started = state.cycle_began;
  start.record.with = tried_with();
  start.credentials = settings.health.credentials;
  running = std::make_shared<RunningCycle>(ports, std::move(start), tasks, wake);
  running->begin();
}

/// Errors: io, if the mirror's directory was removed: a new process uses what is there now, and locks it.
awaitable<base::Result<void>> Daemon::Impl::end_cycle() {
  const auto cycle = std::exchange(running, nullptr);
  const auto recalled = co_await health.after_cycle(*cycle->start().agent, cycle->start().credentials);
  // If its start or end is not in the catalogue (a full disk), it must not count as cut off, and be started again at
  // once.
  if (!recalled || !health.last() || health.last()->started < cycle->start().record.started)
    cycle->note_end(health, settings.health, recalled);
  dice = ports.dice.roll();
  watcher.cycle_ended();
  auto look = [&shelf = ports.shelf] { return shelf.in_place(); };
  co_return co_await off_loop(ports.pool.get_executor(), std::move(look));
}

std::optional<core::LastCycle> Daemon::Impl::last() const {
  auto cycle = health.last();
  if (!cycle) return cycle;
  cycle->refused = health.refused();
  cycle = core::seen_with(std::move(*cycle), tried_with());
  cycle->corrected = cycle->corrected || (repaired && !cycle->complete);
  return cycle;
}

core::TriedWith Daemon::Impl::tried_with() const {
  return {.settings = settings.cycle.fingerprint, .service = addresses_of(settings.service)};
}

void Daemon::Impl::apply_pending() {
  if (pending) {
    settings = *std::exchange(pending, std::nullopt);
    health.use(settings.health);
    succession.use(settings);
    verifier.use(settings.scrub);
    repaired = true;
    if (running) running->start().agent->limit_rate(settings.cycle.rate);
    agent = std::make_shared<Agent>(ports, settings.service, settings.cycle, agent->unrepaired());
  }
  if (refused) health.refuse(*std::exchange(refused, std::nullopt));
}

void Daemon::Impl::enter(core::State next, std::optional<base::Time> next_wake) {
  const bool same = state.state == next && state.next_wake == next_wake;
  if (std::exchange(state.state, next) != next) state.since = ports.clock.now();
  state.next_wake = next_wake;
  if (!same) watcher.state_changed();
}

awaitable<void> Daemon::Impl::judge(bool corrected, base::Time next_try, std::optional<core::LastCycle> counts) {
  co_await health.judge(corrected, std::move(counts), next_try);
  const auto& secret = health.secret_watch().status();
  const bool same = state.problems == health.problems() && state.secret == secret;
  state.problems = health.problems();
  state.secret = secret;
  if (!same) watcher.state_changed();
}

}  // namespace vtmirror::agent
