// The memory that SQLite shares between connections, on a file system whose blocks are smaller than a page.
#include "catalogue/made.hpp"
#include "support/skip.hpp"
#include "support/temporary_directory.hpp"

#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace vtmirror::test {
namespace {

/// ext4 with blocks of 1 KiB, in a file.
class SmallBlocks {
 public:
  SmallBlocks() {
    const auto image = (directory_ / "image").string();
    const auto make = "truncate -s 8M " + image + " && mkfs.ext4 -q -F -b 1024 -O ^has_journal -m 0 " + image +
                      " && mkdir -p " + at() + " && mount -o loop " + image + " " + at();
    is_mounted_ = std::system((make + " >/dev/null 2>&1").c_str()) == 0;
  }
  ~SmallBlocks() {
    if (is_mounted_) ::umount2(at().c_str(), MNT_DETACH);
  }
  SmallBlocks(const SmallBlocks&) = delete;
  SmallBlocks& operator=(const SmallBlocks&) = delete;
  bool is_mounted() const { return is_mounted_; }
  std::string at() const { return (directory_ / "m").string(); }

  /// Fills the disk except for `left` blocks.
  void fill(int left) const {
    const auto reserve = at() + "/reserve";
    write_file(reserve, std::string(static_cast<std::size_t>(left) * 1024, 'x'));
    std::ofstream filler(at() + "/filler", std::ios::binary);
    const std::string block(1024, 'x');
    while (filler.write(block.data(), 1024).flush()) continue;
    filler.close();
    std::filesystem::remove(reserve);
  }

 private:
  TemporaryDirectory directory_;
  bool is_mounted_ = false;
};

TEST_CASE("a full disk with small blocks is an error of the catalogue, and never the end of the process") {
  const SmallBlocks disk;
  if (!disk.is_mounted()) return skip("no ext4 with small blocks can be mounted here");
  const auto path = disk.at() + "/catalogue.db";
  { REQUIRE(opened(path).publish(file(1))); }
  for (int left = 0; left < 40; ++left) {
    CAPTURE(left);
    std::filesystem::remove(path + "-shm");
    disk.fill(left);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      auto catalogue = catalogue::Catalogue::open(path, catalogue::Access::read_write);
      const bool written = catalogue && catalogue->keep_key_use(at(1));
      const bool understood = catalogue || catalogue.error().code == base::Errc::no_space;
      ::_exit(written || understood ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK_FALSE(WIFSIGNALED(status));
    if (WIFEXITED(status)) CHECK(WEXITSTATUS(status) == 0);
    std::filesystem::remove(disk.at() + "/filler");
  }
}

}  // namespace
}  // namespace vtmirror::test
