#include "vtmirror/wiring/obstacles.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/control/control.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/wiring/channels.hpp"
#include "wiring/shut.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

namespace vtmirror::wiring {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 || errno != ENOENT;
}

/// Whether `path` is `above`, or lies in it.
bool is_below(const std::string& path, const std::string& above) {
  const auto inner = fs::path(path).lexically_normal();
  const auto outer = fs::path(above).lexically_normal();
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

Obstacle obstacle(const std::string& key, const std::string& place, const Shut& shut) {
  const bool is_missing = shut.path != place && !exists(place);
  const auto begin = is_missing ? place + " does not exist, and cannot be made: " : std::string();
  return {key, begin + shut.path + ": " + shut.why, shut.is_of_right, is_missing};
}

std::optional<Obstacle> obstacle_of_socket(const settings::Config& config, const Access& access) {
  const std::string key = "control.socket";
  const auto& path = config.control.socket;
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0 && !S_ISSOCK(found.st_mode))
    return Obstacle{key, path + ": exists and is not a socket"};
  const auto home = base::directory_of(path);
  const auto& mirror = config.mirror;
  const auto is_made_before = [&](const std::string& directory) {
    const std::array made{mirror.state_directory, mirror.directory, base::directory_of(mirror.catalogue)};
    return !exists(directory) && std::ranges::any_of(made, [&](const auto& each) { return is_below(each, directory); });
  };
  if (is_made_before(home)) return std::nullopt;
  // An ordinary user's last directory is made.
  const auto above = base::directory_of(home);
  const bool is_users = ::geteuid() != 0 && !exists(home);
  if (is_users && is_made_before(above)) return std::nullopt;
  const bool is_made = is_users && exists(above);
  const auto shut = is_made ? shut_at(home, Expected::directory, access) : shut_directory_of_socket(path, access);
  if (!shut) return std::nullopt;
  auto found_shut = obstacle(key, home, *shut);
  found_shut.is_missing = !exists(home);
  return found_shut;
}

/// What only another address or another user changes.
std::optional<Obstacle> obstacle_of_address(const std::string& key, const std::string& address) {
  const int error = control::listening_error(address);
  const bool is_of_right = error == EACCES || error == EPERM;
  const bool is_of_address =
      error == EADDRNOTAVAIL || error == EAFNOSUPPORT || error == EPROTONOSUPPORT || error == EINVAL;
  if (!is_of_right && !is_of_address) return std::nullopt;
  return Obstacle{key,
                  address + ": " + std::generic_category().message(error) +
                      (is_of_address ? "; set an address of this machine: `ip address` lists them" : ""),
                  is_of_right};
}

}  // namespace

std::vector<Obstacle> obstacles_of_mirror(const settings::Config& config, const Access& access) {
  const auto& mirror = config.mirror;
  std::vector<Obstacle> all;
  std::vector<std::string> shut_places;
  const auto look = [&](const std::string& key, const std::string& place, const auto& shut_of) {
    const auto lies_in = [&](const std::string& other) { return is_below(place, other); };
    if (!place.starts_with('/') || std::ranges::any_of(shut_places, lies_in)) return;
    const auto shut = shut_of();
    if (!shut) return;
    all.push_back(obstacle(key, place, *shut));
    if (is_read_only(shut->path)) all.back().what += "; " + report::advice_on_unwritable(key, true);
    shut_places.push_back(place);
  };
  look("mirror.state_directory", mirror.state_directory,
       [&] { return shut_at(mirror.state_directory, Expected::directory, access); });
  look("mirror.catalogue", mirror.catalogue, [&] { return shut_catalogue(mirror.catalogue, access); });
  look("mirror.directory", mirror.directory, [&] { return shut_at(mirror.directory, Expected::directory, access); });
  return all;
}

std::vector<Obstacle> obstacles_of_control(const settings::Config& config, const Access& access) {
  std::vector<Obstacle> all;
  const auto add = [&all](std::optional<Obstacle> found) {
    if (found) all.push_back(*std::move(found));
  };
  if (config.control.socket.starts_with('/')) add(obstacle_of_socket(config, access));
  add(obstacle_of_address("control.metrics", config.control.metrics));
  add(obstacle_of_address("control.web", config.control.web));
  return all;
}

std::vector<Obstacle> obstacles_of_environment(const settings::Config& config,
                                               const settings::Environment& environment) {
  std::vector<Obstacle> all;
  if (config.service.proxy.empty())
    if (const auto proxy = net::check_proxy(config.service.proxy); !proxy) all.push_back({"", proxy.error().detail});
  if (const auto grace = hook_grace(environment); !grace) all.push_back({"", grace.error().detail});
  return all;
}

}  // namespace vtmirror::wiring
