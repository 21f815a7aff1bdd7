#include "catalogue/sqlite_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace vtmirror::catalogue {
namespace {

constexpr mode_t mode = 0640;

base::Error system_error(const std::string& path, int number) {
  return {.code = base::Errc::io, .detail = path + ": " + std::generic_category().message(number)};
}

}  // namespace

base::Result<void> make_database_file(const std::string& path) {
  if (path == ":memory:") return {};
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) {
    if (errno == EEXIST) return {};
    return system_error(path, errno);
  }
  const int changed = ::fchmod(file, mode);  // regardless of the umask, because the group may read
  const int number = errno;
  ::close(file);
  if (changed != 0) return system_error(path, number);
  return {};
}

}  // namespace vtmirror::catalogue
