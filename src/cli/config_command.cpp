#include "cli/commands.hpp"
#include "cli/proof.hpp"
#include "cli/say.hpp"
#include "cli/service_view.hpp"
#include "cli/start_check.hpp"
#include "cli/warnings.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/settings/places.hpp"
#include "vtmirror/settings/secret_in_use.hpp"
#include "vtmirror/settings/show.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::cli {
namespace {

constexpr std::string_view secret_names[] = {settings::client_secret, settings::api_key};

std::string key_of(std::string_view name) { return "credentials." + std::string(name) + "_file"; }

bool drop_in_passes(std::string_view name) {
  const auto part = '=' + std::string(name) + ':';
  return drop_in_has("LoadCredential", part) || drop_in_has("SetCredential", part);
}

void add_mistake(settings::ReadConfig& read, const std::string& key, std::string what) {
  read.mistakes.push_back({place_of(read, key), key, std::move(what)});
}

void say_place(std::string_view name, const std::string& place) {
  say("vtmirror: ", name, ": the service loads it from ", place, '\n');
}

/// No setting names the secret, and it is in none of the default places.
void check_missing(Warnings& warnings, settings::ReadConfig& read, std::string_view name, const std::string& what) {
  const auto key = key_of(name);
  const auto place = settings::stored_credential(name);
  const int seen = ::access(place.c_str(), F_OK) == 0 ? 0 : errno;
  if (seen == 0 || drop_in_passes(name)) {
    say_place(name, seen == 0 ? place : "the place that a drop-in of its unit names");
  } else if (seen == EACCES) {
    warnings.add(place_of(read, key), key, what + "; for the service, store it in " + place);
  } else {
    add_mistake(read, key, what + "; for the service, store it in " + place);
  }
}

/// What root can read, and the daemon perhaps not.
void check_for_service(settings::ReadConfig& read, const ServiceView& view, const std::string& key,
                       const std::string& file, const std::string& advice) {
  const auto fault = fault_for_service(view, file, R_OK);
  if (!fault.empty()) add_mistake(read, key, file + ": " + fault + "; " + advice);
}

/// A secret that this user may not read is not a mistake: the daemon may be another user.
void check_secrets(Warnings& warnings, settings::ReadConfig& read, const settings::Environment& environment,
                   const ServiceView& view) {
  for (const auto name : secret_names) {
    const auto found = settings::find_secret(read.config, name, environment);
    const auto secret = settings::read_secret(found);
    const auto key = key_of(name);
    if (secret.has_value() && found.path == settings::stored_credential(name)) say_place(name, found.path);
    if (secret.has_value() && found.set)
      check_for_service(read, view, key, found.path,
                        "store it in " + settings::stored_credential(name) + " and remove this setting");
    if (secret.has_value()) continue;
    const bool hidden = ::access(found.path.c_str(), R_OK) != 0 && errno == EACCES;
    if (hidden) {
      warnings.add(place_of(read, key), key, secret.error().detail);
    } else if (found.exists || found.set) {
      add_mistake(read, key, secret.error().detail);
    } else {
      check_missing(warnings, read, name, secret.error().detail);
    }
  }
}

/// The daemon does not start without the group.
void check_group(settings::ReadConfig& read) {
  const auto& group = read.config.control.group;
  if (group.empty() || ::getgrnam(group.c_str()) != nullptr) return;
  add_mistake(read, "control.group", "there is no group " + base::printable(group));
}

/// Why a program cannot be started; empty if it can, or if this user may not see it. A name without a slash is
/// searched for in the daemon's PATH.
std::string fault_of(const std::string& program, const ServiceView& view) {
  if (program.find('/') == std::string::npos) return {};
  struct stat status {};
  if (::stat(program.c_str(), &status) != 0)
    return errno == EACCES ? "" : base::printable(program) + ": " + std::strerror(errno);
  constexpr mode_t may_execute = S_IXUSR | S_IXGRP | S_IXOTH;
  const bool is_program = S_ISREG(status.st_mode) && (status.st_mode & may_execute) != 0;
  if (!is_program) return base::printable(program) + " is not an executable file";
  const auto fault = fault_for_service(view, program, X_OK);
  return fault.empty() ? fault : base::printable(program) + ": " + fault;
}

/// The daemon runs all the same, and reports each notification that cannot be delivered.
void check_programs(Warnings& warnings, const settings::ReadConfig& read, const ServiceView& view) {
  const auto& notify = read.config.notify;
  if (const auto fault = fault_of(notify.sendmail, view); !notify.mail_to.empty() && !fault.empty())
    warnings.add(place_of(read, "notify.sendmail"), "notify.sendmail", fault);
  for (std::size_t i = 0; i < read.config.hooks.size(); ++i) {
    const auto& command = read.config.hooks[i].command;
    const auto fault = command.empty() ? std::string() : fault_of(command.front(), view);
    if (!fault.empty()) warnings.add(read.hook_commands.at(i), "hook.command", fault);
  }
}

/// One try a day may be meant.
void check_schedule(Warnings& warnings, const settings::ReadConfig& read) {
  const auto& schedule = read.config.schedule;
  if (schedule.give_up < schedule.retry)
    warnings.add(place_of(read, "schedule.give_up"), "schedule.give_up",
                 "is shorter than schedule.retry, so that each day has one try");
}

ExitStatus say_mistakes(const std::string& file, const std::vector<settings::Mistake>& mistakes) {
  for (const auto& mistake : mistakes) say(mistake_line(file, mistake), '\n');
  return mistakes.empty() ? done : wrong;
}

/// Of a file that is not TOML no setting is known, and its one mistake has no key.
bool is_toml(const settings::ReadConfig& read) { return read.mistakes.empty() || !read.mistakes.front().key.empty(); }

std::string secret_line(const settings::Config& config, std::string_view name,
                        const settings::Environment& environment) {
  const auto file = settings::find_secret(config, name, environment);
  const auto secret = settings::read_secret(file);
  const auto state = secret.has_value() ? "******** from " + file.path : secret.error().detail;
  return "# " + std::string(name) + ": " + state + '\n';
}

/// The first step for somebody without settings, and for an ordinary user who may not read those of the service.
void say_unread(const base::Error& error, const Arguments& arguments, const settings::Environment& environment) {
  const bool is_root = ::geteuid() == 0;
  const auto asked = unanswered(error, arguments, environment, is_root);
  const bool is_there = ::access(arguments.config.c_str(), F_OK) == 0;
  if (!is_there && asked.daemon == report::AskedDaemon::none) return say("vtmirror: ", report::advice(asked), '\n');
  say("vtmirror: ", error.detail, '\n');
  if (is_there && !is_root && arguments.config == settings::system_settings_file)
    say("vtmirror: use `sudo`, or for a mirror of your own begin with `vtmirror config init`\n");
}

base::Result<settings::ReadConfig> load(const Arguments& arguments, const settings::Environment& environment) {
  auto read = settings::load_config(arguments.config, environment);
  if (read.has_error()) {
    say_unread(read.error(), arguments, environment);
    return read.error();
  }
  if (arguments.socket) read->config.control.socket = *arguments.socket;
  settings::resolve_paths(read->config, environment);
  return std::move(*read);
}

}  // namespace

