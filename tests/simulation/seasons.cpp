// What seasons bring to a life.
#include "simulation/life.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::test {

using namespace std::chrono_literals;

void Life::plan_seasons(int number) {
  if (settling_) return;
  if (seasons_.moves_bulk && chance(odd_, 4)) {
    truth_.move_next_bulk(number, static_cast<int>(between(odd_, -4, 6)));
    observer_.note("--- the next bulk file comes on " + base::iso8601(day(truth_.next_bulk())));
  }
  if (seasons_.removes_deltas && chance(odd_, 6))
    on(begin_ + time_between<Minutes>(odd_, 60min, 20h), [this] { remove_delta(); });
  if (number != seasons_.off_from) return;
  const auto from = begin_ + time_between<Minutes>(odd_, 0min, 20h);
  // Back in time for a cycle on the same day.
  const auto until = london(day(number + seasons_.off_for), 7h) + time_between<Minutes>(odd_, 0min, 14h);
  on(from, [this, until] { go_off(until); });
}

/// Half of the times without an orderly end.
void Life::go_off(base::Time until) {
  observer_.note("--- the service is off until " + base::iso8601(until));
  probes_.saw(Probe::service_off_for_weeks);
  off_until_ = until;
  for (auto& consumer : consumers_) consumer.cycles_run_from(base::Time::max());
  if (process_ && chance(odd_, 50))
    kill();
  else if (process_)
    leave();
  on(until, [this] { come_back(); });
}

void Life::come_back() {
  off_until_ = {};
  back_at_ = clock_.world();
  for (auto& consumer : consumers_) consumer.cycles_run_from(back_at_);
  looked_at_ = std::max(looked_at_, back_at_ + 48h);
  observer_.note("--- the service is on again");
  observer_.disturb();
  judge_.was_off();
  start();
}

void Life::remove_delta() {
  const auto name = truth_.remove_delta();
  if (name.empty()) return;
  observer_.note("--- " + name + " leaves the listing in its week");
  probes_.saw(Probe::delta_left_in_its_week);
  probes_.saw(Probe::delta_left_before_it_came, !storage_.published.contains(name));
  delisted_.insert(name);
  troubled_ = true;
  service_changed("a delta leaves it");
  if (chance(odd_, 60))
    on(clock_.world() + time_between<Minutes>(odd_, 10min, 60h), [this, name] { list_again(name); });
}

void Life::list_again(const std::string& name) {
  if (delisted_.erase(name) == 0 || !truth_.list_again(name)) return;
  troubled_ = true;
  probes_.saw(Probe::delta_listed_again);
  service_changed("a delta is back");
}

/// As `vtmirror changes` answers, which needs a daemon that has started.
void Life::follow_changes() {
  if (starting_ || !chance(odd_, 60)) return;
  auto& catalogue = process_->catalogue();
  const auto changes = catalogue.changes_since(by_changes_.generation());
  const auto edition = catalogue.edition_now();
  if (!changes || !edition || !storage_.manifest) return;
  by_changes_.follow({edition->session, edition->generation, *changes});
  if (by_changes_.has_loaded_all()) judge_.check_by_changes(by_changes_.table());
}

}  // namespace vtmirror::test
