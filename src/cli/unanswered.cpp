#include "cli/unanswered.hpp"

#include "vtmirror/settings/places.hpp"

#include <unistd.h>

#include <cerrno>

namespace vtmirror::cli {
namespace {

using report::AskedDaemon;

/// A file in a directory that this user may not search counts as there.
bool is_missing(const std::string& file) {
  return ::access(file.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

AskedDaemon daemon_of(const Arguments& arguments, bool is_named) {
  if (arguments.socket)
    return *arguments.socket == settings::Config().control.socket ? AskedDaemon::system : AskedDaemon::other;
  if (is_missing(arguments.config)) return AskedDaemon::none;
  if (arguments.config == settings::system_settings_file) return AskedDaemon::system;
  return is_named ? AskedDaemon::named : AskedDaemon::own;
}

}  // namespace

report::Unanswered unanswered(const base::Error& error, const Arguments& arguments,
                              const settings::Environment& environment, bool is_root) {
  const bool is_named = arguments.config != settings::default_settings_file(environment, is_root) &&
                        arguments.config != settings::system_settings_file;
  return {.daemon = daemon_of(arguments, is_named),
          .is_root = is_root,
          .hangs = error.code == base::Errc::timed_out,
          .settings = is_named ? arguments.config : std::string()};
}

}  // namespace vtmirror::cli
