// Parses the command line. Never acts on it.
#pragma once

#include "cli/run.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace vtmirror::cli {

enum class Command {
  run,
  sync,
  status,
  files,
  coverage,
  history,
  changes,
  next,
  ack,
  consumers,
  wait,
  notify_test,
  config_check,
  config_show,
  secret_status,
  secret_rotate,
  secret_set
};

struct Arguments {
  Command command{};
  std::string config = "/etc/vtmirror/vtmirror.toml";
  std::optional<std::string> socket;
  std::optional<ports::Level> log_level;
  terminal::ColourChoice colour = terminal::ColourChoice::automatic;
  bool dry_run = false;
  bool refill = false;
  bool json = false;
  bool watch = false;
  bool check = false;
  int newest = 20;
  std::int64_t since = 0;  ///< a generation
  std::string consumer{};  ///< whose files, or, for `consumers`, which is to be dropped
  std::string ticket{};
  std::string through{};  ///< a day; empty: that of today's delta
  std::string timeout{};  ///< a duration; empty: none
};

/// The program prints this and exits: help, the version, or what is wrong with the arguments.
struct Farewell {
  ExitStatus status = done;
  std::string text;        ///< to stdout when `status` is `done`, otherwise to stderr
  bool is_result = false;  ///< to stdout all the same: a monitoring system reads nothing else
};

/// `arguments` starts with the program's name, as in main.
std::variant<Arguments, Farewell> parse_arguments(std::span<const char* const> arguments,
                                                  const settings::Environment& environment);

}  // namespace vtmirror::cli
