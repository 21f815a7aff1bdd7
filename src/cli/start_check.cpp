#include "cli/start_check.hpp"

#include "vtmirror/host/user.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/settings/places.hpp"
#include "vtmirror/wiring/obstacles.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

namespace vtmirror::cli {
namespace {

/// systemd makes it when the service starts (systemd/vtmirror.service).
constexpr std::string_view runtime_directory = "/run/vtmirror";

/// As whom the daemon will run, seen from the user who checks.
enum class Runner {
  this_user,
  service,  ///< another user, whom root can ask for
  unknown   ///< another user, or perhaps this one
};

bool owns(const std::string& directory) {
  struct stat found {};
  return ::stat(directory.c_str(), &found) == 0 && found.st_uid == ::geteuid();
}

Runner runner_of(const settings::Config& config, const std::string& settings_file, const ServiceView& view) {
  if (view.user) return Runner::service;
  const bool is_system = settings_file == settings::system_settings_file;
  const bool is_this = ::geteuid() == 0 || !is_system || owns(config.mirror.state_directory);
  return is_this ? Runner::this_user : Runner::unknown;
}

/// Root sees everything; what it finds for another user is known only as far as that user could be asked for.
wiring::Access access_of(const ServiceView& view) {
  if (!view.user) return wiring::own_access;
  return [user = *view.user](const std::string& path, int mode) {
    const auto error = host::access_error(user, path, mode);
    return error ? *error : 0;
  };
}

class StartCheck {
 public:
  StartCheck(Warnings& warnings, settings::ReadConfig& read, const std::string& settings_file, const ServiceView& view)
      : warnings_(warnings), read_(read), view_(view), runner_(runner_of(read.config, settings_file, view)) {}

  void check_mirror() {
    const bool is_default = read_.config.mirror.state_directory == settings::default_state_directory;
    for (const auto& each : wiring::obstacles_of_mirror(read_.config, access_of(view_))) {
      const bool is_made_by_systemd = is_default && each.is_missing && each.key == "mirror.state_directory";
      if (runner_ == Runner::this_user || !is_made_by_systemd) add(each);
    }
  }
  void check_control() {
    for (const auto& each : wiring::obstacles_of_control(read_.config, access_of(view_))) {
      if (each.is_of_right && runner_ == Runner::unknown) continue;
      if (each.is_missing && each.key == "control.socket" && is_made_socket()) continue;
      add(each);
    }
  }
  /// Another user's daemon has another environment.
  void check_environment(const settings::Environment& environment) {
    if (runner_ != Runner::this_user) return;
    for (const auto& each : wiring::obstacles_of_environment(read_.config, environment))
      read_.mistakes.push_back({{}, each.key, each.what});
  }
  void check_ca_file() {
    const std::string key = "service.ca_file";
    const auto& file = read_.config.service.ca_file;
    if (!file.starts_with('/') || is_mistaken(key)) return;
    if (::access(file.c_str(), R_OK) != 0 && errno == EACCES && runner_ != Runner::this_user) return;
    const auto checked = net::check_certificates(file);
    if (!checked && checked.error().code == base::Errc::io)
      return warnings_.add(place_of(read_, key), key, checked.error().detail);
    auto fault = checked ? fault_for_service(view_, file, R_OK) : checked.error().detail;
    if (checked && !fault.empty()) fault = file + ": " + fault + "; " + copy_advice(file);
    if (!fault.empty()) read_.mistakes.push_back({place_of(read_, key), key, fault});
  }

 private:
  bool is_mistaken(const std::string& key) const {
    return std::ranges::find(read_.mistakes, key, &settings::Mistake::key) != read_.mistakes.end();
  }
  bool is_made_socket() const {
    const auto home = std::filesystem::path(read_.config.control.socket).parent_path();
    return home == runtime_directory || (view_.in_unit && drop_in_has("RuntimeDirectory="));
  }
  /// A daemon that has been there starts again, although it may not be able to publish anything.
  bool was_used(const std::string& key) const {
    const auto& mirror = read_.config.mirror;
    const auto exists = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
    if (key == "mirror.state_directory") return exists(mirror.state_directory + "/fingerprint.key");
    if (key == "mirror.directory") return exists(mirror.directory + "/.vtmirror");
    return key == "mirror.catalogue" && exists(mirror.catalogue);
  }
  /// What the unit's drop-ins say of users and places is not followed here.
  bool has_other_rights() const {
    const auto is_set = [](std::string_view begin) { return drop_in_has(begin); };
    constexpr std::array settings{
        "SupplementaryGroups=", "User=", "Group=", "DynamicUser=", "Bind", "AmbientCapabilities="};
    return view_.in_unit && std::ranges::any_of(settings, is_set);
  }
  /// What does not exist yet may be made before the service starts.
  void add(const wiring::Obstacle& obstacle) {
    if (is_mistaken(obstacle.key)) return;
    const auto at = place_of(read_, obstacle.key);
    const bool may_have_the_right = runner_ == Runner::unknown || was_used(obstacle.key) || has_other_rights();
    const bool may_be_right =
        (obstacle.is_of_right && may_have_the_right) || (obstacle.is_missing && runner_ != Runner::this_user);
    auto what = obstacle.what;
    if (obstacle.is_of_right && runner_ == Runner::service)
      what += ", for user " + host::name_of(*view_.user) + ", as whom the daemon runs";
    if (may_be_right) return warnings_.add(at, obstacle.key, what);
    read_.mistakes.push_back({at, obstacle.key, std::move(what)});
  }

  Warnings& warnings_;
  settings::ReadConfig& read_;
  const ServiceView& view_;
  Runner runner_;
};

}  // namespace

void check_start(Warnings& warnings, settings::ReadConfig& read, const std::string& settings_file,
                 const settings::Environment& environment, const ServiceView& view) {
  StartCheck check(warnings, read, settings_file, view);
  check.check_ca_file();
  check.check_mirror();
  check.check_control();
  check.check_environment(environment);
}

}  // namespace vtmirror::cli
