#include "vtmirror/notify/orphans.hpp"

#include "notify/own_children.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace vtmirror::notify {
namespace {

/// 0 if the process is gone. Its name may contain anything: the state and the parent follow the last ")".
pid_t parent_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  const auto end = line.rfind(") ");
  if (end == std::string::npos || line.size() < end + 5) return 0;
  return static_cast<pid_t>(std::strtol(line.c_str() + end + 4, nullptr, 10));
}

}  // namespace

OwnChildren& OwnChildren::all() {
  static OwnChildren children;
  return children;
}

void OwnChildren::remove(pid_t child) {
  const auto held = hold();
  children_.erase(child);
}

int reap_orphans() {
  auto& own = OwnChildren::all();
  const auto held = own.hold();
  int reaped = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator each("/proc", error), end; !error && each != end; each.increment(error)) {
    const auto name = each->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos || parent_of(each->path()) != ::getpid()) continue;
    const auto process = static_cast<pid_t>(std::stol(name));
    if (!own.contains(process) && ::waitpid(process, nullptr, WNOHANG) == process) ++reaped;
  }
  return reaped;
}

}  // namespace vtmirror::notify
