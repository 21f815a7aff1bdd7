// A disk of its own for the state directory of a mirror under test: a small file system in memory, which can be full or
// read-only. Promises to be gone with its object. Where none can be mounted, `reason` says why.
#pragma once

#include <doctest/doctest.h>

#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace vtmirror::test {

class StateDisk {
 public:
  explicit StateDisk(std::filesystem::path at, unsigned long flags = 0) : at_(std::move(at)) {
    std::filesystem::create_directories(at_);
    if (::mount("tmpfs", at_.c_str(), "tmpfs", flags, "size=16m,mode=0755") != 0)
      reason_ = std::string("no file system can be mounted here: ") + std::strerror(errno);
  }
  ~StateDisk() {
    if (reason_.empty()) ::umount2(at_.c_str(), MNT_DETACH);
  }
  StateDisk(const StateDisk&) = delete;
  StateDisk& operator=(const StateDisk&) = delete;

  /// Empty where it is mounted.
  const std::string& reason() const { return reason_; }

  /// The room that is kept for the catalogue.
  std::filesystem::path reserve() const { return at_ / "catalogue.db.reserve"; }

  /// To the last byte.
  void fill() const {
    std::ofstream file(at_ / "filler", std::ios::binary | std::ios::app);
    const std::string block(4096, 'x');
    while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) continue;
    REQUIRE(std::filesystem::space(at_).available == 0);
  }

 private:
  std::filesystem::path at_;
  std::string reason_;
};

}  // namespace vtmirror::test
