#include "notify/spawn.hpp"

#include "notify/own_children.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

namespace vtmirror::notify {
namespace {

base::Error failure(const Program& program, const std::string& what, int error) {
  const auto& name = program.command.front();
  return {.code = base::Errc::io, .detail = name + ": " + what + ": " + std::generic_category().message(error)};
}

/// A file in memory: unlike a pipe, it neither blocks nor breaks if the program does not read it.
base::Descriptor readable(const std::string& text) {
  base::Descriptor file(::memfd_create("notice", MFD_CLOEXEC));
  std::string_view rest = text;
  while (file.valid() && !rest.empty()) {
    const auto written = base::uninterrupted([&] { return ::write(file.get(), rest.data(), rest.size()); });
    if (written < 0) return {};
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (file.valid() && ::lseek(file.get(), 0, SEEK_SET) != 0) return {};
  return file;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const auto& text : texts) all.push_back(const_cast<char*>(text.c_str()));  // never written to
  all.push_back(nullptr);
  return all;
}

/// What the new process does before it executes the program.
class Start {
 public:
  Start(int input, int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  ~Start() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  int operator()(pid_t& pid, const Program& program) const {
    const auto arguments = pointers(program.command);
    const auto environment = pointers(program.environment);
    return ::posix_spawnp(&pid, arguments.front(), &actions_, &attributes_, arguments.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// A program that ends at once, and one that could not be executed, must not be reaped as orphans.
int start_as_ours(const Start& start, pid_t& pid, const Program& program) {
  auto& own = OwnChildren::all();
  const auto held = own.hold();
  const int error = start(pid, program);
  if (error == 0) own.add(pid);
  return error;
}

/// The ID of a process that was not reaped cannot be reused, so this is the right process.
base::Descriptor watch(pid_t pid) { return base::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

void end_at_once(pid_t pid) {
  ::kill(-pid, SIGKILL);
  base::uninterrupted([pid] { return ::waitpid(pid, nullptr, 0); });
  OwnChildren::all().remove(pid);
}

bool was_started_with(const std::filesystem::path& process, const std::string& variable) {
  std::ifstream file(process / "environ", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return ('\0' + all).find('\0' + variable + '\0') != std::string::npos;
}

}  // namespace

base::Result<Spawned> spawn(const Program& program) {
  const auto input = readable(program.input);
  if (!input.valid()) return failure(program, "cannot create its input", errno);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failure(program, "cannot create a pipe for its output", errno);
  Spawned spawned;
  spawned.output = base::Descriptor(ends[0]);
  const base::Descriptor output(ends[1]);
  // Only the reading end is non-blocking: programs expect a blocking stdout.
  ::fcntl(spawned.output.get(), F_SETFL, O_NONBLOCK);
  const Start start(input.get(), output.get());
  if (const int error = start_as_ours(start, spawned.pid, program); error != 0)
    return failure(program, "cannot be started", error);
  spawned.ended = watch(spawned.pid);
  if (!spawned.ended.valid()) {
    const int error = errno;
    end_at_once(spawned.pid);
    return failure(program, "cannot be watched", error);
  }
  return spawned;
}

std::vector<pid_t> processes_with(const std::string& variable) {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator each("/proc", error), end; !error && each != end; each.increment(error)) {
    const auto name = each->path().filename().string();
    const bool is_process = name.find_first_not_of("0123456789") == std::string::npos;
    struct stat status {};
    if (!is_process || ::stat(each->path().c_str(), &status) != 0 || status.st_uid != ::geteuid()) continue;
    if (was_started_with(each->path(), variable)) found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

}  // namespace vtmirror::notify
