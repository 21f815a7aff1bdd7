#include "cli/commands.hpp"
#include "cli/say.hpp"
#include "cli/sync_follow.hpp"
#include "vtmirror/client/control_client.hpp"
#include "vtmirror/report/pruning.hpp"
#include "vtmirror/terminal/live_block.hpp"
#include "vtmirror/terminal/terminal.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/foreground.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <unistd.h>

#include <optional>
#include <utility>

namespace vtmirror::cli {
namespace {

namespace asio = boost::asio;

using Outcome = std::optional<base::Result<core::Pruning>>;

/// The daemon removes one file after another, and some file systems take a while for a large one.
constexpr std::chrono::milliseconds prune_timeout = std::chrono::minutes(10);

asio::awaitable<void> look(agent::Agent& agent, Outcome& outcome) {
  auto found = co_await agent.removals_of_start();
  outcome.emplace(std::move(found));
}

asio::awaitable<void> remove(agent::Agent& agent, Outcome& outcome) {
  auto done = co_await agent.prune_from_start();
  outcome.emplace(std::move(done));
}

ExitStatus say_end(const Arguments& arguments, const base::Result<core::Pruning>& pruning) {
  if (pruning.has_error()) return fail(pruning.error());
  if (arguments.dry_run) {
    say_result(report::removals_text(*pruning, terminal::table_width(STDOUT_FILENO)));
  } else {
    say_lines(report::pruned_summary(*pruning));
  }
  return pruning->failures.empty() ? done : failed;
}

/// Another process has the mirror, or this user may not open it: the mirror's daemon can do it.
ExitStatus ask_daemon(const Arguments& arguments, const settings::Config& config,
                      const settings::Environment& environment, const base::Error& why) {
  const auto& socket = config.control.socket;
  if (!status_of_daemon(socket, config.mirror.directory)) return fail(why);
  const client::ControlRequest request{arguments.dry_run ? "GET" : "POST", "/v1/prune"};
  const auto json = client::ask(socket, request, prune_timeout);
  if (json.has_error()) {
    const auto refused = fail_unanswered(json.error(), arguments, environment);
    say_who_may(json.error(), "remove files", "prune");
    return refused;
  }
  const auto pruning = report::parse_pruning(*json);
  if (pruning.has_value() && !arguments.dry_run)
    for (const auto& action : pruning->removals) say(report::removed_line(action), '\n');
  return say_end(arguments, pruning);
}

}  // namespace

ExitStatus prune(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  const bool looks = arguments.dry_run;
  if (const auto refused = become_owner(config, looks ? wiring::Missing::left : wiring::Missing::made)) return *refused;
  auto machine = looks ? wiring::Machine::look(config) : wiring::Machine::open(config, mirror::Holder::prune);
  if (machine.has_error()) return ask_daemon(arguments, config, environment, machine.error());
  if (looks && !(*machine)->rescued().empty()) {
    say_lines((*machine)->rescued() + "\nwhat `vtmirror prune` removes is not known before that");
    return failed;
  }
  const auto terminal = wiring::stderr_journal(ports::Level::debug, arguments.colour, environment);
  terminal::SyncJournal journal(*terminal, nullptr, {arguments.log_level.value_or(ports::Level::info)});
  if (!(*machine)->rescued().empty())
    journal.log({ports::EventKind::recovered, ports::Level::error, (*machine)->rescued()});
  agent::Agent agent((*machine)->parts(journal), agent::ServiceSettings(), wiring::upkeep_settings(config));
  wiring::Foreground foreground((*machine)->loop(), (*machine)->stop(), (*machine)->clock(), nullptr);
  Outcome outcome;
  foreground.run(looks ? look(agent, outcome) : remove(agent, outcome), [] { return nullptr; });
  return status_after(foreground.signal(), say_end(arguments, *outcome));
}

}  // namespace vtmirror::cli
