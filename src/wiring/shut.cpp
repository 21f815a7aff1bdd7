#include "wiring/shut.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/catalogue/rescue.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace vtmirror::wiring {
namespace {

namespace fs = std::filesystem;

/// Whether the system says now what only other settings or another owner can change: a path that leads nowhere, or no
/// permission. A failure that passes, such as one of the disk, may have looked the same in the call that met it.
bool lasts(int number) {
  return number == EACCES || number == EPERM || number == EROFS || number == ENOTDIR || number == ELOOP ||
         number == ENAMETOOLONG || number == ENOENT || number == EISDIR || number == EINVAL;
}

std::optional<Shut> shut_by(const fs::path& path, int number) {
  if (!lasts(number)) return std::nullopt;
  return Shut{path.string(), std::generic_category().message(number), number == EACCES || number == EPERM};
}

Shut other_thing(const fs::path& path, std::string what) {
  return {.path = path.string(), .why = std::move(what), .is_other_thing = true};
}

/// The path does not lead to anything: it may be made, unless a symlink at it leads nowhere.
std::optional<Shut> shut_missing(const fs::path& path, const Access& access) {
  struct stat link {};
  if (::lstat(path.c_str(), &link) == 0) return other_thing(path, "is a symlink to a path that does not exist");
  if (errno != ENOENT || !path.has_relative_path() || path == path.parent_path()) return shut_by(path, errno);
  return shut_at(path.has_parent_path() ? path.parent_path() : fs::path("."), Expected::directory, access);
}

}  // namespace

int own_access(const std::string& path, int mode) {
  return base::error_of(::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS));
}

std::optional<Shut> shut_at(const fs::path& path, Expected expected, const Access& access) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return errno == ENOENT ? shut_missing(path, access) : shut_by(path, errno);
  const bool is_directory = S_ISDIR(found.st_mode);
  if (expected == Expected::directory && !is_directory) return other_thing(path, "is not a directory");
  if (expected == Expected::file && !S_ISREG(found.st_mode)) return other_thing(path, "is not an ordinary file");
  const int number = access(path.string(), is_directory ? W_OK | X_OK : R_OK | W_OK);
  return number == 0 ? std::nullopt : shut_by(path, number);
}

bool is_read_only(const std::string& path) {
  struct statvfs system {};
  return ::statvfs(path.c_str(), &system) == 0 && (system.f_flag & ST_RDONLY) != 0;
}

std::optional<Shut> shut_catalogue(const std::string& path, const Access& access) {
  for (const auto& file : catalogue::files_of(path))
    if (auto shut = shut_at(file, Expected::file, access)) return shut;
  return shut_at(base::directory_of(path), Expected::directory, access);
}

std::optional<Shut> shut_directory_of_socket(const std::string& path, const Access& access) {
  const auto home = base::directory_of(path);
  struct stat found {};
  if (::stat(home.c_str(), &found) != 0 && errno == ENOENT) return shut_by(home, ENOENT);
  return shut_at(home, Expected::directory, access);
}

}  // namespace vtmirror::wiring
