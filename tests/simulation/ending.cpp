// The end of a life: nothing new goes wrong, and what is broken stays broken. Two days later all that can be here is
// here, and the status names what cannot.
#include "simulation/life.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::test {

using namespace std::chrono_literals;

void Life::settle_for_good(int number) {
  agenda_.clear();
  settling_ = true;
  observer_.note("--- nothing new goes wrong from now on");
  unlock();
  kill_at_publication_ = false;
  storage_.full = full_at_next_start_ = locked_at_next_start_ = false;
  file_.empty();
  storage_.free = std::int64_t{1} << 40;
  clock_.skew = 0ms;
  judge_.clock_was_set();
  link_reader_.stop();
  storage_.live_on();
  observer_.disturb();
  truth_.show_two_bulks(false);
  truth_.show_old_bulk(false);
  truth_.show_nothing(false);
  truth_.show_no_bulk(false);
  for (const auto& name : std::exchange(delisted_, {})) truth_.list_again(name);
  end_ = london(day(number + 1), 7h);
  if (is_off()) come_back();
  start();
  if (swarm_.has(Fault::refused) && refused_.empty() && chance(random_, 50)) refuse_entry(24h * 1000);
  Random own = random_;
  if (swarm_.has(Fault::to_come) && service_.to_come.empty() && chance(own, 50)) list_day_to_come(24h * 1000);
  if (swarm_.has(Fault::fails_for_days) && failing_.empty() && chance(random_, 70))
    fail_file(file_name(core::Kind::delta, number), 24h * 1000);
  if (swarm_.has(Fault::lost) && chance(random_, 50)) lose_files();
  for (int last = number; last < number + 2 && observer_.failure.empty(); ++last) {
    ++days_;
    plan_day(last, false);
    troubled_ = true;
    for (auto& consumer : consumers_) on(end_ - 30min, [this, &consumer] { visit(consumer); });
    run_until(end_);
    check_day(last);
  }
  if (observer_.failure.empty()) check_liveness();
}

void Life::check_liveness() {
  observer_.expect(process_->daemon().state().state != core::State::syncing, "a cycle without new faults ends");
  for (const auto& [name, file] : service_.files) {
    if (file.form != EntryForm::fine || failing_.contains(name)) continue;
    if (judge_.rotten().contains(name) && !judge_.is_found_rotten(name)) continue;
    const auto found = storage_.published.find(name);
    const bool held = found != storage_.published.end() && found->second == numbered_bytes(file.version, 0, file.size);
    observer_.expect(held, "what can be published is published: " + name);
  }
  auto wrong = observer_.problems;
  wrong.erase("channel_failing");  // the receiver is down for two days now and then
  wrong.erase("consumer_behind");  // see `check_consumers`
  std::string says, stays;
  for (const auto& code : wrong) says += " " + code;
  const auto stay = problems_that_stay();
  for (const auto& code : stay) stays += " " + code;
  observer_.expect(says == stays, "exactly what stays wrong is a problem: logged are" + says + "; wrong are" + stays);
  probes_.saw(Probe::liveness_with_a_refused_entry, stay.contains("refused_entry"));
  probes_.saw(Probe::liveness_with_a_day_to_come, !service_.to_come.empty());
  probes_.saw(Probe::liveness_with_a_failing_file, stay.contains("missing_files") || stay.contains("quarantined_file"));
  probes_.saw(Probe::liveness_with_a_lost_file, stay.contains("damaged_file"));
  judge_.at_the_end();
  check_consumers_at_the_end();
  const auto waiting = process_->catalogue().deliveries().value();
  const bool all_came = std::ranges::none_of(
      waiting, [](const catalogue::Delivery& delivery) { return delivery.notice.chain.has_value(); });
  if (all_came) judge_.every_notice_came();
}

std::set<std::string> Life::problems_that_stay() const {
  std::set<std::string> codes;
  const auto is_to_come = [this](const auto& entry) { return !service_.files.contains(entry.first); };
  if (std::ranges::any_of(service_.to_come, is_to_come)) codes.insert("refused_entry");
  const auto todays = service_.files.find(file_name(core::Kind::delta, days_ - 1));
  for (const auto& [name, file] : service_.files) {
    if (file.form != EntryForm::fine) codes.insert("refused_entry");
    const auto failing = failing_.find(name);
    if (file.form != EntryForm::fine || failing == failing_.end()) continue;
    const auto found = storage_.published.find(name);
    if (found != storage_.published.end() && found->second == numbered_bytes(file.version, 0, file.size)) continue;
    const auto* code = failing->second == Breaking::cut ? "missing_files" : "quarantined_file";
    // Of one that was replaced in secret the mirror knows only if the store has answered since.
    const bool is_secret = truth_.find(name)->newest().secret && found != storage_.published.end();
    if (!is_secret || observer_.problems.contains(code)) codes.insert(code);
  }
  if (todays == service_.files.end() || todays->second.form != EntryForm::fine) codes.insert("late_delta");
  const auto known = process_->catalogue().files();
  // Somebody may have put back a file that the mirror had given up.
  const auto is_known = [&known](const std::string& name) {
    return std::ranges::find(*known, name, &core::FileRecord::name) != known->end();
  };
  for (const auto& [name, bytes] : judge_.lost()) {
    const auto listed = service_.files.find(name);
    const bool can_come = listed != service_.files.end() && listed->second.form == EntryForm::fine;
    if (!can_come && is_known(name)) codes.insert("damaged_file");
  }
  for (const auto& [name, since] : judge_.rotten())
    if (judge_.is_found_rotten(name) && !service_.files.contains(name) && is_known(name)) codes.insert("damaged_file");
  return codes;
}

}  // namespace vtmirror::test
