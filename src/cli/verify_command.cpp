#include "cli/commands.hpp"
#include "cli/live_view.hpp"
#include "cli/say.hpp"
#include "cli/verify_follow.hpp"
#include "vtmirror/agent/run_once.hpp"
#include "vtmirror/agent/verification.hpp"
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/verification.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/channels.hpp"
#include "vtmirror/wiring/foreground.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace vtmirror::cli {
namespace {

namespace asio = boost::asio;

/// The work of one run. Borrowed.
struct Work {
  std::shared_ptr<agent::Agent> agent;
  agent::Verification& verification;
  agent::RunOnce& run;
  bool repair = false;
  base::Result<void>& repaired;  ///< the error of a cycle that did not repair everything
};

bool can_be_repaired(const core::VerificationReport& report) {
  return std::ranges::any_of(report.findings,
                             [](const core::Finding& finding) { return core::is_wrong(finding) && finding.listed; });
}

/// Of a cycle that left something as it is: why, and what to do.
base::Result<void> say_incomplete(const core::CycleReport& report) {
  const auto failure = core::failure(report);
  if (!failure || core::is_stop(*failure)) return {};
  say_lines(report::summary(report, ""));
  return core::error_of(failure->cause);
}

/// What the cycle brought back counts, also if it failed.
asio::awaitable<base::Result<void>> repair(Work work) {
  const auto report = co_await work.run.cycle();
  if (report.has_error()) {
    auto error = report.error();
    error.detail = "the repair failed: " + error.message();
    say(report::error_lines(error));
    work.repaired = report.error();
  }
  auto looked = co_await work.verification.look_again();
  if (report && can_be_repaired(work.verification.report())) work.repaired = say_incomplete(*report);
  co_return looked;
}

asio::awaitable<base::Result<void>> verify_files(Work work) {
  auto read = co_await work.verification.run(work.agent);
  const auto& verification = work.verification;
  if (!read || !work.repair || !verification.is_done() || !can_be_repaired(verification.report())) co_return read;
  auto repaired = co_await repair(work);
  co_return repaired;
}

/// If the daemon of this mirror answers, it does the work.
ExitStatus fail_or_follow(const base::Error& error, const Arguments& arguments, const settings::Config& config,
                          const settings::Environment& environment) {
  const bool in_the_way = error.code == base::Errc::locked || error.code == base::Errc::io;
  if (!in_the_way && error.code != base::Errc::config) return fail(error);
  const auto end = follow_verification(arguments, config, environment);
  return end ? *end : fail(error);
}

ExitStatus say_outcome(const base::Result<void>& outcome, const base::Result<void>& repaired,
                       const core::VerificationReport& report, bool json) {
  if (json)
    std::cout << report::event_line(ports::StreamEvent::verification,
                                    report::verification_json(0, report, outcome ? repaired : outcome))
              << std::flush;
  if (outcome.has_error()) return fail(outcome.error());
  say_verification(report::summary(report), report::chain_summary(report));
  return core::is_clean(report) ? done : failed;
}

/// Empty if the secrets cannot be read: nothing is judged and sent then.
base::Result<std::optional<agent::HealthSettings>> health_of(const settings::Config& config,
                                                             const base::Result<wiring::Secrets>& secrets) {
  if (secrets.has_error()) return std::optional<agent::HealthSettings>();
  auto health = wiring::health_settings(config);
  if (health.has_error()) return health.error();
  auto credentials = wiring::credential_settings(config, *secrets);
  if (credentials.has_error()) return credentials.error();
  health->credentials = std::move(*credentials);
  return std::optional(std::move(*health));
}

ExitStatus verify_here(const Arguments& arguments, const settings::Config& config,
                       const settings::Environment& environment, const settings::SecretFiles& files) {
  const auto secrets = wiring::use_secrets(config, files);
  if (secrets.has_error() && arguments.repair) return fail_or_follow(secrets.error(), arguments, config, environment);
  auto health_rules = health_of(config, secrets);
  if (health_rules.has_error()) return fail(health_rules.error());
  auto machine = wiring::Machine::open(config, mirror::Holder::verify);
  if (machine.has_error()) return fail_or_follow(machine.error(), arguments, config, environment);

  LiveView view(arguments, environment);
  auto* const live = view.block();
  auto& journal = view.journal();
  if (!(*machine)->rescued().empty())
    journal.log({ports::EventKind::recovered, ports::Level::error, (*machine)->rescued()});
  const auto parts = (*machine)->parts(journal);
  const auto service = secrets ? wiring::service_settings(config, *secrets) : agent::ServiceSettings();
  const auto rules = secrets ? wiring::cycle_settings(config, *secrets) : wiring::upkeep_settings(config);
  const auto agent = std::make_shared<agent::Agent>(parts, service, rules);
  agent::Verification verification(parts, verification_request(arguments, arguments.names));
  // Without the secrets nothing can be judged or sent, and the next cycle does both.
  std::optional<agent::Health> health;
  std::unique_ptr<wiring::Notifications> notifications;
  if (*health_rules) {
    health.emplace(parts, std::move(**health_rules));
    auto opened = wiring::Notifications::open((*machine)->loop(), parts, config);
    if (opened.has_error()) return fail(opened.error());
    notifications = std::move(*opened);
  }
  agent::RunOnce run(*agent, health ? &*health : nullptr, notifications ? &notifications->outbox() : nullptr);
  base::Result<void> repaired;
  const Work work{
      .agent = agent, .verification = verification, .run = run, .repair = arguments.repair, .repaired = repaired};
  std::optional<ExitStatus> end;
  const auto ended = [&](const base::Result<void>& outcome) {
    if (live != nullptr) live->close();
    end = say_outcome(outcome, repaired, verification.report(), arguments.json);
  };
  wiring::Foreground foreground((*machine)->loop(), (*machine)->stop(), (*machine)->clock(), live);
  const auto progress = [&agent, &verification]() -> const ports::CycleProgress* {
    const auto* cycle = agent->progress();
    return cycle != nullptr ? cycle : &verification.progress();
  };
  if (live == nullptr && !arguments.json) say("vtmirror: reading the held files again\n");
  foreground.run(run.run([&work] { return verify_files(work); }, ended), progress);
  if ((*machine)->damage()) return fail(*(*machine)->damage());
  return status_after(foreground.signal(), end.value_or(failed));
}

}  // namespace

ExitStatus verify(const Arguments& arguments, const settings::Config& config,
                  const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  // Once: after it, files that only root can read cannot be read any more.
  const auto files = settings::read_secret_files(config, environment);
  if (const auto refused = become_owner(config)) return *refused;
  return verify_here(arguments, config, environment, files);
}

}  // namespace vtmirror::cli
