// How time goes by, and how processes come and go.
#include "simulation/life.hpp"

#include <utility>

namespace vtmirror::test {

using namespace std::chrono_literals;

/// Everything happens in the order of the world's time. A process that has something to do does it at once.
void Life::run_until(base::Time end) {
  while (observer_.failure.empty()) {
    if (process_) settle();
    if (process_ && process_->to_be_killed()) {
      kill();
      continue;
    }
    if (process_ && has_process_ended()) continue;
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

void Life::settle() {
  process_->settle();
  if (process_->to_be_killed()) return;
  if (starting_ && process_->daemon().state().state != core::State::starting) {
    starting_ = false;
    look_at_removals();
    judge_.disk_was_read();
  }
  if (!std::exchange(observer_.cycle_has_ended, false)) return judge_.after_step();
  if (hindered_) judge_.disturb();
  if (listed_ && !hindered_) judge_.disk_was_read();
  cycle_ended_at_ = clock_.world();
  judge_.after_cycle();
}

/// A start has finished the removals that were interrupted, or has taken them back. A cycle may have ended since then.
void Life::look_at_removals() {
  const auto interrupted = std::exchange(leaving_, {});
  if (interrupted.empty()) return;
  for (const auto& change : process_->catalogue().changes_since(left_at_).value())
    probes_.saw(Probe::removal_taken_back,
                change.kind == core::ChangeKind::published && interrupted.contains(change.name));
}

/// The bytes of each file that goes are held, then all records are removed, then the manifest is written, then the
/// files go: the process is killed in one of the next calls.
void Life::interrupt_removals() {
  if (!process_ || !faults_.has(Fault::killed) || process_->kill_after || !chance(removals_, 8)) return;
  process_->kill_after = static_cast<int>(between(removals_, 1, 24));
}

/// Within the call that removes the files: this one and those behind it stay, or some of them go first.
void Life::interrupt_one_removal() {
  if (!process_ || !faults_.has(Fault::killed) || process_->kill_after || !chance(removals_, 12)) return;
  storage_.die_at(static_cast<int>(between(removals_, 1, 4)));
  process_->kill_after = 1;
}

void Life::hear(ports::EventKind kind) {
  if (kind == ports::EventKind::cycle_started) {
    judge_.disk_is_read();
    listed_ = false;
    hindered_ = storage_.full || file_.is_locked();
  }
  if (kind == ports::EventKind::damage_found) {
    observer_.excuse_a_cycle();
    probes_.saw(Probe::rot_found, !judge_.rotten().empty());
    for (const auto& [name, since] : judge_.rotten())
      probes_.saw(Probe::rot_found_after_it_left_the_listing, !truth_.is_listed(name));
  }
  if (kind != ports::EventKind::listed) return;
  listed_ = true;
  judge_.before_listing();
  truth_.commit();
}

/// A process ends by itself only while it starts and cannot write. Its supervisor then starts it again.
bool Life::has_process_ended() {
  const auto& ended = process_->ended();
  if (!ended) return false;
  const auto code = *ended ? base::Errc::io : ended->error().code;
  const bool full = storage_.full && code == base::Errc::no_space;
  const bool locked = file_.is_locked() && code == base::Errc::catalogue_busy;
  const bool starts = process_->daemon().state().state == core::State::starting;
  observer_.expect(starts && (full || locked),
                   "the daemon does not end by itself: " + (*ended ? "no error" : ended->error().message()));
  probes_.saw(Probe::process_ended_by_a_full_disk, full);
  leave();
  on(clock_.world() + 10min, [this] { start(); });
  return true;
}

/// Suspends the machine while the daemon is idle, as a laptop is: until shortly before the wake-up, or beyond it.
/// "Shortly" leaves time for a day's notices to a receiver that refuses some of them, each tried again after a minute.
void Life::doze(base::Time limit) {
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

void Life::start() {
  if (process_ || is_off()) return;
  down_ = false;
  const auto recovers_after = Minutes(between(random_, 1, 120));
  if (std::exchange(full_at_next_start_, false)) {
    observer_.note("--- the disk is full");
    probes_.saw(Probe::full_disk_at_start);
    storage_.full = true;
    file_.fill();
    on(clock_.world() + recovers_after, [this] {
      observer_.note("--- the disk has room again");
      storage_.full = false;
      file_.empty();
    });
  }
  if (std::exchange(locked_at_next_start_, false)) {
    probes_.saw(Probe::catalogue_locked_at_start);
    lock();
    on(clock_.world() + recovers_after / 10, [this] { unlock(); });
  }
  observer_.note("--- a process begins");
  probes_.saw(Probe::restarted_while_asked_to_wait, clock_.now() < observer_.asked_to_wait_until);
  starting_ = true;
  judge_.disk_is_read();
  judge_.disturb();
  const Surroundings around{clock_, dice_, store_, storage_, observer_, observer_, {receiver_}};
  process_ = std::make_unique<Process>(around, std::move(catalogue_), settings_);
  observer_.watch(&process_->daemon());
}

void Life::lock() {
  observer_.note("--- the catalogue is locked");
  observer_.catalogue_is_locked(true);
  file_.lock();
}

void Life::unlock() {
  observer_.note("--- the catalogue's lock is free");
  observer_.catalogue_is_locked(false);
  file_.unlock();
}

/// A file has its public name. Of a first version the texts say nothing yet, and of a later one nothing any more.
void Life::file_appeared(const std::string& name) {
  judge_.file_appeared();
  const bool dies = kill_at_publication_ && process_ && (judge_.is_another_edition(name) || chance(random_, 30));
  if (!dies) return;
  kill_at_publication_ = false;
  process_->kill_after = static_cast<int>(between(random_, 1, 3));
}

void Life::start_later() {
  const auto when = std::min(clock_.world() + Minutes(between(random_, 0, 120)), end_ - 3h);
  // While no process runs, unfinished files may be changed, and public ones may be lost or put back.
  if (swarm_.has(Fault::unfinished_touched) && chance(random_, 50)) touch_unfinished();
  if (swarm_.has(Fault::lost) && chance(random_, 8)) lose_files();
  if (swarm_.has(Fault::put_back) && !judge_.lost().empty() && chance(random_, 30))
    put_back(std::string(judge_.lost().begin()->first));
  plan_visit_without_a_daemon();
  // A link that expired within a call may have taken the world beyond the day's end: the day does not end without a
  // process.
  on(std::min(std::max(when, clock_.world()), end_), [this] {
    start();
    // Killed while it recovers, too.
    if (process_ && faults_.has(Fault::killed) && chance(random_, 40))
      process_->kill_after = static_cast<int>(between(random_, 0, 60));
  });
}

/// The process is asked to end, and does. A death within a call that was planned for it does not come.
void Life::leave() {
  storage_.live_on();
  observer_.watch(nullptr);
  down_ = true;
  judge_.disturb();
  catalogue_ = process_->stop();
  observer_.find_kept(catalogue_.problems().value());
  process_.reset();
  observer_.cycle_has_ended = false;
  judge_.after_step();
}

void Life::stop() {
  if (!process_) return;
  ++restarts_;
  observer_.note("--- it is stopped");
  leave();
  start_later();
}

void Life::kill() {
  ++kills_;
  observer_.note("--- it is killed");
  probes_.saw(Probe::kill_during_a_transfer, is_transferring());
  probes_.saw(Probe::kill_while_a_consumer_asks, process_->is_asked());
  storage_.live_on();
  observer_.watch(nullptr);
  down_ = true;
  catalogue_ = process_->kill();
  if (leaving_.empty()) left_at_ = catalogue_.generation().value();
  for (const auto& file : catalogue_.leaving().value())
    if (storage_.published.contains(file.name)) leaving_.insert(file.name);
  probes_.saw(Probe::kill_between_a_removals_record_and_its_file, !leaving_.empty());
  observer_.find_kept(catalogue_.problems().value());
  process_.reset();
  observer_.cycle_has_ended = false;
  judge_.after_kill();
  lose_instead_of_removed();
  start_later();
}

}  // namespace vtmirror::test
