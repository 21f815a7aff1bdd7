// Parses the command line. Never acts on it.
#pragma once

#include "cli/run.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/settings/places.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace vtmirror::cli {

enum class Command {
  run,
  sync,
  status,
  files,
  coverage,
  history,
  changes,
  verify,
  adopt,
  prune,
  cat,
  next,
  ack,
  consumers,
  wait,
  notify_test,
  config_check,
  config_show,
  config_init,
  secret_status,
  secret_rotate,
  secret_set
};

/// What `vtmirror config init` was given; it asks for the rest. In the order of the questions.
struct InitAnswers {
  std::optional<std::string> base_url;
  std::optional<std::string> token_url;
  std::optional<std::string> scope;
  std::optional<std::string> client_id;
  std::optional<std::string> email;
  std::optional<std::string> client_secret_file;
  std::optional<std::string> api_key_file;
  std::optional<std::string> ca_file;
  std::optional<std::string> output;
  bool force = false;  ///< answers that the file has already are replaced; those of the options alone, if there are any

  /// Whether an option answers something.
  bool has_any() const {
    return base_url || token_url || scope || client_id || email || client_secret_file || api_key_file || ca_file;
  }
};

struct Arguments {
  Command command{};
  std::string config = settings::system_settings_file;
  std::optional<std::string> socket;
  std::optional<ports::Level> log_level;
  terminal::ColourChoice colour = terminal::ColourChoice::automatic;
  bool dry_run = false;
  bool refill = false;
  bool json = false;
  bool quiet = false;
  bool watch = false;
  bool check = false;
  bool calendar = false;
  bool online = false;
  InitAnswers init{};
  int newest = 20;
  std::int64_t since = 0;            ///< a generation
  std::vector<std::string> names{};  ///< of files
  bool repair = false;
  std::string rate{};       ///< of `verify`; empty: none
  std::string directory{};  ///< of `adopt`
  bool copy = false;
  std::string file{};  ///< of `cat`, as core/file_selection.hpp reads it; empty with `chain`
  std::optional<std::string> member{};
  bool chain = false;
  std::string consumer{};  ///< whose files, or, for `consumers`, which is to be dropped
  std::string ticket{};
  std::string through{};  ///< a day; empty: that of today's delta
  std::string timeout{};  ///< a duration; empty: none
};

/// The program prints this and exits: help, the version, or what is wrong with the arguments.
struct Farewell {
  ExitStatus status = done;
  std::string text;        ///< to stdout when `status` is `done`, otherwise to stderr
  bool is_result = false;  ///< goes to stdout nevertheless: a monitoring system reads nothing else
};

/// `arguments` starts with the program's name, as in main.
std::variant<Arguments, Farewell> parse_arguments(std::span<const char* const> arguments,
                                                  const settings::Environment& environment);

}  // namespace vtmirror::cli
