#include "cli/commands.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/settings/secret_in_use.hpp"
#include "vtmirror/settings/show.hpp"

#include <grp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::cli {
namespace {

constexpr std::string_view secret_names[] = {settings::client_secret, settings::api_key};

std::string key_of(std::string_view name) { return "credentials." + std::string(name) + "_file"; }

/// Where systemd loads the secret from for the service (systemd/vtmirror.service). Only root can look there.
std::string place_for_the_service(std::string_view name) { return "/etc/credstore/vtmirror." + std::string(name); }

std::string tell_missing(std::string_view name, const base::Error& error) {
  const auto place = place_for_the_service(name);
  if (::access(place.c_str(), F_OK) == 0) return "the service loads it from " + place;
  return error.detail + "; for the service, store it in " + place;
}

/// A secret that systemd loads from elsewhere, or that this user may not read, is not a mistake in the settings file.
void check_secrets(settings::ReadConfig& read, const settings::Environment& environment) {
  for (const auto name : secret_names) {
    const auto file = settings::find_secret(read.config, name, environment);
    const auto secret = settings::read_secret(file);
    if (secret.has_value()) continue;
    const bool hidden = ::access(file.path.c_str(), R_OK) != 0 && errno == EACCES;
    if ((file.exists || file.set) && !hidden) {
      const auto at = read.given.find(key_of(name));
      read.mistakes.push_back(
          {at == read.given.end() ? settings::Position{} : at->second, key_of(name), secret.error().detail});
    } else {
      std::cerr << "vtmirror: " << name << ": "
                << (file.exists ? secret.error().detail : tell_missing(name, secret.error())) << '\n';
    }
  }
}

void check_ca_file(settings::ReadConfig& read) {
  const auto& file = read.config.service.ca_file;
  if (!file.starts_with('/') || ::access(file.c_str(), R_OK) == 0 || errno == EACCES) return;
  read.mistakes.push_back({read.given.at("service.ca_file"), "service.ca_file", file + ": " + std::strerror(errno)});
}

/// Not a mistake in the settings file: without a daemon, no group is needed.
void tell_missing_group(const std::string& group) {
  if (group.empty() || ::getgrnam(group.c_str()) != nullptr) return;
  std::cerr << "vtmirror: control.group: there is no group " << base::printable(group)
            << ": the daemon will not start\n";
}

ExitStatus tell_mistakes(const std::string& file, const std::vector<settings::Mistake>& mistakes) {
  for (const auto& mistake : mistakes) std::cerr << tell(file, mistake) << '\n';
  return mistakes.empty() ? done : wrong;
}

std::string secret_line(const settings::Config& config, std::string_view name,
                        const settings::Environment& environment) {
  const auto file = settings::find_secret(config, name, environment);
  const auto secret = settings::read_secret(file);
  const auto state = secret.has_value() ? "******** from " + file.path : secret.error().detail;
  return "# " + std::string(name) + ": " + state + '\n';
}

std::optional<settings::ReadConfig> load(const Arguments& arguments, const settings::Environment& environment) {
  auto read = settings::load_config(arguments.config);
  if (read.has_error()) {
    std::cerr << "vtmirror: " << read.error().detail << '\n';
    if (::access(arguments.config.c_str(), F_OK) != 0)
      std::cerr << "vtmirror: to use another settings file, give --config or set VTMIRROR_CONFIG\n";
    return std::nullopt;
  }
  if (arguments.socket) read->config.control.socket = *arguments.socket;
  settings::resolve_paths(read->config, environment);
  return std::move(*read);
}

}  // namespace

std::optional<settings::ReadConfig> load_or_tell(const Arguments& arguments, const settings::Environment& environment) {
  auto read = load(arguments, environment);
  if (read && tell_mistakes(arguments.config, read->mistakes) != done) return std::nullopt;
  return read;
}

ExitStatus check_config(const Arguments& arguments, const settings::Environment& environment) {
  auto read = load(arguments, environment);
  if (!read) return wrong;
  check_secrets(*read, environment);
  check_ca_file(*read);
  tell_missing_group(read->config.control.group);
  const auto line_of = [](const settings::Mistake& mistake) { return mistake.at.line; };
  std::ranges::stable_sort(read->mistakes, {}, line_of);
  if (const auto status = tell_mistakes(arguments.config, read->mistakes); status != done) return status;
  std::cout << arguments.config << ": no mistakes\n" << std::flush;
  return done;
}

ExitStatus show_config(const Arguments& arguments, const settings::Environment& environment) {
  const auto read = load_or_tell(arguments, environment);
  if (!read) return wrong;
  std::cout << "# " << arguments.config << '\n';
  for (const auto name : secret_names) std::cout << secret_line(read->config, name, environment);
  std::cout << '\n' << settings::show_config(read->config, read->given) << std::flush;
  return done;
}

}  // namespace vtmirror::cli
