#include "wiring/unusable.hpp"

#include <filesystem>

namespace vtmirror::wiring {

base::Error unusable(const std::string& key, const std::string& place, const base::Error& error) {
  if (error.code != base::Errc::io) return error;
  const bool is_below = !error.subject.empty() && std::filesystem::path(error.subject).is_relative();
  const auto what = is_below ? place + '/' + error.detail : error.detail;
  return {base::Errc::config,
          key + " cannot be used: " + what + "\ngive this process's user write access, or set another " + key};
}

/// Trying again does not help, and `io` would be mistaken for a fault of the mirror's disk.
base::Error unusable_socket(const base::Error& error, const std::string& socket) {
  const bool of_its_path = error.subject == socket;
  if (!of_its_path && error.code != base::Errc::io && error.code != base::Errc::locked) return error;
  const std::string key = of_its_path ? "control.socket" : "control.metrics";
  const std::string what_to_do =
      error.code == base::Errc::locked
          ? "stop that process, or set another " + key
          : (of_its_path ? "its directory must exist, and this process's user must be able to write to it; " : "") +
                std::string("set another ") + key;
  return {base::Errc::config, key + " cannot be used: " + error.detail + "\n" + what_to_do};
}

}  // namespace vtmirror::wiring
