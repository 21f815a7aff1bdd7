#include "cli/commands.hpp"
#include "cli/event_lines.hpp"
#include "cli/live_view.hpp"
#include "cli/verify_follow.hpp"
#include "vtmirror/agent/verification.hpp"
#include "vtmirror/report/verification.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/channels.hpp"
#include "vtmirror/wiring/foreground.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace vtmirror::cli {
namespace {

namespace asio = boost::asio;

/// What this process writes into the mirror's lock.
constexpr char holder[] = "vtmirror verify";

/// The parts of one run. Borrowed; without the secrets nothing can be judged or sent, and the next cycle does both.
struct Work {
  std::shared_ptr<agent::Agent> agent;
  agent::Verification& verification;
  agent::Health* health = nullptr;
  agent::Outbox* outbox = nullptr;
  bool repair = false;
};

bool can_be_repaired(const core::VerificationReport& report) {
  return std::ranges::any_of(report.findings,
                             [](const core::Finding& finding) { return core::is_wrong(finding) && finding.listed; });
}

asio::awaitable<base::Result<void>> read_files(Work work) {
  if (work.outbox != nullptr) {
    auto begun = co_await work.outbox->begin();
    if (!begun) co_return begun;
  }
  auto recovered = co_await work.agent->recover();
  if (!recovered) co_return recovered;
  auto read = co_await work.verification.run(work.agent);
  co_return read;
}

/// A cycle that failed says so itself; what it brought back counts.
asio::awaitable<base::Result<void>> repair(Work work) {
  const auto report = co_await work.agent->cycle();
  if (report.has_error()) std::cerr << "vtmirror: the repair failed: " << report.error().message() << '\n';
  if (work.health != nullptr) {
    const auto noted = co_await work.health->after_cycle(work.agent->secret(), work.agent->key());
    static_cast<void>(noted.has_value());
  }
  auto looked = co_await work.verification.look_again();
  co_return looked;
}

/// Problems that this keeps are shown by a daemon that starts later.
asio::awaitable<void> judge(Work work) {
  if (work.health == nullptr) co_return;
  work.health->note_unrepaired(work.agent->unrepaired());
  co_await work.health->look();
  const auto recalled = co_await work.health->recall();
  if (recalled) co_await work.health->judge();
}

/// A hook may take hours, so `ended` reports what was found before the notices are delivered.
asio::awaitable<void> run_verification(Work work, std::optional<base::Result<void>>& outcome,
                                       std::function<void()> ended) {
  auto read = co_await read_files(work);
  if (read && work.repair && work.verification.is_done() && can_be_repaired(work.verification.report()))
    read = co_await repair(work);
  if (read) co_await judge(work);
  outcome = std::move(read);
  ended();
  if (work.outbox != nullptr && *outcome) co_await work.outbox->deliver_due();
}

/// If the daemon of this mirror answers, it does the work.
ExitStatus fail_or_follow(const base::Error& error, const Arguments& arguments, const settings::Config& config,
                          const settings::Environment& environment) {
  const bool in_the_way = error.code == base::Errc::locked || error.code == base::Errc::io;
  if (!in_the_way && error.code != base::Errc::config) return fail(error);
  const auto end = follow_verification(arguments, config, environment);
  return end ? *end : fail(error);
}

ExitStatus tell_outcome(const base::Result<void>& outcome, const core::VerificationReport& report, bool json) {
  if (json) {
    const auto error = outcome ? std::string() : outcome.error().message();
    std::cout << event_line(ports::StreamEvent::verification, report::verification_json(0, report, error))
              << std::flush;
  }
  if (outcome.has_error()) return fail(outcome.error());
  tell_verification(report::summary(report), report::chain_summary(report));
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
  auto machine = wiring::Machine::open(config, holder);
  if (machine.has_error()) return fail_or_follow(machine.error(), arguments, config, environment);

  LiveView view(arguments, environment);
  auto* const live = view.block();
  auto& journal = view.journal();
  if (!(*machine)->rescued().empty())
    journal.tell({ports::EventKind::recovered, ports::Level::error, (*machine)->rescued()});
  const auto parts = (*machine)->parts(journal);
  const auto service = secrets ? wiring::service_settings(config, *secrets) : agent::ServiceSettings();
  const auto rules = secrets ? wiring::cycle_settings(config, *secrets) : wiring::upkeep_settings(config);
  const auto agent = std::make_shared<agent::Agent>(parts, service, rules);
  agent::Verification verification(parts, arguments.names);
  Work work{.agent = agent, .verification = verification, .repair = arguments.repair};
  std::optional<agent::Health> health;
  std::unique_ptr<wiring::Telling> telling;
  if (*health_rules) {
    health.emplace(parts, std::move(**health_rules));
    auto opened = wiring::Telling::open((*machine)->loop(), parts, config);
    if (opened.has_error()) return fail(opened.error());
    telling = std::move(*opened);
    work.health = &*health;
    work.outbox = &telling->outbox();
  }
  std::optional<base::Result<void>> outcome;
  std::optional<ExitStatus> end;
  const auto ended = [&] {
    if (live != nullptr) live->close();
    end = tell_outcome(*outcome, verification.report(), arguments.json);
  };
  wiring::Foreground foreground((*machine)->loop(), (*machine)->stop(), (*machine)->clock(), live);
  const auto progress = [&agent, &verification]() -> const ports::CycleProgress* {
    const auto* cycle = agent->progress();
    return cycle != nullptr ? cycle : &verification.progress();
  };
  if (live == nullptr && !arguments.json) std::cerr << "vtmirror: reading the held files again\n";
  foreground.run(run_verification(work, outcome, ended), progress);
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
