// A process that has no descriptor left.
#pragma once

#include <sys/resource.h>

#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace vtmirror::test {

/// While it lives, this process can open nothing.
class NoDescriptors {
 public:
  NoDescriptors() {
    // UBSan looks at the type of an object through a pipe, once for each type. This is the type that the text of an
    // error needs.
    static_cast<void>(std::generic_category().message(0));
    if (::getrlimit(RLIMIT_NOFILE, &before_) != 0) throw std::runtime_error("getrlimit");
    const rlimit none{0, before_.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &none) != 0) throw std::runtime_error("setrlimit");
  }
  /// Without its descriptors back, the process can run no further test.
  ~NoDescriptors() {
    if (::setrlimit(RLIMIT_NOFILE, &before_) != 0) std::abort();
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace vtmirror::test
