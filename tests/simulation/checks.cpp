// What must be true after each day, according to the process and to the notices that the receiver got.
#include "simulation/life.hpp"

#include <algorithm>

namespace vtmirror::test {

using namespace std::chrono_literals;

void Life::check_day(int number) {
  if (!observer_.failure.empty()) return;
  most_listings_ = std::max(most_listings_, listings_);
  most_tokens_ = std::max(most_tokens_, tokens_);
  most_requests_ = std::max(most_requests_, service_.requests.size());
  if (is_off()) return;
  observer_.expect(process_ != nullptr, "the simulation starts what it ended");
  if (process_ == nullptr) return;
  const bool runs = process_->daemon().state().state == core::State::syncing;
  // A cycle that began before today may have downloaded what today's listing added.
  observer_.expect(observer_.cycles_today >= 1 || runs || ran_at_dawn_, "every day has its cycle");
  // While something fails all day, the list is asked for every ten minutes. A clock that is set back lengthens the time
  // in which the daemon asks for today's delta.
  const int bound = faults_.has(Fault::clock_set) ? 200 : 150;
  observer_.expect(listings_ <= bound, "no storm of listings: " + std::to_string(listings_));
  observer_.expect(tokens_ <= bound, "no storm of tokens: " + std::to_string(tokens_));
  std::set<std::string> codes;
  for (const auto& problem : process_->daemon().state().problems) codes.insert(std::string(name(problem.code)));
  observer_.expect(codes == observer_.problems, "what was logged is what is wrong");

  for (const auto& [name, file] : service_.files) {
    const auto found = storage_.published.find(name);
    const bool held = found != storage_.published.end() && found->second == numbered_bytes(file.version, 0, file.size);
    probes_.saw(Probe::replaced_in_secret_and_found, held && truth_.edition(name, file.version)->secret);
  }

  check_notifications();
  check_quarantine();
  check_consumers();
  follow_changes();
  if (!runs && !hindered_ && faults_.drawn.empty()) check_announced();
  const bool starts = process_->daemon().state().state == core::State::starting;
  observer_.expect(starts || !observer_.problems.contains("settings_refused"), "corrected settings are no problem");
  // Day 0 begins before the service has listed anything.
  const bool is_quiet =
      !troubled_ && !faults_.any_but_of_the_delta() && !runs && !a_check_was_deadly() && service_.to_come.empty();
  if (number > 0 && is_quiet) check_quiet_day(number);
}

/// Each with the time since which it waits. By a clock that is wrong by months its own time says nothing.
std::vector<std::pair<base::Time, catalogue::Delivery>> Life::waiting_deliveries() {
  std::map<std::pair<base::Time, std::string>, base::Time> seen;
  std::vector<std::pair<base::Time, catalogue::Delivery>> waiting;
  for (auto& delivery : process_->catalogue().deliveries().value()) {
    const std::pair key(delivery.notice.at, delivery.notice.message);
    const auto known = deliveries_seen_.find(key);
    const auto first = swarm_.has(Fault::clock_set) ? clock_.world() : delivery.notice.at;
    const auto since = known == deliveries_seen_.end() ? first : known->second;
    seen.emplace(key, since);
    waiting.emplace_back(since, std::move(delivery));
  }
  deliveries_seen_ = std::move(seen);
  return waiting;
}

/// Each publication was sent or is still queued, none is lost, and they were sent in order.
void Life::check_notifications() {
  const auto& logged = receiver_->generations;
  const auto last_announced = logged.empty() ? 0 : logged.back();
  for (auto n = std::max<std::size_t>(announced_by_then_, 1); n < logged.size(); ++n)
    observer_.expect(logged[n - 1] < logged[n], "publications are logged in their order");
  std::vector<std::int64_t> since;
  const auto from = announced_by_then_ == 0 ? 0 : logged[announced_by_then_ - 1];
  const auto changes = process_->catalogue().changes_since(from).value();
  // A rebuilt catalogue knows nothing of what came before it, and has none of its notices.
  if (!changes.empty() && changes.front().kind == core::ChangeKind::reset) {
    announced_by_then_ = logged.size();
    return;
  }
  // If nothing was sent before, the changes begin with the files of the rebuild, all of one generation.
  const auto rebuilt = from == 0 && is_rebuilt_ && !changes.empty() ? changes.front().generation : 0;
  for (const auto& change : changes)
    if (change.kind == core::ChangeKind::published && change.generation > rebuilt) since.push_back(change.generation);
  std::vector<std::int64_t> known(logged.begin() + static_cast<std::ptrdiff_t>(announced_by_then_), logged.end());
  for (const auto& [waits_since, delivery] : waiting_deliveries()) {
    observer_.expect(clock_.world() - std::max(waits_since, back_at_) < 24h * 6,
                     "a notice is logged within days after its receiver is back");
    for (const auto& field : delivery.notice.fields)
      if (field.key == "generation" && std::get<std::int64_t>(field.value) > last_announced)
        known.push_back(std::get<std::int64_t>(field.value));
  }
  observer_.expect(known == since, "no publication is lost on its way to the receiver");
  announced_by_then_ = logged.size();
}

/// A quarantined file that left the listing is removed when its time is over. The mirror notices that it left with the
/// next usable listing.
void Life::check_quarantine() {
  constexpr auto slack = 24h * 5;
  std::erase_if(left_, [this](const auto& each) {
    const bool gone = !storage_.quarantined.contains(each.first);
    probes_.saw(Probe::quarantine_expired, gone && !storage_.published.contains(each.first) &&
                                               clock_.world() - each.second >= settings_.cycle.policy.quarantine - 24h);
    return gone || truth_.is_listed(each.first);
  });
  for (const auto& [name, reason] : storage_.quarantined)
    if (!truth_.is_listed(name)) left_.emplace(name, clock_.world());
  for (const auto& [name, since] : left_)
    observer_.expect(clock_.world() - std::max(since, back_at_) < settings_.cycle.policy.quarantine + slack,
                     "a quarantined file goes some days after it left the listing: " + name);
}

/// After a day without faults, the chain that was announced last is that of the manifest.
void Life::check_announced() {
  std::optional<core::ChainNews> newest;
  for (const auto& delivery : process_->catalogue().deliveries().value())
    if (delivery.notice.chain) newest = delivery.notice.chain;
  if (!newest || !storage_.manifest || newest->session != storage_.manifest->edition.session) return;
  const auto& chain = storage_.manifest->chain;
  observer_.expect(newest->complete == chain.complete && newest->through == chain.through,
                   "the chain that waits to be announced is the manifest's");
}

/// A file in whose checks the process died three times has its next try a day later.
bool Life::a_check_was_deadly() const {
  const auto quarantined = process_->catalogue().quarantined().value();
  return std::ranges::any_of(quarantined, [](const auto& file) { return core::is_deadly(file.cause); });
}

/// Checks a day on which nothing was wrong, except that the delta may have been late.
void Life::check_quiet_day(int number) {
  ++quiet_days_;
  const bool given_up = faults_.has(Fault::absent) || late_by_ > 6h + 5min;
  const bool in_time = !faults_.has(Fault::absent) && late_by_ < 5h + 45min;
  const bool goes_on = observer_.problems_at_dawn.contains("late_delta") && observer_.over_today["late_delta"] == 0;
  if (given_up || in_time) {
    observer_.expect(observer_.begun_today["late_delta"] == (given_up && !goes_on ? 1 : 0),
                     "a delta that does not come is a problem, logged once");
    observer_.expect(!goes_on || given_up, "a delta that is listed ends the problem");
  }
  if (in_time) {
    auto wrong = observer_.problems;
    wrong.erase("channel_failing");  // the receiver is down for two days now and then
    wrong.erase("consumer_behind");  // see `check_consumers`
    observer_.expect(wrong.empty(), "after a quiet day nothing is wrong");
    observer_.expect(etags_are_known(clock_.now() - 24h), "after a quiet day the ETag of every listed file is known");
    observer_.expect(storage_.published.contains(file_name(core::Kind::delta, number)), "today's delta is held");
  }
  if (!faults_.of_the_delta()) {
    observer_.expect(observer_.cycles_today == 1, "a quiet day has one cycle");
    observer_.expect(tokens_ == 1 && listings_ <= 2, "a quiet day has one token, and one listing or a second for it");
  }
  for (const auto& [name, file] : service_.files) {
    if (!in_time && file.date == base::iso8601(day(number)) && file.kind == core::Kind::delta) continue;
    const auto found = storage_.published.find(name);
    const bool held = found != storage_.published.end() && found->second == numbered_bytes(file.version, 0, file.size);
    if (!held && found != storage_.published.end())
      observer_.note("held of " + name + ": version " + std::to_string(found->second.front()) + ", " +
                     std::to_string(found->second.size()) + " bytes; listed: version " + std::to_string(file.version) +
                     ", " + std::to_string(file.size) + " bytes");
    observer_.expect(held, "after a quiet day the mirror is complete: " + name);
  }
}

std::string Life::logged() const {
  const auto count = [](auto number, const char* what) { return std::to_string(number) + " " + what; };
  return count(observer_.cycles, "cycles, ") + count(quiet_days_, "quiet days, ") + count(kills_, "kills, ") +
         count(restarts_, "restarts, ") + count(clock_changes_, "changes of the clock, ") +
         count(observer_.problems_reported, "problems, ") + count(observer_.wakes_announced, "wake-ups announced, ") +
         count(receiver_->generations.size(), "publications logged, ") +
         count(receiver_->repeated, "of all notices twice, ") +
         count(observer_.expectations, "expectations; at most ") + count(most_listings_, "listings, ") +
         count(most_tokens_, "tokens and ") + count(most_requests_, "requests to the store a day");
}

}  // namespace vtmirror::test