base::Result<settings::ReadConfig> load_or_report(const Arguments& arguments,
                                                  const settings::Environment& environment) {
  auto read = load(arguments, environment);
  if (read && say_mistakes(arguments.config, read->mistakes) != done) return base::Error{base::Errc::config};
  return read;
}

ExitStatus check_config(const Arguments& arguments, const settings::Environment& environment) {
  auto read = load(arguments, environment);
  if (!read) return exit_status(read.error().code);
  Warnings warnings(arguments.config);
  // Of a file that is not TOML no setting is known.
  if (read->mistakes.empty() || !read->given.empty()) {
    const auto view = service_view(read->config, arguments.config);
    check_secrets(warnings, *read, environment, view);
    check_start(warnings, *read, arguments.config, environment, view);
    check_group(*read);
    check_programs(warnings, *read, view);
    check_schedule(warnings, *read);
  }
  const auto line_of = [](const settings::Mistake& mistake) { return mistake.at.line; };
  std::ranges::stable_sort(read->mistakes, {}, line_of);
  if (const auto status = say_mistakes(arguments.config, read->mistakes); status != done) return status;
  wiring::forbid_core_dumps();
  const auto secrets = wiring::look_at_secrets(read->config, settings::read_secret_files(read->config, environment));
  // Where this user may not read everything, a warning has said so.
  const bool is_refused = !secrets && warnings.count() == 0 && secrets.error().code == base::Errc::config;
  if (is_refused) return fail(secrets.error());
  std::cout << arguments.config << ": no mistakes"
            << (warnings.count() > 0 ? ", but " + base::counted(warnings.count(), "warning") : std::string()) << '\n'
            << std::flush;
  if (!arguments.online) return done;
  if (!secrets) return fail(secrets.error());
  return prove(arguments, read->config, *secrets, environment);
}

ExitStatus show_config(const Arguments& arguments, const settings::Environment& environment) {
  const auto read = load(arguments, environment);
  if (!read) return exit_status(read.error().code);
  const auto status = say_mistakes(arguments.config, read->mistakes);
  if (!is_toml(*read)) return status;
  std::cout << "# " << arguments.config << '\n';
  for (const auto name : secret_names) std::cout << secret_line(read->config, name, environment);
  std::cout << '\n' << settings::show_config(read->config, read->given, read->mistakes) << std::flush;
  return status;
}

}  // namespace vtmirror::cli
