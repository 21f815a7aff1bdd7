#include "host/libsystemd.hpp"

#include <dlfcn.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#include <cerrno>

namespace vtmirror::host::libsystemd {
namespace {

/// The functions, or null if the library is missing. It stays loaded until the process ends.
struct Library {
  void* handle = ::dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  decltype(&::sd_notify) notify = function<decltype(&::sd_notify)>("sd_notify");
  decltype(&::sd_watchdog_enabled) watchdog_enabled = function<decltype(&::sd_watchdog_enabled)>("sd_watchdog_enabled");
  decltype(&::sd_journal_sendv) journal_sendv = function<decltype(&::sd_journal_sendv)>("sd_journal_sendv");

 private:
  template <typename Function>
  Function function(const char* name) const {
    return handle == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(handle, name));
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace

int notify(const char* state) {
  const auto call = library().notify;
  return call == nullptr ? -ENOSYS : call(0, state);
}

int watchdog_enabled(std::uint64_t* microseconds) {
  const auto call = library().watchdog_enabled;
  return call == nullptr ? -ENOSYS : call(0, microseconds);
}

int journal_sendv(const iovec* fields, int count) {
  const auto call = library().journal_sendv;
  return call == nullptr ? -ENOSYS : call(fields, count);
}

}  // namespace vtmirror::host::libsystemd
