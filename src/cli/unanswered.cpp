// Whose daemon a command asked, for what it says when none answers.
#include "cli/commands.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/settings/places.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace vtmirror::cli {
namespace {

using report::AskedDaemon;

/// A file in a directory that this user may not search counts as there.
bool is_missing(const std::string& file) {
  return ::access(file.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

bool is_without_socket(const settings::Mistake& mistake) {
  return mistake.key.empty() || mistake.key == "control.socket";
}

/// As the package ships the file: without an address and a client.
bool is_blank(const settings::Config& config) {
  return config.service.base_url.empty() && config.credentials.client_id.empty();
}

AskedDaemon daemon_of(const Arguments& arguments, const settings::Environment& environment, bool is_named) {
  if (arguments.socket)
    return *arguments.socket == settings::Config().control.socket ? AskedDaemon::system : AskedDaemon::other;
  if (is_missing(arguments.config)) return AskedDaemon::none;
  const auto read = settings::load_config(arguments.config, environment);
  if (read && std::ranges::any_of(read->mistakes, is_without_socket)) return AskedDaemon::unknown;
  if (is_named) return AskedDaemon::named;
  if (read && is_blank(read->config)) return AskedDaemon::none;
  return arguments.config == settings::system_settings_file ? AskedDaemon::system : AskedDaemon::own;
}

}  // namespace

report::Unanswered unanswered(const base::Error& error, const Arguments& arguments,
                              const settings::Environment& environment, bool is_root) {
  const bool is_named = arguments.config != settings::default_settings_file(environment, is_root) &&
                        arguments.config != settings::system_settings_file;
  const auto daemon = daemon_of(arguments, environment, is_named);
  return {.daemon = daemon,
          .is_root = is_root,
          .hangs = error.code == base::Errc::timed_out,
          .settings = is_named || daemon == AskedDaemon::unknown ? arguments.config : std::string()};
}

}  // namespace vtmirror::cli
