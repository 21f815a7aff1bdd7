#include "wiring/unusable.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/host/user.hpp"
#include "vtmirror/report/advice.hpp"
#include "wiring/shut.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace vtmirror::wiring {
namespace {

namespace fs = std::filesystem;

/// `current`, and the links in the directories that it leads to.
bool is_own_link(const fs::path& subject) {
  return subject == "current" || subject.parent_path().filename().string().starts_with("current-");
}

/// A directory that the program made in the mirror for itself. No other setting helps, and the next start may find that
/// a person has made it readable again.
bool is_own_directory(const fs::path& place, const fs::path& subject) {
  struct stat found {};
  return subject.has_parent_path() && *subject.begin() == ".vtmirror" &&
         ::lstat((place / subject).c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

/// Below the mirror's directory no other symlink is followed.
bool is_shut_below(const fs::path& place, const fs::path& subject) {
  if (is_own_directory(place, subject)) return false;
  if (is_own_link(subject)) return shut_at((place / subject).parent_path(), Expected::directory).has_value();
  auto at = place;
  for (const auto& part : subject) {
    at /= part;
    struct stat found {};
    if (::lstat(at.c_str(), &found) == 0 && S_ISLNK(found.st_mode)) return true;
  }
  return shut_at(at, Expected::any).has_value();
}

/// "it belongs to user vtmirror: run this as that user, "; empty if it belongs to this process's user, or is not there.
std::string owner_of(const std::string& directory) {
  const auto owner = host::owner_of(directory);
  if (!owner || !*owner || (*owner)->id == ::geteuid()) return {};
  return "it belongs to user " + host::name_of(**owner) + ": run this as that user, ";
}

}  // namespace

bool is_inside(const base::Error& error) { return !error.subject.empty() && fs::path(error.subject).is_relative(); }

base::Error unusable(const std::string& key, const std::string& place, const base::Error& error) {
  if (error.code != base::Errc::io) return error;
  const bool is_catalogue = key == "mirror.catalogue";
  const auto directory = is_catalogue ? base::directory_of(place) : place;
  const bool is_below = is_inside(error);
  const auto what = is_below ? directory + '/' + error.detail : error.detail;
  const auto shut = is_catalogue ? shut_catalogue(place) : shut_at(place, Expected::directory);
  if (!shut && !(is_below && is_shut_below(directory, error.subject))) {
    auto passing = error;
    passing.detail = key + " could not be used: " + what;
    return passing;
  }
  const auto begin = key + " cannot be used: " + what + "\n";
  if (shut && shut->is_other_thing)
    return {base::Errc::config, begin + shut->path + ' ' + shut->why + ": correct that, or set another " + key};
  const bool read_only = is_read_only(directory);
  const auto what_to_do = report::advice_on_unwritable(key, read_only);
  const bool is_of_right = shut && shut->is_of_right && !read_only;
  return {base::Errc::config, begin + (is_of_right ? owner_of(directory) : std::string()) + what_to_do};
}

base::Error unreadable_catalogue(const std::string& path, const base::Error& error) {
  const int refused = own_access(path, R_OK);
  if (error.code != base::Errc::io || (refused != EACCES && refused != EPERM)) return error;
  const auto owner = owner_of(base::directory_of(path));
  return {base::Errc::config, "mirror.catalogue cannot be read: " + error.detail + "\n" +
                                  (owner.empty() ? "" : owner + "or ") + "with sudo"};
}

/// Trying again does not help, and `io` would be mistaken for a fault of the mirror's disk.
base::Error unusable_socket(const base::Error& error, const std::string& socket, const std::string& address_setting) {
  const bool of_its_path = error.subject == socket;
  if (error.code == base::Errc::io && of_its_path && !shut_directory_of_socket(socket)) return error;
  // An address with a subject: the system had no room for a socket, which may pass.
  if (error.code == base::Errc::io && !of_its_path && !error.subject.empty()) return error;
  if (!of_its_path && error.code != base::Errc::io && error.code != base::Errc::locked) return error;
  const std::string key = of_its_path ? "control.socket" : address_setting;
  const std::string what_to_do =
      error.code == base::Errc::locked
          ? "stop that process, or set another " + key
          : (of_its_path ? "its directory must exist, and this process's user must be able to write to it; " : "") +
                std::string("set another ") + key;
  return {base::Errc::config, key + " cannot be used: " + error.detail + "\n" + what_to_do};
}

}  // namespace vtmirror::wiring
