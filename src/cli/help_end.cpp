// How the help of each command ends.
#include "cli/command_options.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace vtmirror::cli {
namespace {

struct End {
  std::vector<std::string_view> examples;
  std::string_view statuses;
};

constexpr std::string_view of_reading = "0 done; 1 the catalogue cannot be read; 2 wrong usage or settings.";
constexpr std::string_view of_changing =
    "0 done; 1 failed, or not all of it done; 2 wrong usage or settings; "
    "4 another process holds the mirror; 130 interrupted by Ctrl-C.";
constexpr std::string_view of_consumers =
    "0 done; 1 failed; 2 wrong usage or settings; 4 another process holds the mirror.";
constexpr std::string_view of_secrets = "0 done; 1 failed; 2 wrong usage or settings.";

End end_of(Command command) {
  switch (command) {
    case Command::run:
      return {{"vtmirror run", "sudo systemctl start vtmirror"},
              "0 stopped by SIGTERM or SIGINT; 1 failed; 2 wrong usage or settings; "
              "4 another process holds the mirror."};
    case Command::sync:
      return {{"vtmirror sync --dry-run", "vtmirror sync"},
              "0 complete; 1 failed, or not all of it done; 2 wrong usage or settings; "
              "4 another process holds the mirror; 130 interrupted by Ctrl-C."};
    case Command::status:
      return {{"vtmirror status --watch", "vtmirror status --check"},
              "0 done; 1 failed; 2 wrong usage; 3 no daemon answers. "
              "With --check: 0 ok; 1 warning; 2 critical; 3 unknown, also wrong usage."};
    case Command::files:
      return {{"vtmirror files", "vtmirror files --json | jq ."}, of_reading};
    case Command::coverage:
      return {{"vtmirror coverage"}, of_reading};
    case Command::history:
      return {{"vtmirror history -n 5"}, of_reading};
    case Command::changes:
      return {{"vtmirror changes --since 42"}, of_reading};
    case Command::verify:
      return {{"vtmirror verify bulk 2026-11-16", "vtmirror verify --repair"},
              "0 every file is whole; 1 damaged, lost or unread files are left; "
              "2 wrong usage or settings; 4 another process holds the mirror; "
              "130 interrupted by Ctrl-C."};
    case Command::adopt:
      return {{"vtmirror adopt /srv/downloads"}, of_changing};
    case Command::prune:
      return {{"vtmirror prune --dry-run"}, of_changing};
    case Command::cat:
      return {{"vtmirror cat 2026-11-16 | head", "vtmirror cat --chain > all.jsonl"},
              "0 done; 1 damaged, not held or not readable; 2 wrong usage or settings."};
    case Command::next:
      return {{"vtmirror next warehouse"}, of_consumers};
    case Command::ack:
      return {
          {"vtmirror ack warehouse 43-7"},
          "0 done; 1 refused, such as another ticket; 2 wrong usage or settings; 4 another process holds the mirror."};
    case Command::consumers:
      return {{"vtmirror consumers", "vtmirror consumers --forget warehouse"}, of_consumers};
    case Command::wait:
      return {{"vtmirror wait --timeout 2h && ./load-today"},
              "0 the chain is complete through the day; 1 not in time, or failed; "
              "2 wrong usage or settings; 130 interrupted by Ctrl-C."};
    case Command::notify_test:
      return {{"vtmirror notify test"}, "0 every channel has accepted it; 1 one has not; 2 wrong usage or settings."};
    case Command::config_init:
      return {{"vtmirror config init", "vtmirror config init --output ./vtmirror.toml"},
              "0 written and tested; 1 a test failed; 2 wrong usage or answers."};
    case Command::config_check:
      return {{"vtmirror config check --online"}, "0 no mistake; 1 an online test failed; 2 mistakes, or wrong usage."};
    case Command::config_show:
      return {{"vtmirror config show"},
              "0 done; 2 mistakes in the settings, whose other keys are shown, or wrong usage."};
    case Command::secret_status:
      return {{"vtmirror secret status"}, of_secrets};
    case Command::secret_rotate:
      return {{"sudo vtmirror secret rotate"}, of_secrets};
    case Command::secret_set:
      break;
  }
  return {{"sudo vtmirror secret set < new-secret"}, of_secrets};
}

/// Broken between words, within 80 columns.
std::string wrapped(std::string_view text) {
  constexpr std::size_t width = 80;
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool fits = column + 1 + word.size() <= width;
    if (column > 0) lines += fits ? ' ' : '\n';
    column = fits && column > 0 ? column + 1 + word.size() : word.size();
    lines += word;
  }
  return lines;
}

}  // namespace

const char* const program_help_end =
    "Exit statuses: 0 done; 1 tried and failed, or not all of it done;\n"
    "2 wrong usage or settings; 3 no daemon answers;\n"
    "4 another process holds the mirror; 130 interrupted by Ctrl-C.\n"
    "\n"
    "To begin: `vtmirror config init` asks for the settings; then `vtmirror sync`.";

std::string help_end(Command command) {
  const auto end = end_of(command);
  std::string text;
  for (const auto example : end.examples) text += (text.empty() ? "Example: " : "\n         ") + std::string(example);
  text += '\n' + wrapped("Exit status: " + std::string(end.statuses));
  return text + "\nOptions of all commands: see `vtmirror --help`";
}

}  // namespace vtmirror::cli
