#include "vtmirror/agent/health.hpp"

#include "agent/consumer_upkeep.hpp"
#include "agent/last_cycle.hpp"
#include "agent/off_loop.hpp"
#include "agent/problem_reports.hpp"
#include "agent/pruning.hpp"
#include "agent/secret_problems.hpp"
#include "agent/secret_watch.hpp"
#include "vtmirror/report/days.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// How often channels and consumers are checked between cycles; while one lags behind, they are checked at each
/// judgement.
constexpr base::Milliseconds between_looks = std::chrono::hours(1);
/// The failures of the day are counted in this many cycles, newest first.
constexpr int enough_for_a_day = 50;

/// The catalogue's record of past cycles, so that a new process knows what the previous one knew.
struct Past {
  std::optional<core::LastCycle> last;  ///< also empty if a cycle that was cut off or stopped must be continued
  core::HealthFacts facts;              ///< without `catalogue_rebuilt`
  std::vector<core::Problem> problems;  ///< as they were reported
};

/// The end of the last cycle that ended by itself counts; cycles that were cut off since are counted.
void add_end(core::HealthFacts& facts, const std::vector<core::CycleRecord>& cycles) {
  for (const auto& cycle : cycles) {
    if (was_stopped(cycle)) continue;
    if (!cycle.finished) {
      ++facts.cuts;
      continue;
    }
    facts.end = {is_complete(cycle), cycle.outcome == core::Outcome::partial, cycle.failure};
    return;
  }
}

/// What readings of held files have found. `facts` has what is listed: a file that can be downloaded again has a remedy
/// of its own.
base::Result<void> add_damages(core::FileFacts& facts, const catalogue::Files& catalogue) {
  auto damages = catalogue.damages();
  if (!damages) return damages.error();
  for (auto& damage : *damages) {
    damage.cause.subject = damage.name;
    const bool listed = std::ranges::find(facts.listed, damage.name, &core::Listed::name) != facts.listed.end();
    if (listed) damage.cause.fields.push_back({"listed", std::int64_t{1}});
    facts.damaged.push_back({core::FailureKind::lost, std::move(damage.cause)});
  }
  return {};
}

base::Result<core::FileFacts> read_files(const catalogue::Catalogue& c) {
  core::FileFacts facts;
  auto listing = c.last_listing();
  if (!listing) return listing.error();
  if (*listing) {
    facts.listed_at = (*listing)->at;
    facts.listed = core::listed_files((*listing)->calendar);
    facts.refused = core::refused_in((*listing)->calendar);
  }
  const auto files = c.files();
  if (!files) return files.error();
  const auto calendar = *listing ? std::move((*listing)->calendar) : core::Calendar();
  for (const auto& file : core::that_have_come(calendar, core::stock_of(*files).held))
    facts.held.push_back({file.kind, file.name, file.date, file.size});
  const auto quarantined = c.quarantined();
  if (!quarantined) return quarantined.error();
  for (const auto& file : *quarantined) {
    facts.quarantined.push_back({core::FailureKind::damaged, file.cause});
    facts.quarantined.back().cause.subject = file.name;
  }
  const auto first = c.first_cycle();
  if (!first) return first.error();
  facts.first_cycle = *first;
  if (const auto added = add_damages(facts, c); !added) return added.error();
  return facts;
}

/// The tries of the newest cycle's day, up to that cycle.
base::Result<core::DaysTries> tries_of(const catalogue::Cycles& c, const std::vector<core::CycleRecord>& cycles,
                                       const core::Schedule& schedule, const core::Zone& zone) {
  if (cycles.empty()) return core::DaysTries();
  const auto started = cycles.front().started;
  return c.tries(zone.instant(core::day_served(schedule, zone, started), schedule.at), started);
}

