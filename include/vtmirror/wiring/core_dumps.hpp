// Memory that holds secrets must not be left behind.
#pragma once

#include <sys/resource.h>

namespace vtmirror::wiring {

/// A limit of one byte, unlike one of zero, also keeps the kernel from handing a core to a program such as
/// systemd-coredump.
inline void forbid_core_dumps() {
  const rlimit limit{1, 1};
  static_cast<void>(::setrlimit(RLIMIT_CORE, &limit));
}

}  // namespace vtmirror::wiring
