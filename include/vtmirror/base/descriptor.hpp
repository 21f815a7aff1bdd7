// An open file descriptor with one owner, which closes it and cannot be copied; and functions around system calls.
// Never throws for a failed call: functions return errno, which the caller translates.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace vtmirror::base {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  /// Exchanges the two: the file that this one had stays open until `other` is destroyed.
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int get() const noexcept { return fd_; }
  bool valid() const noexcept { return fd_ >= 0; }
  int release() noexcept { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// Repeats the call while it fails with EINTR.
template <class Call>
auto uninterrupted(Call call) {
  auto outcome = call();
  while (outcome == -1 && errno == EINTR) outcome = call();
  return outcome;
}

/// 0, or errno after a system call that returned -1.
template <class Outcome>
int error_of(Outcome outcome) noexcept {
  return outcome == -1 ? errno : 0;
}

/// Whether that errno is of a failure that may be over at the next try: a disk's error, or a shortage.
inline bool may_pass(int error) noexcept {
  return error == EIO || error == EMFILE || error == ENFILE || error == ENOMEM || error == EINTR;
}

/// Whether that errno says that there is no room: on the disk, or for this user.
inline bool is_full(int error) noexcept { return error == ENOSPC || error == EDQUOT; }

/// The directory in which a file lies, as part of its path: "v1" of "v1/a.zip", "." of "a.zip", "/" of "/a.zip".
std::string directory_of(const std::string& path);

/// 0 or errno. A file system that cannot sync a directory has nothing to sync there: that is not an error.
int sync_directory(const Descriptor& directory);

/// Makes the name of a file or directory durable: syncs the directory above it. 0 or errno.
int sync_above(const std::string& path);

}  // namespace vtmirror::base
