#include "cli/commands.hpp"
#include "cli/live_view.hpp"
#include "cli/say.hpp"
#include "vtmirror/agent/adoption.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/mirror/folder.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/channels.hpp"
#include "vtmirror/wiring/foreground.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <unistd.h>

#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace vtmirror::cli {
namespace {

namespace asio = boost::asio;

using Outcome = std::optional<base::Result<agent::AdoptionReport>>;

/// As after a cycle, the notices are delivered when all files have come; a hook may take hours, so `ended` reports
/// first.
asio::awaitable<void> run(agent::Adoption& adoption, agent::Outbox& outbox, Outcome& outcome,
                          std::function<void()> ended) {
  const auto begun = co_await outbox.begin();
  if (begun.has_error()) {
    outcome.emplace(begun.error());
    co_return;
  }
  auto report = co_await adoption.run();
  outcome.emplace(std::move(report));
  ended();
  co_await outbox.deliver_due();
}

std::string summary(const agent::AdoptionReport& report) {
  int files = 0;
  std::string how;
  for (const auto& [way, count] : report.adopted) {
    files += count;
    how += (how.empty() ? "" : ", ") + std::to_string(count) + ' ' + std::string(core::words(way));
  }
  auto text = "adopted " + base::counted(files, "file");
  if (files > 0) text += ", " + base::human_size(report.bytes) + " (" + how + ")";
  if (report.held > 0) text += "; " + std::to_string(report.held) + " held already";
  if (report.doubtful > 0) text += "; " + std::to_string(report.doubtful) + " doubtful and left alone";
  if (report.unknown > 0) text += "; " + base::counted(report.unknown, "ZIP file") + " with another name skipped";
  if (report.others > 0) text += "; " + base::counted(report.others, "other file") + " ignored";
  if (files == 0 && report.held == 0 && report.doubtful == 0 && !report.stopped)
    text += ": no file there has a name of the service, such as delta-light-vehicle_16-11-2026.zip";
  if (report.stopped) text += "; stopped before the end: run it again to continue";
  return text;
}

ExitStatus say_end(const base::Result<agent::AdoptionReport>& report) {
  if (report.has_error()) return fail(report.error());
  say("vtmirror: ", summary(*report), '\n');
  return report->doubtful > 0 || report->stopped ? failed : done;
}

ExitStatus fail_to_open(const base::Error& error, const Arguments& arguments,
                        const settings::Environment& environment) {
  const auto status = fail(error);
  if (mirror::holder_of(error) != mirror::Holder::run) return status;
  const auto asked = unanswered(error, arguments, environment, false);
  const auto stop = report::unit_command(asked, "stop");
  say("vtmirror: a daemon does not adopt folders: ",
      (stop.empty() ? "stop it, run `vtmirror adopt` again, then start it"
                    : "run " + stop + ", then `vtmirror adopt` again, then " + report::unit_command(asked, "start")),
      '\n');
  return status;
}

}  // namespace

ExitStatus adopt(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  if (const auto refused = become_owner(config)) return *refused;
  auto machine = wiring::Machine::open(config, mirror::Holder::adopt);
  if (machine.has_error()) return fail_to_open(machine.error(), arguments, environment);
  const auto folder = mirror::open_folder(arguments.directory, config.mirror.directory);
  const bool is_unreadable = folder.has_error() && folder.error().code == base::Errc::io &&
                             ::access(arguments.directory.c_str(), R_OK | X_OK) != 0 && errno == EACCES;
  if (is_unreadable) {
    say("vtmirror: ", folder.error().detail, "\nvtmirror: give this process's user access to that directory\n");
    return failed;
  }
  if (folder.has_error()) return fail(folder.error());

  LiveView view(arguments, environment);
  auto* const live = view.block();
  auto& journal = view.journal();
  if (!(*machine)->rescued().empty())
    journal.log({ports::EventKind::recovered, ports::Level::error, (*machine)->rescued()});
  const auto parts = (*machine)->parts(journal);
  const auto notifications = wiring::Notifications::open((*machine)->loop(), parts, config);
  if (notifications.has_error()) return fail(notifications.error());
  agent::Adoption adoption(parts, **folder, wiring::upkeep_settings(config), arguments.copy);
  wiring::Foreground foreground((*machine)->loop(), (*machine)->stop(), (*machine)->clock(), live);
  Outcome report;
  std::optional<ExitStatus> end;
  const auto ended = [&report, &end, live] {
    if (live != nullptr) live->close();
    end = say_end(*report);
  };
  foreground.run(run(adoption, (*notifications)->outbox(), report, ended), [&adoption] { return adoption.progress(); });
  return status_after(foreground.signal(), end ? *end : say_end(*report));
}

}  // namespace vtmirror::cli
