#include "cli/commands.hpp"

#include "cli/live_view.hpp"
#include "cli/say.hpp"
#include "cli/sync_follow.hpp"
#include "vtmirror/agent/run_once.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/terminal/terminal.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/catalogue_rescue.hpp"
#include "vtmirror/wiring/channels.hpp"
#include "vtmirror/wiring/foreground.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::cli {
namespace {

namespace asio = boost::asio;

template <class T>
using Outcome = std::optional<base::Result<T>>;

asio::awaitable<void> make_plan(agent::Agent& agent, Outcome<core::Plan>& outcome) {
  auto plan = co_await agent.plan_of_start();
  outcome.emplace(std::move(plan));
}

asio::awaitable<base::Result<void>> run_cycle(agent::RunOnce& run, Outcome<core::CycleReport>& outcome) {
  auto report = co_await run.cycle();
  outcome.emplace(std::move(report));
  co_return base::Result<void>();
}

/// Also that of a daemon, which is stopping.
bool is_stop(const base::Error& error) {
  return error.code == base::Errc::cancelled || error.met == base::Errc::cancelled;
}

ExitStatus say_plan(const base::Result<core::Plan>& plan, bool json) {
  if (plan.has_error() && is_stop(plan.error())) {
    say("vtmirror: stopped; nothing was changed\n");
    return exit_status(plan.error().code);
  }
  if (plan.has_error()) return fail(plan.error());
  if (json) std::cout << report::plan_json(*plan) << std::flush;
  if (!json) std::cout << report::plan_text(*plan, terminal::table_width(STDOUT_FILENO)) << std::flush;
  return done;
}

/// Empty before the day's time: a delta that is not listed then is another day's.
std::string awaited_by(const agent::Health& health, const core::Schedule& schedule, const core::Zone& zone) {
  const auto& last = health.last();
  if (!last || last->todays_listed) return {};
  const auto day = core::day_served(schedule, zone, last->started);
  return day == zone.day_of(last->started) ? report::not_listed_yet(day) : std::string();
}

constexpr char next_by_hand[] = "; next try: `vtmirror sync`, or when the daemon starts";

/// What comes after a cycle that is not complete. Another one does not bring back what the service no longer has.
std::string outlook(const core::CycleReport& report) {
  if (report.outcome == core::Outcome::complete || report.stopped) return {};
  const auto is_lost = [](const core::Failure& failure) { return core::loss_in(failure.cause).has_value(); };
  const bool only_losses = !report.failures.empty() && std::ranges::all_of(report.failures, is_lost);
  if (!only_losses) return next_by_hand;
  return std::string("; restore ") + (report.failures.size() == 1 ? "it" : "them") +
         " from a backup, then run `vtmirror verify`";
}

/// In the words of the status, if the error is one of its problems; no daemon runs that would try it again.
ExitStatus say_failure(const base::Error& error, const std::vector<core::Problem>& problems) {
  const auto* problem = report::problem_of(error, problems);
  if (problem == nullptr) return fail(error);
  say("vtmirror: ", report::sentence(*problem), '\n');
  const auto next = report::is_to_wait_for(problem->cause) ? "" : next_by_hand;
  say("vtmirror: ", report::remedy_by_hand(*problem), next, '\n');
  return exit_status(error.code);
}

/// Why the mirror is not in order although its cycle is complete.
void say_unrepaired(const std::vector<core::Problem>& problems) {
  const auto problem = std::ranges::find(problems, core::ProblemCode::repair_failed, &core::Problem::code);
  if (problem == problems.end()) return;
  say_lines(report::sentence(*problem) + '\n' + report::remedy_by_hand(*problem));
}

/// `whole`: nothing was left that could not be repaired or written.
ExitStatus say_report(const base::Result<core::CycleReport>& report, const std::string& awaited, bool whole,
                      const std::vector<core::Problem>& problems, const Arguments& arguments) {
  if (report.has_error()) return say_failure(report.error(), problems);
  const bool is_complete = report->outcome == core::Outcome::complete;
  const auto status = is_complete && whole ? done : failed;
  if (arguments.json) {
    const auto ended = report::last_cycle_of(*report, host::machine_now());
    std::cout << report::event_line(ports::StreamEvent::cycle, report::last_cycle_json(ended)) << std::flush;
  } else if (!arguments.quiet || status != done) {
    const auto removed = report::removals(*report);
    if (!removed.empty()) say("vtmirror: ", removed, '\n');
    say_lines(report::summary(*report, awaited) + outlook(*report));
    if (is_complete && !whole) say_unrepaired(problems);
  }
  return status;
}

/// If the daemon of this mirror answers, it does the work: it has the lock and the secrets that we lack.
ExitStatus fail_or_follow(const base::Error& error, const Arguments& arguments, const settings::Config& config,
                          const settings::Environment& environment) {
  const bool in_the_way = error.code == base::Errc::locked || error.code == base::Errc::io;
  const bool another_sync = mirror::holder_of(error) == mirror::Holder::sync;
  const bool is_ours_to_do = another_sync || !(in_the_way || error.code == base::Errc::config);
  if (is_ours_to_do) return fail(error);
  if (arguments.dry_run) {
    const auto plan = plan_of_daemon(config);
    return plan ? say_plan(*plan, arguments.json) : fail(error);
  }
  const auto end = follow_daemon(arguments, config, environment);
  return end ? *end : fail(error);
}

/// Moves the damaged catalogue aside, so that the next run makes a new one.
ExitStatus fail_damaged(const base::Error& damage, const settings::Config& config) {
  say("vtmirror: ", damage.detail, '\n');
  auto moved = wiring::move_catalogue_aside(config.mirror.catalogue, host::machine_now());
  if (moved.has_error()) return fail(moved.error());
  say("vtmirror: it was moved aside: run `vtmirror sync` again\n");
  return failed;
}

/// `damage` is set if the catalogue was found damaged. The catalogue is closed when this returns.
ExitStatus sync_here(const Arguments& arguments, const settings::Config& config,
                     const settings::Environment& environment, const settings::SecretFiles& files,
                     std::optional<base::Error>& damage) {
  // A dry run leaves the disk as it is: what it would need there is empty, a copy, or in memory.
  const bool looks = arguments.dry_run;
  auto secrets = looks ? wiring::look_at_secrets(config, files) : wiring::use_secrets(config, files);
  if (secrets.has_error()) return fail_or_follow(secrets.error(), arguments, config, environment);
  auto health_rules = wiring::health_settings(config);
  if (health_rules.has_error()) return fail(health_rules.error());
  auto credentials = wiring::credential_settings(config, *secrets);
  if (credentials.has_error()) return fail(credentials.error());
  health_rules->credentials = std::move(*credentials);
  const auto refill = arguments.refill ? wiring::Refill::allowed : wiring::Refill::refused;
  auto machine =
      looks ? wiring::Machine::look(config, refill) : wiring::Machine::open(config, mirror::Holder::sync, refill);
  if (machine.has_error()) return fail_or_follow(machine.error(), arguments, config, environment);

  LiveView view(arguments, environment);
  auto* const live = view.block();
  auto& journal = view.journal();
  if (!(*machine)->rescued().empty())
    journal.log({ports::EventKind::recovered, ports::Level::error, (*machine)->rescued()});
  agent::Agent agent((*machine)->parts(journal), wiring::service_settings(config, *secrets),
                     wiring::cycle_settings(config, *secrets));
  wiring::Foreground foreground((*machine)->loop(), (*machine)->stop(), (*machine)->clock(), live);
  if (live == nullptr) foreground.log_progress(journal);
  const auto progress = [&agent] { return agent.progress(); };
  if (arguments.dry_run) {
    Outcome<core::Plan> plan;
    foreground.run(make_plan(agent, plan), progress);
    return status_after(foreground.signal(), say_plan(*plan, arguments.json));
  }
  Outcome<core::CycleReport> report;
  const auto schedule = health_rules->schedule;
  const auto zone = health_rules->zone;
  agent::Health health((*machine)->parts(journal), std::move(*health_rules));
  const auto notifications = wiring::Notifications::open((*machine)->loop(), (*machine)->parts(journal), config);
  if (notifications.has_error()) return fail(notifications.error());
  std::optional<ExitStatus> end;
  const auto say_end = [&report, &health, &schedule, &zone, &agent, &arguments] {
    return say_report(*report, awaited_by(health, schedule, *zone), agent.unrepaired().empty(), health.problems(),
                      arguments);
  };
  const auto ended = [&say_end, &end, &report, live, &here = **machine](const base::Result<void>& done) {
    if (!done) report.emplace(here.with_setting(done.error()));
    if (live != nullptr) live->close();
    end = say_end();
  };
  agent::RunOnce run(agent, &health, &(*notifications)->outbox());
  foreground.run(run.run([&run, &report] { return run_cycle(run, report); }, ended), progress);
  if (foreground.signal() == 0) damage = (*machine)->damage();
  return status_after(foreground.signal(), end ? *end : say_end());
}

}  // namespace

ExitStatus sync(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  // Once: after it, files that only root can read cannot be read any more.
  const auto files = settings::read_secret_files(config, environment);
  const auto missing = arguments.dry_run ? wiring::Missing::left : wiring::Missing::made;
  if (const auto refused = become_owner(config, missing)) return *refused;
  std::optional<base::Error> damage;
  auto end = sync_here(arguments, config, environment, files, damage);
  if (!damage) return end;
  // It counts if fresh connections find it too, or if the work on one does.
  say("vtmirror: ", damage->detail, "; opening it once more\n");
  damage.reset();
  end = sync_here(arguments, config, environment, files, damage);
  return damage ? fail_damaged(*damage, config) : end;
}

}  // namespace vtmirror::cli
