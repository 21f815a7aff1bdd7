// Opens a copy of a database, so that the original is not changed.
#include "catalogue/sqlite_driver.hpp"
#include "catalogue/sqlite_engine.hpp"
#include "catalogue/sqlite_schema.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/core/shortage.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace vtmirror::catalogue {
namespace {

base::Error cannot_copy(const std::string& path, const std::string& to, int number) {
  return {.code = base::is_full(number) ? base::Errc::no_space : base::Errc::io,
          .detail = path + ": cannot copy it to " + to + ": " + std::generic_category().message(number),
          .diagnosis = core::lack_of_files(number)};
}

/// A directory that only this process's user may enter, removed with the catalogue in it.
class PrivateDirectory {
 public:
  PrivateDirectory() = default;
  ~PrivateDirectory() {
    if (!made_) return;
    for (const auto* end : {"", "-wal", "-shm", "-journal"}) ::unlink((catalogue() + end).c_str());
    ::rmdir(path_.c_str());
  }
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;

  /// 0 or errno.
  int make() {
    const char* above = std::getenv("TMPDIR");
    path_ = std::string(above != nullptr && *above != '\0' ? above : "/tmp") + "/vtmirror-XXXXXX";
    made_ = ::mkdtemp(path_.data()) != nullptr;
    return made_ ? 0 : errno;
  }
  const std::string& path() const { return path_; }
  std::string catalogue() const { return path_ + "/catalogue.db"; }

 private:
  std::string path_;
  bool made_ = false;
};

int write_all(const base::Descriptor& file, const char* bytes, ssize_t length) {
  while (length > 0) {
    const auto written = base::uninterrupted([&] { return ::write(file.get(), bytes, static_cast<size_t>(length)); });
    if (written < 0) return errno;
    bytes += written;
    length -= written;
  }
  return 0;
}

/// 0 or errno.
int copy_file(const std::string& from, const std::string& to) {
  const base::Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!source.valid()) return errno;
  const base::Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!target.valid()) return errno;
  std::array<char, 64 << 10> buffer{};
  for (;;) {
    const auto got = base::uninterrupted([&] { return ::read(source.get(), buffer.data(), buffer.size()); });
    if (got < 0) return errno;
    if (got == 0) return 0;
    if (const int error = write_all(target, buffer.data(), got); error != 0) return error;
  }
}

}  // namespace

/// Opening the file in place, even for reading, would make SQLite create the -shm file. It could then neither migrate
/// an older catalogue nor read the -wal of a process that was killed.
base::Result<std::unique_ptr<Driver>> SqliteEngine::open_copy(const std::string& path) const {
  PrivateDirectory place;
  if (const int error = place.make(); error != 0) return cannot_copy(path, place.path(), error);
  const auto to = place.catalogue();
  if (const int error = copy_file(path, to); error != 0) return cannot_copy(path, to, error);
  const int error = copy_file(path + "-wal", to + "-wal");
  if (error != 0 && error != ENOENT) return cannot_copy(path + "-wal", to + "-wal", error);
  auto driver = SqliteDriver::open(to, Access::read_write, path);
  if (!driver) return driver.error();
  if (auto ready = bring_up_to_date(**driver, Access::read_write); !ready) return ready.error();
  // The files lose their names now and stay open, so that nothing is left behind, even by a process that is killed
  // later.
  return std::unique_ptr<Driver>(std::move(*driver));
}

}  // namespace vtmirror::catalogue
