// Consumers come and go: when they ask, what they do with the answers, how long they stay away, and where they are
// killed. What they draw is a stream of its own.
#include "simulation/life.hpp"
#include "simulation/lone_desk.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace vtmirror::test {

using namespace std::chrono_literals;

namespace {

constexpr int answers_a_visit = 4;
/// By how much a clock that was set is wrong, unless it is wrong by months.
constexpr base::Milliseconds clock_slack = 47h;

}  // namespace

/// One comes on most days, the other one stays away for weeks.
void Life::add_consumers() {
  auto& rules = settings_.cycle.consumers;
  rules.strict = chance(visits_, 25);
  if (chance(visits_, 25)) rules.reload_every = std::chrono::days(between(visits_, 5, 40));
  rules.lease = std::chrono::days(between(visits_, 2, 9));
  rules.forget = std::chrono::days(between(visits_, 12, 90));
  settings_.health.consumers = rules;
  // While one is behind, the daemon reads where each is once a minute: in most lives that is seldom.
  const std::uint64_t leaves = chance(visits_, 40) ? 15 : 3;
  // What is asked while the clock is months behind counts from the newest question or cycle before, or from the last
  // time that it was right.
  const base::Milliseconds slack = swarm_.has(Fault::clock_set) ? clock_slack : 1min;
  const std::array all{
      DeskConsumer::Habits{.name = "warehouse", .shows_up = 80, .leaves = 2, .loads_slowly = 8},
      DeskConsumer::Habits{
          .name = "depot", .shows_up = 60, .leaves = leaves, .loads_slowly = 25, .acknowledges_first = true}};
  for (const auto& habits : all) consumers_.emplace_back(habits, observer_, probes_, rules, slack);
}

void Life::plan_visits() {
  for (auto& consumer : consumers_) {
    if (!settling_ && chance(visits_, 3))
      on(begin_ + time_between<Minutes>(visits_, 0min, 23h), [this, &consumer] { remove_names(consumer); });
    if (!chance(visits_, consumer.habits().shows_up)) continue;
    for (auto visits = chance(visits_, 25) ? 2 : 1; visits > 0; --visits)
      on(begin_ + time_between<Minutes>(visits_, 0min, 23h), [this, &consumer] {
        if (clock_.world() >= consumer.away_until) visit(consumer);
      });
  }
}

/// An administrator tidies up what looks left over: all of it, or one file.
void Life::remove_names(DeskConsumer& consumer) {
  const auto found = storage_.lent.find(consumer.name());
  if (consumer.waits_for_an_answer() || found == storage_.lent.end() || found->second.empty()) return;
  observer_.note("--- somebody removes what is lent to " + consumer.name());
  if (chance(visits_, 50))
    found->second.clear();
  else
    found->second.erase(found->second.begin());
  consumer.lost_names();
}

void Life::plan_visit_without_a_daemon() {
  if (settling_ || !chance(visits_, 25)) return;
  auto& consumer = chance(visits_, 50) ? consumers_.front() : consumers_.back();
  on(clock_.world() + 20s, [this, &consumer] {
    if (clock_.world() >= consumer.away_until) visit(consumer);
  });
}

/// A process that is killed dies between two calls, or within one that has several steps.
void Life::plan_deaths_within_calls() {
  if (!faults_.has(Fault::killed) || !chance(visits_, 30)) return;
  on(begin_ + time_between<Minutes>(visits_, 0min, 4h), [this, step = static_cast<int>(between(visits_, 1, 25))] {
    if (process_) storage_.die_after_step(step);
  });
  on(kills_end(), [this] { storage_.live_on(); });
}

