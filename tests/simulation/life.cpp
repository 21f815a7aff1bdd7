// How time goes by, and how processes come and go.
#include "simulation/simulated_years.hpp"

namespace vtmirror::test {

using namespace std::chrono_literals;

/// Everything happens in the order of the world's time; a process that has something to do does it at once.
void SimulatedYears::run_until(base::Time end) {
  while (observer_.failure.empty()) {
    if (process_) {
      process_->settle();
      if (process_->to_be_killed()) {
        kill();
        continue;
      }
      const bool alive = !process_->ended().has_value();
      observer_.expect(alive, "the daemon does not end by itself");
      if (std::exchange(observer_.cycle_has_ended, false)) check_manifest();
    }
    auto next = agenda_.empty() ? end : std::min(end, agenda_.begin()->first);
    doze(next);
    const auto deadline = clock_.next_deadline();
    if (deadline && *deadline < next) {
      clock_.go_to(*deadline);
      continue;
    }
    clock_.go_to(next);
    if (agenda_.empty() || agenda_.begin()->first > end) return;
    const auto event = agenda_.extract(agenda_.begin());
    event.mapped()();
  }
}

/// A machine that is suspended while nobody needs it, as laptops are: up to shortly before the wake-up, or beyond it.
/// Shortly is long enough for a day's notices to a receiver who refuses some of them, each tried again after a minute.
void SimulatedYears::doze(base::Time limit) {
  if (!process_ || awake_) return;
  const auto& state = process_->daemon().state();
  if (!state.next_wake || state.state == core::State::syncing) return;
  constexpr auto shortly = 10min;
  auto until = *state.next_wake - clock_.skew - shortly;
  if (oversleep_ > 0ms && state.state == core::State::idle && until < limit) {
    until += shortly + oversleep_;
    oversleep_ = 0ms;
    observer_.disturb();
  }
  until = std::min(until, limit);
  if (until > clock_.world() + 5min) clock_.suspend_until(until);
}

void SimulatedYears::start() {
  if (process_) return;
  down_ = false;
  observer_.note("--- a process begins");
  const Surroundings around{clock_, dice_, service_, storage_, observer_, observer_, {receiver_}};
  process_ = std::make_unique<Process>(around, std::move(catalogue_), settings_);
  observer_.watch(&process_->daemon());
}

void SimulatedYears::start_later() {
  const auto when = std::min(clock_.world() + Minutes(between(random_, 0, 120)), end_ - 2h);
  on(std::max(when, clock_.world()), [this] {
    start();
    // Killed while it recovers, too.
    if (faults_.killed && chance(random_, 40)) process_->kill_after = static_cast<int>(between(random_, 0, 60));
  });
}

void SimulatedYears::stop() {
  if (!process_) return;
  ++restarts_;
  observer_.note("--- it is stopped");
  observer_.watch(nullptr);
  down_ = true;
  catalogue_ = process_->stop();
  observer_.find_kept(catalogue_.problems().value());
  process_.reset();
  check_public();
  start_later();
}

void SimulatedYears::kill() {
  ++kills_;
  observer_.note("--- it is killed");
  observer_.watch(nullptr);
  down_ = true;
  catalogue_ = process_->kill();
  observer_.find_kept(catalogue_.problems().value());
  process_.reset();
  check_public();
  start_later();
}

}  // namespace vtmirror::test
