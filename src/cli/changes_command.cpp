#include "cli/changes_command.hpp"

#include "cli/config_command.hpp"
#include "vtmirror/client/control_client.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/changes.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <system_error>

namespace vtmirror::cli {
namespace {

using Changes = base::Result<std::vector<catalogue::Change>>;

ExitStatus print(const Arguments& arguments, const std::vector<catalogue::Change>& changes) {
  std::cout << (arguments.json ? report::changes_json(changes)
                               : report::changes_text(changes, terminal::table_width(STDOUT_FILENO)))
            << std::flush;
  return done;
}

Changes from_catalogue(const std::string& path, std::int64_t since) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) {
    std::cerr << "vtmirror: no cycle has run yet: start one with `vtmirror sync`\n";
    return std::vector<catalogue::Change>();
  }
  const auto catalogue = catalogue::Catalogue::open(path, catalogue::Access::read_only);
  if (catalogue.has_error()) return catalogue.error();
  return catalogue->changes_since(since);
}

/// Prints the daemon's JSON unchanged, so that keys of a newer daemon are kept.
ExitStatus print_answer(const Arguments& arguments, const std::string& json) {
  const auto changes = report::parse_changes(json);
  if (changes.has_error()) return fail_unanswered(changes.error());
  if (!arguments.json) return print(arguments, *changes);
  std::cout << json << (json.ends_with('\n') ? "" : "\n") << std::flush;
  return done;
}

}  // namespace

ExitStatus changes(const Arguments& arguments, const settings::Environment& environment) {
  const auto json = client::ask(client::socket_of(arguments.socket, arguments.config),
                                {"GET", "/v1/changes?since=" + std::to_string(arguments.since)});
  if (json.has_value()) return print_answer(arguments, *json);
  if (!client::is_absent(json.error())) return fail_unanswered(json.error());
  const auto read = load_or_tell(arguments, environment);
  if (!read) return wrong;
  const auto changes = from_catalogue(read->config.mirror.catalogue, arguments.since);
  if (changes.has_value()) return print(arguments, *changes);
  std::cerr << report::tell(changes.error());
  return exit_status(changes.error().code);
}

}  // namespace vtmirror::cli
