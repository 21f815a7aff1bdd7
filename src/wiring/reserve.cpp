#include "wiring/reserve.hpp"

#include "vtmirror/base/descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace vtmirror::wiring {
namespace {

/// The shared memory has 32 KiB, and the log of a start's transactions rarely as much.
constexpr off_t part = off_t{256} << 10;
constexpr off_t whole = 4 * part;

constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

/// -1 if it is not a regular file.
off_t size_of(const base::Descriptor& file) {
  struct stat found {};
  return ::fstat(file.get(), &found) == 0 && S_ISREG(found.st_mode) ? found.st_size : -1;
}

base::Error refused(const std::string& path, int error) {
  return {.code = base::is_full(error) ? base::Errc::no_space : base::Errc::io,
          .detail = path + ": cannot keep room for the catalogue: " + std::generic_category().message(error)};
}

}  // namespace

/// The files of the catalogue lie beside the file to which a symlink leads.
Reserve::Reserve(const std::string& catalogue) {
  std::error_code error;
  auto real = std::filesystem::weakly_canonical(catalogue, error);
  if (error) real = catalogue;
  path_ = (real += ".reserve").string();
}

bool Reserve::release() const { return shrink(0); }
bool Reserve::spare() const { return shrink(whole / 2); }

/// By a part. False if less than `least` would be left, or if there is nothing.
bool Reserve::shrink(std::int64_t least) const {
  const base::Descriptor file(base::uninterrupted([&] { return ::open(path_.c_str(), flags); }));
  const auto size = file.valid() ? size_of(file) : 0;
  const auto left = std::max(off_t{0}, size - part);
  if (size <= 0 || left < least || base::uninterrupted([&] { return ::ftruncate(file.get(), left); }) != 0)
    return false;
  // Some file systems give the blocks back only when that is durable.
  return base::uninterrupted([&] { return ::fsync(file.get()); }) == 0;
}

base::Result<void> Reserve::keep() const {
  const base::Descriptor file(base::uninterrupted([&] { return ::open(path_.c_str(), flags | O_CREAT, 0600); }));
  if (!file.valid()) return refused(path_, errno);
  const auto before = size_of(file);
  if (before < 0) return refused(path_, EINVAL);
  int error = 0;
  for (auto size = before; error == 0 && size < whole; size += part)
    error = ::posix_fallocate(file.get(), size, std::min(part, whole - size));
  if (error == 0 && before < whole) error = base::error_of(base::uninterrupted([&] { return ::fsync(file.get()); }));
  return error == 0 ? base::Result<void>() : refused(path_, error);
}

}  // namespace vtmirror::wiring