/// Reads everything in one call, while no cycle runs.
base::Result<Past> read_past(const catalogue::Catalogue& c, const core::Schedule& schedule, const core::Zone& zone) {
  const auto cycles = c.history(enough_for_a_day);
  if (!cycles) return cycles.error();
  Past past;
  auto files = read_files(c);
  if (!files) return files.error();
  past.facts.files = std::move(*files);
  auto failures = c.failures();
  if (!failures) return failures.error();
  past.facts.failures = std::move(*failures);
  add_end(past.facts, *cycles);
  const auto tries = tries_of(c, *cycles, schedule, zone);
  if (!tries) return tries.error();
  past.last = last_of(*cycles, *tries, past.facts, schedule, zone);
  auto problems = c.problems();
  if (!problems) return problems.error();
  past.problems = std::move(*problems);
  return past;
}

}  // namespace

struct Health::Impl {
  Impl(Ports p, HealthSettings s) : ports(p), settings(std::move(s)), calls(p.catalogue), watch(p, calls) {
    watch.use(settings.credentials, settings.zone);
  }

  awaitable<base::Result<void>> after_cycle(Acceptance secret, Acceptance key);
  awaitable<base::Result<void>> recall();
  awaitable<void> judge(bool corrected, std::optional<core::LastCycle> counts, std::optional<base::Time> next_try);
  awaitable<void> look_at_files();
  awaitable<void> look_at_laggards(base::Time now);

  Ports ports;
  HealthSettings settings;
  CatalogueCalls calls;
  SecretWatch watch;
  std::optional<core::LastCycle> last;
  core::HealthFacts facts;
  std::vector<core::Problem> problems;
  std::vector<core::Problem> kept;  ///< as the catalogue has stored them
  Laggards laggards;
  std::optional<core::Cause> settings_refused;
  std::vector<core::Cause> unrepaired;
  std::optional<base::Time> looked_at;  ///< when channels and consumers were last checked
};

Health::Health(Ports ports, HealthSettings settings) : impl_(std::make_unique<Impl>(ports, std::move(settings))) {}
Health::~Health() = default;

const std::optional<core::LastCycle>& Health::last() const { return impl_->last; }
const std::vector<core::Problem>& Health::problems() const { return impl_->problems; }

void Health::use(HealthSettings settings) {
  impl_->settings = std::move(settings);
  impl_->settings_refused.reset();
  impl_->watch.use(impl_->settings.credentials, impl_->settings.zone);
}

void Health::note_unrepaired(std::vector<core::Cause> files) { impl_->unrepaired = std::move(files); }
void Health::refuse(core::Cause why) { impl_->settings_refused = std::move(why); }
awaitable<void> Health::look() { return impl_->watch.look(); }
awaitable<base::Result<void>> Health::after_cycle(const Agent& agent, const CredentialSettings& began_with) {
  const auto& now = impl_->settings.credentials;
  note_unrepaired(agent.unrepaired());
  return impl_->after_cycle(now.secret_fingerprint == began_with.secret_fingerprint ? agent.secret() : Acceptance(),
                            now.key_fingerprint == began_with.key_fingerprint ? agent.key() : Acceptance());
}
awaitable<base::Result<void>> Health::after_cycle(const Agent& agent) {
  return after_cycle(agent, impl_->settings.credentials);
}

bool Health::refused() const { return impl_->watch.refused() && is_forbidden(impl_->facts); }
const SecretWatch& Health::secret_watch() const { return impl_->watch; }

void Health::note_end(const core::LastCycle& last, std::optional<core::Failure> failure) {
  impl_->last = last;
  impl_->facts.end = {last.complete, false, std::move(failure)};
}

awaitable<base::Result<void>> Health::recall() { return impl_->recall(); }
awaitable<void> Health::judge(bool corrected, std::optional<core::LastCycle> last, std::optional<base::Time> next_try) {
  return impl_->judge(corrected, std::move(last), next_try);
}
awaitable<void> Health::look_at_files() { return impl_->look_at_files(); }
bool Health::lists_delta_of(base::Date day) const { return agent::lists_delta_of(impl_->facts.files.listed, day); }
std::optional<base::Time> Health::listed_at() const { return impl_->facts.files.listed_at; }

