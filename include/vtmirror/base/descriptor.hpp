// An open file descriptor with one owner, which closes it and cannot be copied, and helpers for system calls.
#pragma once

#include <unistd.h>

#include <cerrno>
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

}  // namespace vtmirror::base
