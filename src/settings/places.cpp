#include "vtmirror/settings/places.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace vtmirror::settings {
namespace {

/// The directory that the variable names, or else `fallback` below the home directory. Empty if neither is known.
std::string base_directory(const Environment& environment, const std::string& variable, std::string_view fallback) {
  if (auto set = environment(variable); set && set->starts_with('/')) return *std::move(set);
  const auto home = home_directory(environment);
  return home.empty() ? home : home + std::string(fallback);
}

}  // namespace

std::string home_directory(const Environment& environment) {
  if (auto home = environment("HOME"); home && home->starts_with('/')) return *std::move(home);
  std::vector<char> texts(1 << 14);
  struct passwd entry {};
  struct passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, texts.data(), texts.size(), &found) != 0 || found == nullptr) return {};
  return found->pw_dir;
}

std::string below_home(std::string path, const std::string& home) {
  if (home.empty() || (path != "~" && !path.starts_with("~/"))) return path;
  return path.replace(0, 1, home);
}

std::string own_settings_file(const Environment& environment) {
  const auto directory = base_directory(environment, "XDG_CONFIG_HOME", "/.config");
  return directory.empty() ? directory : directory + "/vtmirror/vtmirror.toml";
}

std::string default_settings_file(const Environment& environment, bool is_root) {
  const auto own = is_root ? std::string() : own_settings_file(environment);
  return !own.empty() && ::access(own.c_str(), F_OK) == 0 ? own : system_settings_file;
}

bool is_own(const std::string& settings_file) {
  const auto user = ::geteuid();
  struct stat found {};
  return user != 0 && ::stat(settings_file.c_str(), &found) == 0 && found.st_uid == user;
}

std::string given_state_directory(const Environment& environment) {
  auto given = environment("STATE_DIRECTORY").value_or("");
  given.erase(std::min(given.find(':'), given.size()));
  return given.starts_with('/') ? given : std::string();
}

void use_own_places(ReadConfig& read, const Environment& environment) {
  const auto is_given = [&](const char* key) { return read.given.contains(key); };
  auto& config = read.config;
  if (!is_given("control.group")) config.control.group.clear();
  const auto states = base_directory(environment, "XDG_STATE_HOME", "/.local/state");
  const bool has_state = is_given("mirror.state_directory") || !given_state_directory(environment).empty();
  if (!has_state && !states.empty()) config.mirror.state_directory = states + "/vtmirror";
  if (is_given("control.socket")) return;
  const auto runtime = environment("XDG_RUNTIME_DIR").value_or("");
  if (runtime.starts_with('/'))
    config.control.socket = runtime + "/vtmirror/control.sock";
  else if (!config.mirror.state_directory.empty())
    config.control.socket = config.mirror.state_directory + "/control.sock";
}

}  // namespace vtmirror::settings