/// The watch looks first: until then, the catalogue may have no credential to which a result could be attached.
awaitable<base::Result<void>> Health::Impl::after_cycle(Acceptance secret, Acceptance key) {
  co_await watch.look();
  co_await watch.note(std::move(secret), std::move(key));
  looked_at.reset();
  laggards.seen.read_at = {};
  auto recalled = co_await recall();
  co_return recalled;
}

awaitable<base::Result<void>> Health::Impl::recall() {
  auto read = [schedule = settings.schedule, zone = settings.zone](catalogue::Catalogue& c) {
    return read_past(c, schedule, *zone);
  };
  auto past = co_await calls(std::move(read));
  if (!past) co_return past.error();
  last = past->last;
  facts = std::move(past->facts);
  facts.full_soon = co_await disk_full_soon(ports, calls, settings.policy);
  // Problems that could not be stored yet are known only in memory.
  if (problems == kept) problems = past->problems;
  kept = std::move(past->problems);
  co_return base::Result<void>();
}

/// An idle daemon judges once a minute, and reads nothing for it as long as every channel and consumer keeps up.
awaitable<void> Health::Impl::look_at_laggards(base::Time now) {
  const bool fresh = looked_at && *looked_at <= now && now - *looked_at < between_looks;
  if (fresh && laggards.channels.empty() && laggards.consumers.empty()) co_return;
  auto read = [rules = settings.consumers, now, seen = laggards.seen](const catalogue::Catalogue& c) {
    return read_laggards(c, rules, now, seen);
  };
  auto found = co_await calls(std::move(read));
  if (!found) co_return;  // the next write reports the reason
  looked_at = now;
  laggards = std::move(*found);
}

awaitable<void> Health::Impl::look_at_files() {
  auto read = [](const catalogue::Catalogue& c) { return read_files(c); };
  auto files = co_await calls(std::move(read));
  if (files) facts.files = std::move(*files);  // if not, the next write reports the reason
}

awaitable<void> Health::Impl::judge(bool corrected, std::optional<core::LastCycle> counts,
                                    std::optional<base::Time> next_try) {
  const auto now = ports.clock.now();
  co_await look_at_laggards(now);
  facts.failing = laggards.channels;
  facts.behind = laggards.consumers;
  facts.settings_refused = settings_refused;
  facts.unrepaired = unrepaired;
  facts.corrected = corrected;
  facts.catalogue_rebuilt = settings.catalogue_rebuilt ? settings.catalogue_rebuilt() : std::nullopt;
  const auto next = core::next_wake(counts ? counts : last, settings.schedule, *settings.zone, now, 0);
  auto found = core::judge(facts, settings.schedule, *settings.zone, next.gave_up, problems, now);
  auto of_secret = watch.problems(now);
  add_secret_problems(found, std::move(of_secret), watch.refused() && is_forbidden(facts));
  keep_untried(found, problems, watch);
  auto changes = announced(core::compare(problems, std::move(found), now));
  problems = changes.now;
  const report::NextTry tried{next_try, next_try ? report::clock_time(*next_try, now, settings.utc_offset) : ""};
  if (problems != kept) {
    auto kept_changes = announced(core::compare(kept, problems, now));
    note_published(kept_changes.over, facts.files.listed, facts.files.held);
    note_replaced(kept_changes.over, facts);
    auto keep = [now = problems, notices = notices_of(kept_changes, now, tried)](catalogue::Problems& known) {
      return known.keep_problems(now, notices);
    };
    const auto done = co_await calls.with_room(std::move(keep));
    if (done) kept = problems;
  }
  // Reported after they are stored: a process that is killed in between does not report them twice.
  note_published(changes.over, facts.files.listed, facts.files.held);
  note_replaced(changes.over, facts);
  log(ports.journal, changes, tried);
}

}  // namespace vtmirror::agent
