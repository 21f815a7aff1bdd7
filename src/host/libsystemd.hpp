// libsystemd, loaded when it is first needed: only a daemon under systemd needs it, and with it come six libraries
// more, which a command at a terminal would load in vain. Never fails: if the library is missing, each function
// returns -ENOSYS.
#pragma once

#include <sys/uio.h>

#include <cstdint>

namespace vtmirror::host::libsystemd {

// What sd_notify(3), sd_watchdog_enabled(3) and sd_journal_sendv(3) do and return, for this process itself. The
// environment is left as it is.

int notify(const char* state);
int watchdog_enabled(std::uint64_t* microseconds);
int journal_sendv(const iovec* fields, int count);

}  // namespace vtmirror::host::libsystemd
