// Turns core dumps off, because the memory holds secrets.
#pragma once

#include <sys/resource.h>

namespace vtmirror::wiring {

/// A limit of one byte, unlike zero, also keeps the kernel from piping a core dump to a program such as
/// systemd-coredump.
inline void forbid_core_dumps() {
  const rlimit limit{1, 1};
  static_cast<void>(::setrlimit(RLIMIT_CORE, &limit));
}

}  // namespace vtmirror::wiring
