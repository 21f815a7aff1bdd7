#include "catalogue/sqlite_engine.hpp"

#include "catalogue/sqlite_driver.hpp"
#include "catalogue/sqlite_schema.hpp"
#include "vtmirror/base/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace vtmirror::catalogue {
namespace {

constexpr std::string_view log_end = "-wal";
/// The log and the shared memory: the names under which SQLite looks for them.
constexpr std::array<std::string_view, 2> ends{log_end, "-shm"};
/// The first bytes of each database.
constexpr std::string_view magic{"SQLite format 3\0", 16};

}  // namespace

base::Result<std::unique_ptr<Driver>> SqliteEngine::open(const std::string& place, Access access) const {
  auto driver = SqliteDriver::open(place, access);
  if (!driver) return driver.error();
  if (auto ready = bring_up_to_date(**driver, access); !ready) return ready.error();
  return std::unique_ptr<Driver>(std::move(*driver));
}

bool SqliteEngine::is_absent(const std::string& place) const noexcept {
  struct stat found {};
  return ::stat(place.c_str(), &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

std::span<const std::string_view> SqliteEngine::beside() const { return ends; }

/// A database whose beginning was overwritten may still have its log.
bool SqliteEngine::has_made(const std::string& path) const {
  struct stat log {};
  if (::lstat((path + std::string(log_end)).c_str(), &log) == 0) return true;
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, magic.size()> head{};
  return file.valid() && ::read(file.get(), head.data(), head.size()) == std::ssize(head) &&
         std::string_view(head.data(), head.size()) == magic;
}

}  // namespace vtmirror::catalogue
