// The system calls that make a new directory durable, seen: this program's own fsync and chmod stand before the C
// library's.
#include "mirror/stored.hpp"
#include "mirror/tree.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

struct Seen {
  std::atomic<bool> on{false};
  std::vector<std::string> synced;  ///< in order, while `on`
  int changed_by_path = 0;
};
Seen seen;

std::string path_of(int descriptor) {
  std::array<char, 4096> path{};
  const auto length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

struct Watching {
  Watching() {
    seen.synced.clear();
    seen.changed_by_path = 0;
    seen.on = true;
  }
  ~Watching() { seen.on = false; }
};

long count(const std::filesystem::path& path) {
  return std::count(seen.synced.begin(), seen.synced.end(), path.string());
}

}  // namespace

extern "C" int fsync(int fd) {
  if (seen.on) seen.synced.push_back(path_of(fd));
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

extern "C" int chmod(const char* path, mode_t mode) noexcept {
  if (seen.on) ++seen.changed_by_path;
  return static_cast<int>(::syscall(SYS_fchmodat, AT_FDCWD, path, mode));
}

TEST_CASE("every directory that is made on the way to the mirror is durable, and gets its mode by its descriptor") {
  const TemporaryDirectory directory;
  const auto top = std::filesystem::canonical(directory.path());
  const auto before = ::umask(077);
  {
    const Watching watching;
    REQUIRE(mirror::Tree::open_root((top / "a/b/c").string()));
  }
  ::umask(before);
  CHECK(count(top) == 1);
  CHECK(count(top / "a") == 1);
  CHECK(count(top / "a/b") == 1);
  CHECK(seen.changed_by_path == 0);
  for (const auto* made : {"a", "a/b", "a/b/c"}) CHECK(mode_of(top / made) == 0755);
}

TEST_CASE("a mirror's directory that an earlier process may not have synced is synced again, and keeps its mode") {
  const TemporaryDirectory directory;
  const auto top = std::filesystem::canonical(directory.path());
  std::filesystem::create_directory(top / "a");
  std::filesystem::permissions(top / "a", std::filesystem::perms(0700));
  const Watching watching;
  REQUIRE(mirror::Tree::open_root((top / "a").string()));
  CHECK(count(top) == 1);
  CHECK(mode_of(top / "a") == 0700);
}
