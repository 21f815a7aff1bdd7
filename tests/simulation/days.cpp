// What happens on a day.
#include "simulation/life.hpp"

namespace vtmirror::test {

using namespace std::chrono_literals;

Life::Life(std::uint64_t seed, std::shared_ptr<const core::Zone> zone)
    : random_(seed), visits_(~seed), removals_(seed * 2 + 5), odd_(seed * 2 + 9), catalogue_(file_.take()) {
  settings_.service.base_url = "https://api.example";
  settings_.service.token_url = "https://issuer.example/token";
  settings_.service.client_id = "client";
  settings_.service.client_secret = base::Secret("secret");
  settings_.service.api_key = base::Secret("key");
  settings_.cycle.check = {.zip = true, .digest = true};
  settings_.cycle.policy.keep_cycles = swarm_.keep_cycles;
  settings_.health.zone = std::move(zone);
  settings_.scrub = std::chrono::days(10);
  const std::array lives{Probe::keep_cycles_0, Probe::keep_cycles_1, Probe::keep_cycles_2, Probe::keep_cycles_3};
  probes_.saw(lives[static_cast<std::size_t>(swarm_.keep_cycles)]);
  observer_.heard = [this](ports::EventKind kind) { hear(kind); };
  storage_.appeared = [this](const std::string& name) { file_appeared(name); };
  storage_.holding = [this] { interrupt_removals(); };
  storage_.removing = [this] { interrupt_one_removal(); };
  storage_.died = [this] {
    probes_.saw(Probe::kill_between_two_steps_of_a_call);
    judge_.cut();
    if (process_) process_->kill_after = 0;
  };
  receiver_->chain_changed = [this](const core::ChainNews& news) { judge_.chain_announced(news); };
  let_service_fail();
  add_consumers();
  start();
}

void Life::live(int days) {
  for (int number = 0; number < days && observer_.failure.empty(); ++number) live_day(number);
  if (observer_.failure.empty()) settle_for_good(days);
}

void Life::live_day(int number) {
  ++days_;
  plan_day(number, true);
  run_until(end_);
  check_day(number);
}

/// An instant of today, between `from` and `to` minutes after seven o'clock.
base::Time Life::at(Minutes from, Minutes to) { return begin_ + time_between(random_, from, to); }

void Life::plan_day(int number, bool with_faults) {
  begin_ = london(day(number), 7h);
  end_ = london(day(number + 1), 7h);
  faults_ = with_faults ? roll_faults(swarm_, random_, truth_.rolls_over(number)) : DayFaults();
  // A mirror that was wiped at night still asks for yesterday's delta.
  const bool waits = process_ && process_->daemon().state().state == core::State::waiting;
  ran_at_dawn_ = process_ && process_->daemon().state().state == core::State::syncing;
  troubled_ = !refused_.empty() || !failing_.empty() || !judge_.lost().empty() || !judge_.rotten().empty() ||
              truth_.shows_two_bulks() || truth_.shows_old_bulk() || !process_ || ran_at_dawn_ || waits ||
              begin_ < looked_at_ || !delisted_.empty() ||
              // No listing could be used yesterday: only today's says that yesterday's delta is late.
              observer_.problems.contains("empty_listing");
  // If the machine slept, it could not notice a clock that is set and set back within a minute.
  awake_ = faults_.has(Fault::clock_set) || chance(random_, 1);
  if (process_) process_->kill_after.reset();
  storage_.live_on();
  service_.requests.clear();
  listings_ = tokens_ = 0;
  observer_.begin_day();
  store_.for_hundred_bytes = 0ms;
  if (faults_.has(Fault::slow)) store_.for_hundred_bytes = Minutes(between(random_, 3, chance(random_, 10) ? 60 : 20));
  // Beyond the roll-over of the next morning.
  if (faults_.has(Fault::slow) && truth_.rolls_over(number + 1))
    store_.for_hundred_bytes = time_between<Minutes>(random_, 12h, 30h);
  plan_files(number);
  plan_entries();
  plan_losses();
  plan_machine();
  plan_visits();
  plan_link_reader();
  plan_deaths_within_calls();
  plan_seasons(number);
}

/// What the service makes today, and when it lists it.
void Life::plan_files(int number) {
  late_by_ = faults_.has(Fault::late) ? time_between<Minutes>(random_, 1min, 15h) : 0min;
  if (faults_.has(Fault::late_by_days)) late_by_ = time_between<Minutes>(random_, 17h, std::chrono::days(4));
  on(begin_ + 30min, [this, number] {
    if (truth_.rolls_over(number) && number > 0) look_at_rollover(number);
    truth_.begin(number);
    service_changed("a day begins");
  });
  if (!faults_.has(Fault::absent)) {
    on(begin_ + 59min, [this, number] { truth_.make_delta(number); });
    on(begin_ + 59min + late_by_, [this, number, begun = begin_] {
      troubled_ = troubled_ || begun != begin_;  // it may come after the day's cycle
      truth_.list_delta(number);
      service_changed("the delta is listed");
    });
  }
  if (faults_.has(Fault::republished)) {
    on(at(31min, 20h), [this] { replace_file(false, chance(random_, 30) ? truth_.bulk_with_a_mistake() : ""); });
  }
  if (faults_.has(Fault::republished_in_secret)) on(at(70min, 20h), [this] { replace_file(true); });
}

/// How the listing shows it.
void Life::plan_entries() {
  const auto for_a_while = [this](const char* what, base::Time from, Minutes longest, void (TrueService::*show)(bool)) {
    on(from, [this, what, show] {
      (truth_.*show)(true);
      service_changed(what);
    });
    on(from + time_between<Minutes>(random_, 10min, longest), [this, show] {
      (truth_.*show)(false);
      service_changed("and is over");
    });
  };
  if (faults_.has(Fault::two_bulks)) for_a_while("two bulk files", at(31min, 3h), 36h, &TrueService::show_two_bulks);
  if (faults_.has(Fault::old_bulk)) for_a_while("the old bulk file", at(31min, 3h), 12h, &TrueService::show_old_bulk);
  if (faults_.has(Fault::empty_listing)) {
    const auto show = chance(random_, 50) ? &TrueService::show_nothing : &TrueService::show_no_bulk;
    for_a_while("an empty listing", at(0min, 2h), 10h, show);
  }
  if (faults_.has(Fault::refused)) {
    const Minutes longest = chance(random_, 50) ? 20h : std::chrono::days(9);
    const auto duration = time_between<Minutes>(random_, 30min, longest);
    on(at(31min, 8h), [this, duration] { refuse_entry(duration); });
  }
  if (faults_.has(Fault::to_come)) {
    Random own = random_;
    const auto duration = time_between<Minutes>(own, 30min, std::chrono::days(9));
    on(begin_ + time_between<Minutes>(own, 0min, 8h), [this, duration] { list_day_to_come(duration); });
  }
  if (faults_.has(Fault::fails_for_days)) {
    const auto duration = time_between<Minutes>(random_, 12h, std::chrono::days(4));
    on(at(0min, 60min), [this, duration] {
      const auto name = chance(random_, 50) ? file_name(core::Kind::delta, days_ - 1) : truth_.some_listed();
      if (!name.empty()) fail_file(name, duration);
    });
  }
}

void Life::plan_losses() {
  if (faults_.has(Fault::lost)) on(at(0min, 23h), [this] { lose_files(); });
  if (faults_.has(Fault::rotten)) on(at(0min, 23h), [this] { rot_file(); });
  if (!faults_.has(Fault::put_back)) return;
  on(at(0min, 23h), [this] {
    if (judge_.lost().empty()) return;
    auto chosen = judge_.lost().begin();
    std::advance(chosen, between(random_, 0, std::ssize(judge_.lost()) - 1));
    put_back(chosen->first);
  });
}

void Life::plan_machine() {
  plan_full_disk();
  plan_lock();
  plan_settings();
  if (faults_.has(Fault::catalogue_lost)) on(at(0min, 16h), [this] { lose_catalogue(4); });
  if (faults_.has(Fault::state_wiped)) {
    // Half of them about the time of the day's transfers.
    const bool is_early = chance(random_, 50);
    if (is_early && swarm_.has(Fault::slow)) store_.for_hundred_bytes = 20min;
    const auto seconds = time_between<std::chrono::seconds>(random_, 0s, 15min);
    const auto late = at(0min, 20h);
    on(is_early ? begin_ + 55min + seconds : late, [this] { wipe_state(); });
  }
  if (faults_.has(Fault::clock_set)) {
    const auto set = [this](base::Milliseconds skew) {
      clock_.skew = skew;
      ++clock_changes_;
      judge_.clock_was_set();
      link_reader_.stop();
      observer_.note("--- the clock was set");
      observer_.disturb();
    };
    const auto first = at(0min, 10h);
    const auto drawn = time_between<Minutes>(random_, -11h, 11h);
    // A fifth of them is wrong by months: a battery that was empty.
    const bool is_far = std::chrono::abs(drawn) > 9h;
    on(first, [=, skew = is_far ? drawn * 330 : drawn] { set(skew); });
    on(std::max(first, at(0min, 22h)), [=] { set(0ms); });
  }
  if (faults_.has(Fault::killed)) {
    if (chance(random_, 40)) {
      kill_at_publication_ = true;
    } else {
      // Drawn one after the other, since compilers evaluate arguments in different orders.
      const auto begin = at(0min, 3h);
      on(begin, [this, calls = static_cast<int>(between(random_, 0, 70))] {
        if (process_) process_->kill_after = calls;
      });
    }
    on(kills_end(), [this] {
      kill_at_publication_ = false;
      if (process_) process_->kill_after.reset();
    });
  }
  if (faults_.has(Fault::restarted)) on(at(0min, 18h), [this] { stop(); });
  oversleep_ = faults_.has(Fault::overslept) ? time_between<Minutes>(random_, 1min, 5h) : 0min;
}

void Life::plan_full_disk() {
  if (faults_.has(Fault::disk_full)) {
    on(at(0min, 6h), [this] { storage_.free = between(random_, 0, 3000); });
    on(at(6h, 22h), [this] { storage_.free = std::int64_t{1} << 40; });
  }
  if (!faults_.has(Fault::full_at_start)) return;
  on(at(0min, 6h), [this] {
    full_at_next_start_ = true;
    stop();
  });
}

/// Wrong settings are reloaded, and corrected hours later.
void Life::plan_settings() {
  if (!faults_.has(Fault::settings_refused)) return;
  const auto from = at(0min, 10h);
  const auto until = from + time_between<Minutes>(random_, 1min, 11h);
  on(from, [this] {
    if (!process_) return;
    observer_.note("--- wrong settings are reloaded");
    probes_.saw(Probe::settings_refused);
    process_->daemon().refuse({.code = base::Errc::config, .subject = "/etc/v.toml", .detail = "line 3: no time"});
  });
  on(until, [this] {
    if (!process_) return;
    observer_.note("--- right settings are reloaded");
    probes_.saw(Probe::settings_corrected, observer_.problems.contains("settings_refused"));
    // They may be what the last cycle failed of.
    const auto cycles = process_->catalogue().history(1).value();
    if (!cycles.empty() && cycles.front().outcome != core::Outcome::complete) observer_.excuse_a_cycle();
    process_->daemon().use(settings_);
  });
  // The machine is not suspended before they are in use: a file that is read must make way for them, and so must a wait
  // for a catalogue that was locked.
  on(until + 5min, [] {});
}

void Life::plan_lock() {
  if (faults_.has(Fault::catalogue_locked_at_start)) {
    on(at(0min, 6h), [this] {
      locked_at_next_start_ = true;
      stop();
    });
  }
  if (!faults_.has(Fault::catalogue_locked)) return;
  const auto from = begin_ + 55min + time_between<std::chrono::seconds>(random_, 0s, 15min);
  const auto duration = chance(random_, 50) ? time_between<std::chrono::seconds>(random_, 1s, 60s)
                                            : time_between<std::chrono::seconds>(random_, 60s, 20min);
  on(from, [this] {
    lock();
    hindered_ = true;
    judge_.disturb();
    probes_.saw(Probe::catalogue_locked_during_a_transfer, is_transferring());
  });
  on(from + duration, [this] {
    const bool runs = process_ && process_->daemon().state().state == core::State::syncing;
    probes_.saw(Probe::catalogue_locked_during_a_cycle, runs);
    probes_.saw(Probe::catalogue_locked_during_a_transfer, is_transferring());
    judge_.disturb();
    unlock();
  });
}

}  // namespace vtmirror::test
