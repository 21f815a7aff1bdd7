#include "catalogue/sqlite_shared_memory.hpp"

#include "vtmirror/base/descriptor.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace vtmirror::catalogue {
namespace {

// SQLite writes with one of these, depending on how it was built.
using Pwrite = ssize_t (*)(int, const void*, size_t, off_t);
constexpr std::array pwrites{"pwrite", "pwrite64"};
std::array<Pwrite, pwrites.size()> systems_own{};

/// SQLite grows its shared memory by one byte at the end of each page, and maps it. With blocks smaller than a page
/// that leaves holes, and on a full disk the process dies of SIGBUS when it writes to one. So the whole page is
/// allocated first, or the growth fails as any write does.
constexpr off_t shared_page = 4096;

template <std::size_t which>
ssize_t write_with_room(int file, const void* bytes, size_t size, off_t offset) {
  const bool grows = size == 1 && offset % shared_page == shared_page - 1;
  const int refused = grows ? ::posix_fallocate(file, offset + 1 - shared_page, shared_page) : 0;
  if (base::is_full(refused) || refused == EIO) {
    errno = refused;
    return -1;
  }
  return systems_own[which](file, bytes, size, offset);
}

template <std::size_t which>
void replace_pwrite(sqlite3_vfs& system) {
  const auto* const name = pwrites[which];
  const auto own = system.xGetSystemCall(&system, name);
  if (own == nullptr) return;
  systems_own[which] = reinterpret_cast<Pwrite>(own);
  system.xSetSystemCall(&system, name, reinterpret_cast<sqlite3_syscall_ptr>(&write_with_room<which>));
}

}  // namespace

void allocate_shared_memory() {
  static const bool once = [] {
    auto* const system = sqlite3_vfs_find("unix");
    if (system == nullptr || system->iVersion < 3) return false;
    replace_pwrite<0>(*system);
    replace_pwrite<1>(*system);
    return true;
  }();
  static_cast<void>(once);
}

int why_no_shared_memory(const std::string& database) {
  const auto path = database + "-shm";
  const int made = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made < 0) return errno == EEXIST ? ENOENT : errno;
  ::close(made);
  ::unlink(path.c_str());
  return ENOENT;
}

}  // namespace vtmirror::catalogue
