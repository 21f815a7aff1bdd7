#include "wiring/unusable.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/catalogue/rescue.hpp"
#include "vtmirror/report/advice.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace vtmirror::wiring {
namespace {

namespace fs = std::filesystem;

/// Whether the system says now what only other settings or another owner can change: a path that leads nowhere, or no
/// permission. A failure that passes, such as one of the disk, may have looked the same in the call that met it.
bool is_shut(int number) {
  return number == EACCES || number == EPERM || number == EROFS || number == ENOTDIR || number == ELOOP ||
         number == ENAMETOOLONG || number == ENOENT || number == EISDIR || number == EINVAL;
}

enum class Expected { file, directory, any };

/// What is there must be what is expected, and may be used; what is missing may be made.
bool is_shut(const fs::path& path, Expected expected) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    const bool may_be_made = errno == ENOENT && path.has_relative_path() && path != path.parent_path();
    struct stat link {};
    const auto home = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (may_be_made && ::lstat(path.c_str(), &link) != 0) return is_shut(home, Expected::directory);
    return is_shut(errno);
  }
  const bool is_directory = S_ISDIR(found.st_mode);
  if (expected == Expected::directory && !is_directory) return true;
  if (expected == Expected::file && !S_ISREG(found.st_mode)) return true;
  const int wanted = is_directory ? W_OK | X_OK : R_OK | W_OK;
  return ::faccessat(AT_FDCWD, path.c_str(), wanted, AT_EACCESS) != 0 && is_shut(errno);
}

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
  if (is_own_link(subject)) return is_shut((place / subject).parent_path(), Expected::directory);
  auto at = place;
  for (const auto& part : subject) {
    at /= part;
    struct stat found {};
    if (::lstat(at.c_str(), &found) == 0 && S_ISLNK(found.st_mode)) return true;
  }
  return is_shut(at, Expected::any);
}

/// It has files beside it, and needs a directory in which to make them.
bool is_shut_catalogue(const std::string& path) {
  const auto files = catalogue::files_of(path);
  const auto is_shut_file = [](const std::string& file) { return is_shut(file, Expected::file); };
  return std::ranges::any_of(files, is_shut_file) || is_shut(base::directory_of(path), Expected::directory);
}

bool is_read_only(const std::string& directory) {
  struct statvfs system {};
  return ::statvfs(directory.c_str(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
}

/// The directory of a socket is not made: it must be there.
bool is_shut_socket(const std::string& path) {
  const auto home = base::directory_of(path);
  struct stat found {};
  const bool is_missing = ::stat(home.c_str(), &found) != 0 && errno == ENOENT;
  return is_missing || is_shut(home, Expected::directory);
}

}  // namespace

base::Error unusable(const std::string& key, const std::string& place, const base::Error& error) {
  if (error.code != base::Errc::io) return error;
  const bool is_catalogue = key == "mirror.catalogue";
  const auto directory = is_catalogue ? base::directory_of(place) : place;
  const bool is_below = !error.subject.empty() && fs::path(error.subject).is_relative();
  const auto what = is_below ? directory + '/' + error.detail : error.detail;
  const bool lasts = (is_catalogue ? is_shut_catalogue(place) : is_shut(place, Expected::directory)) ||
                     (is_below && is_shut_below(directory, error.subject));
  if (!lasts) {
    auto passing = error;
    passing.detail = key + " could not be used: " + what;
    return passing;
  }
  const auto what_to_do = report::advice_on_unwritable(key, is_read_only(directory));
  return {base::Errc::config, key + " cannot be used: " + what + "\n" + what_to_do};
}

/// Trying again does not help, and `io` would be mistaken for a fault of the mirror's disk.
base::Error unusable_socket(const base::Error& error, const std::string& socket, const std::string& address_setting) {
  const bool of_its_path = error.subject == socket;
  if (error.code == base::Errc::io && of_its_path && !is_shut_socket(socket)) return error;
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
