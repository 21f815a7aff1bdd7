#include "cli/mirror_commands.hpp"

#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/coverage.hpp"
#include "vtmirror/report/files.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <system_error>

namespace vtmirror::cli {
namespace {

base::Result<std::string> text_of(const Arguments& arguments, const catalogue::Catalogue& catalogue) {
  const auto width = terminal::table_width(STDOUT_FILENO);
  if (arguments.command == Command::files) {
    const auto rows = report::file_rows(catalogue);
    if (rows.has_error()) return rows.error();
    return arguments.json ? report::files_json(*rows) : report::files_text(*rows, width);
  }
  if (arguments.command == Command::coverage) {
    const auto coverage = report::coverage_of(catalogue);
    if (coverage.has_error()) return coverage.error();
    return arguments.json ? report::coverage_json(*coverage) : report::coverage_text(*coverage, width);
  }
  const auto cycles = catalogue.history(arguments.newest);
  if (cycles.has_error()) return cycles.error();
  return arguments.json ? report::history_json(*cycles) : report::history_text(*cycles, width);
}

/// The answer for an empty mirror.
std::string text_of_nothing(const Arguments& arguments) {
  const auto width = terminal::table_width(STDOUT_FILENO);
  if (arguments.command == Command::files)
    return arguments.json ? report::files_json({}) : report::files_text({}, width);
  if (arguments.command == Command::coverage)
    return arguments.json ? report::coverage_json({}) : report::coverage_text({}, width);
  return arguments.json ? report::history_json({}) : report::history_text({}, width);
}

}  // namespace

ExitStatus answer(const Arguments& arguments, const settings::Config& config) {
  std::error_code error;
  const bool exists = std::filesystem::exists(config.mirror.catalogue, error);
  if (!exists && !error) {
    std::cerr << "vtmirror: no cycle has run yet: start one with `vtmirror sync`\n";
    std::cout << text_of_nothing(arguments) << std::flush;
    return done;
  }
  const auto catalogue = catalogue::Catalogue::open(config.mirror.catalogue, catalogue::Access::read_only);
  if (catalogue.has_error()) return fail(catalogue.error());
  const auto text = text_of(arguments, *catalogue);
  if (text.has_error()) return fail(text.error());
  std::cout << *text << std::flush;
  return done;
}

}  // namespace vtmirror::cli