void Life::visit(DeskConsumer& consumer) {
  ++consumer.visit;
  observer_.note("--- the consumer " + consumer.name() + " comes");
  if (settling_) {
    consumer.away_until = {};
  } else if (chance(visits_, consumer.habits().leaves)) {
    consumer.away_until = clock_.world() + 24h * between(visits_, 3, chance(visits_, 10) ? 100 : 30);
  }
  if (process_ && faults_.has(Fault::killed) && !process_->kill_after && chance(visits_, 15)) {
    const auto steps = static_cast<int>(between(visits_, 0, 7));
    if (chance(visits_, 70))
      process_->kill_after = steps;
    else
      storage_.die_after_step(steps + 1);
  }
  if (consumer.habits().acknowledges_first && !consumer.open_ticket().empty())
    acknowledge(consumer, consumer.open_ticket(), answers_a_visit);
  else
    ask_next(consumer, answers_a_visit);
}

/// Without a daemon, the command answers by itself.
template <class Value>
void Life::ask(const Question<Value>& question, std::function<void(base::Result<Value>)> answered) {
  if (process_) return process_->ask<Value>(question, std::move(answered));
  probes_.saw(Probe::consumer_answered_without_a_daemon);
  storage_.live_on();
  const Surroundings around{clock_, dice_, store_, storage_, observer_, observer_};
  answered(LoneDesk(around, catalogue_, settings_.cycle.consumers).ask<Value>(question));
}

void Life::ask_next(DeskConsumer& consumer, int rounds) {
  const bool starts = process_ && process_->daemon().state().state == core::State::starting;
  probes_.saw(Probe::consumer_got_no_answer, starts);
  if (rounds == 0 || starts) return;
  consumer.asks();
  const Question<agent::NextFiles> next = [name = consumer.name()](agent::ConsumerDesk& desk) {
    return desk.next(name);
  };
  ask<agent::NextFiles>(next, [this, &consumer, rounds, visit = consumer.visit](base::Result<agent::NextFiles> answer) {
    if (visit != consumer.visit) return;
    probes_.saw(Probe::consumer_got_no_answer, !answer);
    if (answer) use_answer(consumer, std::move(*answer), rounds);
  });
}

void Life::use_answer(DeskConsumer& consumer, agent::NextFiles answer, int rounds) {
  const auto& offer = answer.offer;
  const auto is_rotten = [this](const core::Held& file) { return judge_.may_be_read_rotten(file.name); };
  consumer.answered(answer, lent_to(consumer), std::ranges::any_of(offer.files, is_rotten));
  observer_.note("--- " + consumer.name() + ": " + std::string(core::name(offer.action)) + ' ' + answer.ticket + " (" +
                 std::string(core::name(offer.why.reason)) + ' ' + offer.why.file + ") " +
                 std::to_string(offer.files.size()) + " files");
  if (offer.action == core::LoadAction::none) judge_.check_consumer(consumer.table());
  if (offer.files.empty() || consumer_dies(Probe::consumer_killed_before_its_load)) return;
  if (consumer.has_loaded(answer.ticket)) return acknowledge(consumer, answer.ticket, rounds);
  if (settling_ || !chance(visits_, consumer.habits().loads_slowly)) return load_files(consumer, answer, rounds);
  const auto pause = chance(visits_, 60) ? time_between<std::chrono::hours>(visits_, 1h, 20h)
                                         : time_between<std::chrono::hours>(visits_, 20h, std::chrono::days(12));
  consumer.away_until = clock_.world() + pause;
  on(consumer.away_until, [this, &consumer, answer, visit = consumer.visit] {
    if (visit == consumer.visit) load_files(consumer, answer, answers_a_visit);
  });
}

void Life::load_files(DeskConsumer& consumer, const agent::NextFiles& answer, int rounds) {
  const bool loaded = consumer.load(answer, lent_to(consumer), truth_);
  probes_.saw(Probe::consumer_too_late_to_load, !loaded);
  observer_.note("--- " + consumer.name() + (loaded ? " has loaded " : " cannot load ") + answer.ticket);
  if (!loaded) return;
  if (!consumer_dies(Probe::consumer_killed_before_its_acknowledgement))
    return acknowledge(consumer, answer.ticket, rounds);
  // Some consumers start again only after the lease, when the answer may no longer be valid.
  if (chance(visits_, 15))
    consumer.away_until = clock_.world() + settings_.cycle.consumers.lease + 24h * between(visits_, 1, 4);
}

