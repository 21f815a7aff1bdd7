#include "cli/commands.hpp"
#include "cli/say.hpp"

#include "cli/sync_follow.hpp"
#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/client/control_client.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/mirror/directory.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/calendar.hpp"
#include "vtmirror/report/chain.hpp"
#include "vtmirror/report/changes.hpp"
#include "vtmirror/report/files.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/terminal/terminal.hpp"
#include "vtmirror/wiring/calendar.hpp"
#include "vtmirror/wiring/catalogue_rescue.hpp"

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <system_error>

namespace vtmirror::cli {
namespace {

std::optional<report::Status> daemon_of(const Arguments& arguments, const settings::Config& config) {
  return status_of_daemon(arguments.socket.value_or(config.control.socket), config.mirror.directory);
}

/// A daemon holds the mirror also between its cycles.
report::HistoryLook look_at_cycle(const Arguments& arguments, const settings::Config& config) {
  const auto daemon = daemon_of(arguments, config);
  const bool runs = daemon ? daemon->state == core::State::syncing : mirror::is_locked(config.mirror.directory);
  report::HistoryLook look{.runs = runs, .utc_offset = &host::utc_offset, .now = host::machine_now()};
  if (daemon) look.cycle = daemon->cycle;
  return look;
}

std::optional<base::Time> next_try(const Arguments& arguments, const settings::Config& config) {
  const auto daemon = daemon_of(arguments, config);
  return daemon ? daemon->next_wake : std::nullopt;
}

std::string text_of(const Arguments& arguments, const report::DayCalendar& calendar,
                    const settings::Environment& environment) {
  if (arguments.json) return report::calendar_json(calendar);
  return report::calendar_text(calendar,
                               {.width = terminal::table_width(STDOUT_FILENO),
                                .colour = terminal::use_colour(arguments.colour, STDOUT_FILENO, environment)});
}

/// Only a daemon knows what is being downloaded now.
base::Result<std::string> calendar_of(const Arguments& arguments, const settings::Config& config,
                                      const catalogue::Catalogue& catalogue, const settings::Environment& environment) {
  auto facts = wiring::day_facts(config, host::machine_now());
  if (!facts) return facts.error();
  const auto daemon = daemon_of(arguments, config);
  if (daemon && daemon->cycle)
    for (const auto& download : daemon->cycle->downloads) facts->downloading.push_back(download.name);
  const auto records = report::calendar_records(catalogue, report::first_day(facts->today, report::days_of_a_year));
  if (!records) return records.error();
  const auto settled = wiring::settled_day(config, records->coverage.listed_at);
  if (!settled) return settled.error();
  facts->settled = *settled;
  return text_of(arguments, report::calendar_of(*records, *facts, report::days_of_a_year), environment);
}

base::Result<std::string> text_of(const Arguments& arguments, const settings::Config& config,
                                  const catalogue::Catalogue& catalogue, const settings::Environment& environment) {
  if (arguments.calendar) return calendar_of(arguments, config, catalogue, environment);
  const auto width = terminal::table_width(STDOUT_FILENO);
  if (arguments.command == Command::files) {
    const auto rows = report::file_rows(catalogue);
    if (rows.has_error()) return rows.error();
    return arguments.json ? report::files_json(*rows) : report::files_text(*rows, width, &host::utc_offset);
  }
  if (arguments.command == Command::coverage) {
    const auto coverage = report::coverage_of(catalogue);
    if (coverage.has_error()) return coverage.error();
    if (arguments.json) return report::coverage_json(*coverage);
    return report::coverage_text(*coverage, width, &host::utc_offset, next_try(arguments, config));
  }
  // Before the catalogue is read: a cycle that ends in between is shown with its end.
  const auto look = look_at_cycle(arguments, config);
  const auto cycles = catalogue.history(arguments.newest);
  if (cycles.has_error()) return cycles.error();
  return arguments.json ? report::history_json(*cycles, look) : report::history_text(*cycles, width, look);
}

/// The answer for an empty mirror.
std::string text_of_nothing(const Arguments& arguments, const settings::Environment& environment) {
  if (arguments.calendar) {
    report::DayCalendar calendar;
    calendar.today = std::chrono::floor<std::chrono::days>(host::machine_now());
    return text_of(arguments, calendar, environment);
  }
  const auto width = terminal::table_width(STDOUT_FILENO);
  if (arguments.command == Command::files)
    return arguments.json ? report::files_json({}) : report::files_text({}, width);
  if (arguments.command == Command::coverage)
    return arguments.json ? report::coverage_json({}) : report::coverage_text({}, width);
  return arguments.json ? report::history_json({}) : report::history_text({}, width);
}

}  // namespace

ExitStatus answer(const Arguments& arguments, const settings::Config& config,
                  const settings::Environment& environment) {
  const auto catalogue = wiring::open_to_read(config.mirror.catalogue, config.mirror.directory);
  if (catalogue.has_error()) return fail(catalogue.error());
  if (!*catalogue) {
    say("vtmirror: no cycle has run yet: start one with `vtmirror sync`\n");
    std::cout << text_of_nothing(arguments, environment) << std::flush;
    return done;
  }
  const auto text = text_of(arguments, config, **catalogue, environment);
  if (text.has_error()) return fail(text.error());
  std::cout << *text << std::flush;
  return done;
}

namespace {

struct Changes {
  std::vector<core::Change> list{};
  std::string session{};
};

ExitStatus print_table(const std::vector<core::Change>& changes) {
  std::cout << report::changes_text(changes, terminal::table_width(STDOUT_FILENO), &host::utc_offset) << std::flush;
  return done;
}

base::Result<Changes> from_catalogue(const settings::Config::Mirror& mirror, std::int64_t since) {
  const auto catalogue = wiring::open_to_read(mirror.catalogue, mirror.directory);
  if (catalogue.has_error()) return catalogue.error();
  if (!*catalogue) {
    say("vtmirror: no cycle has run yet: start one with `vtmirror sync`\n");
    if (since == 0) return Changes();
    return Changes{.list = {core::Change{.kind = core::ChangeKind::reset, .name = ""}}};
  }
  auto changes = (*catalogue)->changes_since(since);
  if (changes.has_error()) return changes.error();
  auto edition = (*catalogue)->edition_now();
  if (edition.has_error()) return edition.error();
  return Changes{std::move(*changes), std::move(edition->session)};
}

/// Prints the daemon's JSON unchanged, so that keys of a newer daemon are kept.
ExitStatus print_answer(const Arguments& arguments, const std::string& json) {
  const auto changes = report::parse_changes(json);
  if (changes.has_error()) return fail_refused(changes.error());
  if (!arguments.json) return print_table(*changes);
  std::cout << json << (json.ends_with('\n') ? "" : "\n") << std::flush;
  return done;
}

}  // namespace

ExitStatus changes(const Arguments& arguments, const settings::Environment& environment) {
  const auto json = client::ask(client::socket_of(arguments.socket, arguments.config, environment),
                                {"GET", "/v1/changes?since=" + std::to_string(arguments.since)});
  if (json.has_value()) return print_answer(arguments, *json);
  if (!client::is_absent(json.error())) return fail_refused(json.error());
  const auto read = load_or_report(arguments, environment);
  if (!read) return exit_status(read.error().code);
  const auto changes = from_catalogue(read->config.mirror, arguments.since);
  if (changes.has_error()) {
    say(report::error_lines(changes.error()));
    return exit_status(changes.error().code);
  }
  if (!arguments.json) return print_table(changes->list);
  std::cout << report::changes_json(changes->list, changes->session) << std::flush;
  return done;
}

}  // namespace vtmirror::cli
