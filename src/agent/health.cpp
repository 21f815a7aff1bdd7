#include "vtmirror/agent/health.hpp"

#include "agent/ledger.hpp"
#include "agent/past.hpp"
#include "agent/secret_watch.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// How often it is looked whether a channel fails; while one does, at each judgement.
constexpr base::Milliseconds between_looks = std::chrono::hours(1);

ports::Event event(ports::EventKind kind, ports::Level level, std::string message, const core::Problem& problem) {
  return {kind, level, std::move(message), {{"problem", problem.code}, {"reason", sentence(problem)}}};
}

ports::Level level_of(const core::Problem& problem) {
  return core::severity(problem.code) == core::Severity::error ? ports::Level::error : ports::Level::warning;
}

bool is_forbidden(const core::HealthFacts& facts) {
  const auto* end = facts.end && facts.end->failure ? &*facts.end->failure : nullptr;
  return end != nullptr && end->cause.code == base::Errc::forbidden;
}

/// What is wrong with secret and key says why the cycle could not try: that is no problem of its own.
void add_secret_problems(std::vector<core::Problem>& problems, std::vector<core::Problem> of_secret, bool refused) {
  if (refused) std::erase_if(problems, [](const core::Problem& problem) { return problem.code == "cycle_failed"; });
  std::move(of_secret.begin(), of_secret.end(), std::back_inserter(problems));
}

/// That the secret expires is told by its warnings, once each, and not as a problem that begins.
core::ProblemChanges without_warnings(core::ProblemChanges changes) {
  const auto is_warned_of = [](const core::Problem& problem) { return problem.code == "secret_expires"; };
  std::erase_if(changes.began, is_warned_of);
  std::erase_if(changes.over, is_warned_of);
  return changes;
}

void tell(ports::Journal& journal, const core::ProblemChanges& changes) {
  using ports::EventKind;
  for (const auto& problem : changes.began)
    journal.tell(event(EventKind::problem_began, level_of(problem),
                       "problem " + problem.code + ": " + sentence(problem), problem));
  for (const auto& problem : changes.worse)
    journal.tell(event(EventKind::problem_began, level_of(problem),
                       "problem " + problem.code + " is worse: " + sentence(problem), problem));
  for (const auto& problem : changes.over)
    journal.tell(event(EventKind::problem_over, ports::Level::notice, "problem " + problem.code + " is over", problem));
}

std::vector<core::Notice> notices_of(const core::ProblemChanges& changes, base::Time now) {
  std::vector<core::Notice> notices;
  for (const auto& problem : changes.began) notices.push_back(core::problem_notice(problem, core::Stage::began, now));
  for (const auto& problem : changes.worse) {
    auto worse = core::problem_notice(problem, core::Stage::began, now);
    worse.message = "worse: " + worse.message;
    notices.push_back(std::move(worse));
  }
  for (const auto& problem : changes.over) notices.push_back(core::problem_notice(problem, core::Stage::over, now));
  return notices;
}

}  // namespace

struct Health::Body {
  Body(Parts p, HealthSettings s) : parts(p), settings(std::move(s)), ledger(p.catalogue), watch(p, ledger) {
    watch.take(settings.credentials, settings.zone);
  }

  awaitable<base::Result<void>> recall();
  awaitable<void> judge();
  awaitable<void> look_at_channels(base::Time now);

  Parts parts;
  HealthSettings settings;
  Ledger ledger;
  SecretWatch watch;
  std::optional<core::LastCycle> last;
  core::HealthFacts facts;
  std::vector<core::Problem> problems;
  std::vector<core::Problem> kept;  ///< as the catalogue has them
  std::vector<core::FailingChannel> failing;
  std::optional<base::Time> looked_at;  ///< the channels
};

Health::Health(Parts parts, HealthSettings settings) : body_(std::make_unique<Body>(parts, std::move(settings))) {}
Health::~Health() = default;

const std::optional<core::LastCycle>& Health::last() const { return body_->last; }
const std::vector<core::Problem>& Health::problems() const { return body_->problems; }

void Health::take(HealthSettings settings) {
  body_->settings = std::move(settings);
  body_->watch.take(body_->settings.credentials, body_->settings.zone);
}

awaitable<void> Health::look() { co_await body_->watch.look(); }

awaitable<void> Health::note(Acceptance secret, Acceptance key) {
  co_await body_->watch.note(std::move(secret), std::move(key));
}

bool Health::refused() const { return body_->watch.refused() && is_forbidden(body_->facts); }
const SecretWatch& Health::secret_watch() const { return body_->watch; }

void Health::note_end(const core::LastCycle& last, std::optional<core::Failure> failure) {
  body_->last = last;
  body_->facts.end = {last.complete, false, std::move(failure)};
}

awaitable<base::Result<void>> Health::recall() {
  auto recalled = co_await body_->recall();
  co_return recalled;
}

awaitable<void> Health::judge() { co_await body_->judge(); }

awaitable<base::Result<void>> Health::Body::recall() {
  auto read = [schedule = settings.schedule, zone = settings.zone](catalogue::Catalogue& c) {
    return read_past(c, schedule, *zone);
  };
  auto past = co_await ledger(std::move(read));
  if (!past) co_return past.error();
  last = past->last;
  facts = std::move(past->facts);
  // What could not be kept yet is known here alone.
  if (problems == kept) problems = past->problems;
  kept = std::move(past->problems);
  co_return base::Result<void>();
}

/// An idle daemon judges once a minute, and reads nothing for it as long as everybody can be told.
awaitable<void> Health::Body::look_at_channels(base::Time now) {
  const bool fresh = looked_at && *looked_at <= now && now - *looked_at < between_looks;
  if (fresh && failing.empty()) co_return;
  auto read = [until = now - core::longest_silence](catalogue::Notices& notices) {
    return notices.failing_channels(until);
  };
  auto found = co_await ledger(std::move(read));
  if (!found) co_return;  // whoever writes next says why
  looked_at = now;
  failing = std::move(*found);
}

awaitable<void> Health::Body::judge() {
  const auto now = parts.clock.now();
  co_await look_at_channels(now);
  facts.failing = failing;
  facts.catalogue_rebuilt = settings.catalogue_rebuilt ? settings.catalogue_rebuilt() : std::nullopt;
  const auto next = core::next_wake(last, settings.schedule, *settings.zone, now, 0);
  auto found = core::judge(facts, settings.schedule, *settings.zone, next.gave_up, problems, now);
  add_secret_problems(found, watch.problems(now), watch.refused() && is_forbidden(facts));
  auto changes = without_warnings(core::compare(problems, std::move(found), now));
  problems = changes.now;
  if (problems != kept) {
    auto keep = [now = problems, notices = notices_of(without_warnings(core::compare(kept, problems, now)), now)](
                    catalogue::Problems& known) { return known.keep_problems(now, notices); };
    const auto done = co_await ledger(std::move(keep));
    if (done) kept = problems;
  }
  // After it is kept: a process that is killed here leaves one who knows, not one who tells it again.
  tell(parts.journal, changes);
}

}  // namespace vtmirror::agent