void Life::acknowledge(DeskConsumer& consumer, std::string ticket, int rounds) {
  consumer.sends_word(ticket);
  // Some processes die between its acknowledgement and their answer.
  if (process_ && faults_.has(Fault::killed) && !process_->kill_after && chance(visits_, 6))
    process_->kill_after = static_cast<int>(between(visits_, 0, 3));
  const Question<core::Acknowledgement> word = [name = consumer.name(), ticket](agent::ConsumerDesk& desk) {
    return desk.acknowledge(name, ticket);
  };
  ask<core::Acknowledgement>(
      word, [this, &consumer, rounds, ticket, visit = consumer.visit](base::Result<core::Acknowledgement> outcome) {
        if (visit != consumer.visit) return;
        probes_.saw(Probe::consumer_got_no_answer, !outcome);
        if (!outcome) return;
        consumer.acknowledged(ticket, *outcome);
        ask_next(consumer, rounds - 1);
      });
}

bool Life::consumer_dies(Probe where) {
  const bool dies = !settling_ && chance(visits_, 7);
  probes_.saw(where, dies);
  return dies;
}

void Life::plan_link_reader() {
  if (link_reader_.is_reading() || !chance(visits_, 50)) return;
  on(begin_ + time_between<Minutes>(visits_, 0min, 22h), [this] {
    if (judge_.is_cut()) return;
    link_reader_.begin();
    const auto files = static_cast<std::int64_t>(link_reader_.files_left());
    for (std::int64_t n = 1; n <= files; ++n)
      on(clock_.world() + Minutes(n * between(visits_, 0, (24 * 60 - 1) / files)), [this] { read_next_link(); });
  });
}

void Life::read_next_link() {
  if (chance(visits_, 2)) link_reader_.stop();
  link_reader_.read_one([this](const std::string& name) { return judge_.is_spoiled(name); });
  // A process that was killed may have kept a listing of which it could not write the manifest any more.
  if (link_reader_.has_loaded_all() && !down_) judge_.check_reader(link_reader_.loader());
}

const DeskConsumer::Files& Life::lent_to(const DeskConsumer& consumer) const {
  static const DeskConsumer::Files none;
  const auto found = storage_.lent.find(consumer.name());
  return found == storage_.lent.end() ? none : found->second;
}

void Life::forget_consumers() {
  for (auto& consumer : consumers_) consumer.was_forgotten();
}

/// A consumer that had everything less than the lease ago is not behind; one that has lacked something for longer is.
/// Only a cycle is certain to judge that, since the machine may be suspended at other times.
void Life::check_consumers() {
  const bool logged = observer_.problems.contains("consumer_behind");
  probes_.saw(Probe::consumer_is_behind, logged);
  for (auto& consumer : consumers_) {
    consumer.check_lent(&lent_to(consumer));
    if (storage_.manifest) consumer.compare_with(*storage_.manifest);
  }
  const auto keeps_up = [this](const DeskConsumer& consumer) { return consumer.keeps_up(cycle_ended_at_); };
  if (std::ranges::all_of(consumers_, keeps_up)) observer_.expect(!logged, "a consumer that keeps up is not behind");
  const auto state = process_->daemon().state().state;
  const bool is_judged = state == core::State::idle || state == core::State::waiting;
  for (const auto& consumer : consumers_)
    observer_.expect(logged || !is_judged || !consumer.is_behind(),
                     "a consumer that lacks files for the lease is behind: " + consumer.name());
}

/// If the mirror is complete and undamaged, the consumers have nothing left to load.
void Life::check_consumers_at_the_end() {
  if (!storage_.manifest || !storage_.manifest->chain.complete || !judge_.rotten().empty()) return;
  for (const auto& consumer : consumers_)
    observer_.expect(consumer.is_answer_damaged(lent_to(consumer)) ||
                         (consumer.up_to_date_at() && clock_.world() - *consumer.up_to_date_at() <= 30min),
                     "nothing is left to load for a consumer: " + consumer.name());
}

}  // namespace vtmirror::test
