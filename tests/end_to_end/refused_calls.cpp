#include "end_to_end/refused_calls.hpp"

#include "support/temporary_directory.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>

namespace vtmirror::test {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::minutes longest_run{2};
constexpr std::chrono::seconds longest_work{20};

/// How a call says what it is about.
enum class About { descriptor, path, path_at, new_file_at, nothing };

struct Kind {
  int number;
  std::string_view name;
  About about;
  bool io, no_space, no_descriptor;
};

/// `open` and its like are left out where glibc never makes them.
constexpr Kind kinds[] = {
    {SYS_read, "read", About::descriptor, true, false, false},
    {SYS_readv, "readv", About::descriptor, true, false, false},
    {SYS_pread64, "pread64", About::descriptor, true, false, false},
    {SYS_preadv, "preadv", About::descriptor, true, false, false},
    {SYS_write, "write", About::descriptor, true, true, false},
    {SYS_writev, "writev", About::descriptor, true, true, false},
    {SYS_pwrite64, "pwrite64", About::descriptor, true, true, false},
    {SYS_pwritev, "pwritev", About::descriptor, true, true, false},
    {SYS_fsync, "fsync", About::descriptor, true, true, false},
    {SYS_fdatasync, "fdatasync", About::descriptor, true, true, false},
    {SYS_ftruncate, "ftruncate", About::descriptor, true, false, false},
    {SYS_fallocate, "fallocate", About::descriptor, true, true, false},
    {SYS_copy_file_range, "copy_file_range", About::descriptor, true, true, false},
    {SYS_getdents64, "getdents64", About::descriptor, true, false, false},
    {SYS_fchmod, "fchmod", About::descriptor, true, false, false},
    {SYS_fstatfs, "fstatfs", About::descriptor, true, false, false},
    {SYS_openat, "openat", About::new_file_at, true, true, true},
    {SYS_newfstatat, "newfstatat", About::path_at, true, false, false},
    {SYS_statx, "statx", About::path_at, true, false, false},
    {SYS_mkdirat, "mkdirat", About::path_at, true, true, false},
    {SYS_unlinkat, "unlinkat", About::path_at, true, false, false},
    {SYS_renameat, "renameat", About::path_at, true, true, false},
    {SYS_renameat2, "renameat2", About::path_at, true, true, false},
    {SYS_linkat, "linkat", About::path_at, true, true, false},
    {SYS_readlinkat, "readlinkat", About::path_at, true, false, false},
    {SYS_fchmodat, "fchmodat", About::path_at, true, false, false},
    {SYS_utimensat, "utimensat", About::path_at, true, false, false},
    {SYS_statfs, "statfs", About::path, true, false, false},
#ifdef SYS_rename
    {SYS_mkdir, "mkdir", About::path, true, true, false},
    {SYS_rmdir, "rmdir", About::path, true, false, false},
    {SYS_unlink, "unlink", About::path, true, false, false},
    {SYS_rename, "rename", About::path, true, true, false},
    {SYS_link, "link", About::path, true, true, false},
    {SYS_symlink, "symlink", About::path, true, true, false},
    {SYS_readlink, "readlink", About::path, true, false, false},
    {SYS_chmod, "chmod", About::path, true, false, false},
    {SYS_pipe, "pipe", About::nothing, false, false, true},
    {SYS_dup, "dup", About::nothing, false, false, true},
#endif
    {SYS_pipe2, "pipe2", About::nothing, false, false, true},
    {SYS_socket, "socket", About::nothing, false, false, true},
    {SYS_socketpair, "socketpair", About::nothing, false, false, true},
    {SYS_accept4, "accept4", About::nothing, false, false, true},
    {SYS_eventfd2, "eventfd2", About::nothing, false, false, true},
    {SYS_epoll_create1, "epoll_create1", About::nothing, false, false, true},
    {SYS_timerfd_create, "timerfd_create", About::nothing, false, false, true},
    {SYS_inotify_init1, "inotify_init1", About::nothing, false, false, true},
    {SYS_memfd_create, "memfd_create", About::nothing, false, false, true},
};

/// What a signal can interrupt, on some file system.
constexpr int interruptible[] = {SYS_read,      SYS_readv,     SYS_pread64, SYS_preadv, SYS_write,
                                 SYS_writev,    SYS_pwrite64,  SYS_pwritev, SYS_fsync,  SYS_fdatasync,
                                 SYS_ftruncate, SYS_fallocate, SYS_openat};
constexpr int halved[] = {SYS_write, SYS_pwrite64};

bool concerns(const Kind& kind, Refusal refusal) {
  switch (refusal) {
    case Refusal::io:
      return kind.io;
    case Refusal::no_space:
      return kind.no_space;
    case Refusal::no_descriptor:
      return kind.no_descriptor;
    case Refusal::interrupted:
      return std::ranges::find(interruptible, kind.number) != std::end(interruptible);
    case Refusal::half_written:
      return std::ranges::find(halved, kind.number) != std::end(halved);
  }
  return false;
}

int number(Refusal refusal) {
  switch (refusal) {
    case Refusal::no_space:
      return ENOSPC;
    case Refusal::no_descriptor:
      return EMFILE;
    case Refusal::interrupted:
      return EINTR;
    default:
      return EIO;
  }
}

/// A program for the kernel that asks the listener about the calls concerned and lets all others pass.
std::vector<sock_filter> filter_of(Refusal refusal) {
  std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const auto& kind : kinds) {
    if (!concerns(kind, refusal)) continue;
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<__u32>(kind.number), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

/// A message over a socket that has room for one descriptor; the calls for it are never refused.
struct DescriptorMessage {
  DescriptorMessage() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
};

void send_descriptor(int socket, int descriptor) {
  DescriptorMessage sent;
  auto* header = CMSG_FIRSTHDR(&sent.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  ::sendmsg(socket, &sent.message, 0);
}

int receive_descriptor(int socket) {
  DescriptorMessage received;
  const bool came = ::recvmsg(socket, &received.message, MSG_CMSG_CLOEXEC) == 1;
  const auto* header = CMSG_FIRSTHDR(&received.message);
  if (!came || header == nullptr)
    throw std::runtime_error("the kernel does not let a test watch a program's system calls");
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

/// In the child, before its program begins.
[[noreturn]] void begin_watched(const std::vector<char*>& arguments, const std::vector<sock_filter>& filter,
                                const std::string& out, const std::string& err, int socket) {
  ::setpgid(0, 0);
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
  ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), 1);
  ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), 2);
  auto rules = filter;
  const sock_fprog program{static_cast<unsigned short>(rules.size()), rules.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const auto listener =
      static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
  if (listener >= 0) send_descriptor(socket, listener);
  ::close(listener);
  ::close(socket);
  if (listener >= 0) ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

/// The text of a process's memory up to its zero byte.
std::string text_at(pid_t thread, std::uint64_t address) {
  std::ifstream memory("/proc/" + std::to_string(thread) + "/mem", std::ios::binary);
  std::string text;
  memory.seekg(static_cast<std::streamoff>(address));
  std::getline(memory, text, '\0');
  return text;
}

std::string link_of(pid_t thread, const std::string& what) {
  std::error_code failure;
  return fs::read_symlink("/proc/" + std::to_string(thread) + "/" + what, failure).string();
}

class Watch {
 public:
  Watch(pid_t program, int listener, fs::path place, Refusal refusal, long at, Lasts lasts)
      : program_(program), listener_(listener), place_(std::move(place)), refusal_(refusal), at_(at), lasts_(lasts) {}

  /// One call of some thread.
  void answer() {
    seccomp_notif call{};
    if (::ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;  // the caller is gone
    seccomp_notif_resp answer{call.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    if (const auto about = counted(call); about && is_due(++calls)) refuse(call.data, *about, answer);
    ::ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }

  long calls = 0;
  std::string refused;

 private:
  bool is_due(long call) const { return call == at_ || (lasts_ == Lasts::for_ever && at_ > 0 && call > at_); }

  /// The call for people, if it is one of the program itself that may be refused.
  std::optional<std::string> counted(const seccomp_notif& call) {
    const auto thread = static_cast<pid_t>(call.pid);
    if (!is_own(thread)) return std::nullopt;
    for (const auto& kind : kinds)
      if (kind.number == call.data.nr) return described(kind, thread, call.data.args);
    return std::nullopt;
  }

  std::optional<std::string> described(const Kind& kind, pid_t thread, const __u64* arguments) const {
    const std::string called(kind.name);
    if (refusal_ == Refusal::no_descriptor) return called;
    // There is no half of one byte.
    if (refusal_ == Refusal::half_written && arguments[2] < 2) return std::nullopt;
    // What only opens a file needs no room.
    if (refusal_ == Refusal::no_space && kind.about == About::new_file_at && (arguments[2] & O_CREAT) == 0)
      return std::nullopt;
    const auto path = path_of(kind, thread, arguments);
    const auto below = path.lexically_relative(place_);
    if (below.empty() || *below.begin() == "..") return std::nullopt;
    return called + ' ' + below.string();
  }

  fs::path path_of(const Kind& kind, pid_t thread, const __u64* arguments) const {
    const auto opened = [&](__u64 descriptor) {
      const auto shown = static_cast<int>(descriptor);
      return fs::path(link_of(thread, shown == AT_FDCWD ? "cwd" : "fd/" + std::to_string(shown)));
    };
    if (kind.about == About::descriptor) return opened(arguments[0]);
    if (kind.about == About::path) return link_of(thread, "cwd") / fs::path(text_at(thread, arguments[0]));
    return opened(arguments[0]) / text_at(thread, arguments[1]);
  }

  void refuse(const seccomp_data& call, const std::string& about, seccomp_notif_resp& answer) {
    if (refusal_ == Refusal::half_written) {
      const auto written = write_half(call);
      if (written <= 0) return;  // the program does it itself, and nothing was refused
      answer.val = written;
    } else {
      answer.error = -number(refusal_);
    }
    if (refused.empty()) refused = about;
    answer.flags = 0;
  }

  /// Writes the first half of the bytes in the program's stead, at least one. How many were written; not positive if
  /// that could not be done.
  std::int64_t write_half(const seccomp_data& call) const {
    const auto count = std::max<std::uint64_t>(call.args[2] / 2, 1);
    std::ifstream memory("/proc/" + std::to_string(program_) + "/mem", std::ios::binary);
    // Direct I/O needs an aligned buffer, as the program's is.
    constexpr std::size_t alignment = 4096;
    std::vector<char> buffer(count + alignment);
    const auto lead = (alignment - reinterpret_cast<std::uintptr_t>(buffer.data()) % alignment) % alignment;
    const std::span<char> bytes(buffer.data() + lead, count);
    memory.seekg(static_cast<std::streamoff>(call.args[1]));
    memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!memory) return 0;
    const auto process = static_cast<int>(::syscall(SYS_pidfd_open, program_, 0));
    const auto file = static_cast<int>(::syscall(SYS_pidfd_getfd, process, static_cast<int>(call.args[0]), 0));
    const auto written = call.nr == SYS_pwrite64
                             ? ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(call.args[3]))
                             : ::write(file, bytes.data(), bytes.size());
    ::close(file);
    ::close(process);
    return written;
  }

  /// Whether a thread belongs to the program and not to one of its children.
  bool is_own(pid_t thread) {
    if (const auto known = own_.find(thread); known != own_.end()) return known->second;
    return own_[thread] = fs::exists("/proc/" + std::to_string(program_) + "/task/" + std::to_string(thread));
  }

  pid_t program_;
  int listener_;
  fs::path place_;
  Refusal refusal_;
  long at_;
  Lasts lasts_;
  std::map<pid_t, bool> own_;
};

/// Asks a program to end when it has said that it is ready for that.
class Stopper {
 public:
  Stopper(pid_t program, fs::path err, const StopAfter& after)
      : program_(program), err_(std::move(err)), after_(after), asked_(after.empty()) {}

  /// Milliseconds until `look` is called again.
  int pause() const { return asked_ ? 1000 : 20; }
  void look() {
    if (asked_ || (!has_said() && std::chrono::steady_clock::now() < deadline_)) return;
    asked_ = ::kill(program_, SIGTERM) == 0;
  }

 private:
  bool has_said() {
    std::error_code failure;
    const auto size = fs::file_size(err_, failure);
    if (failure || size == read_) return false;
    read_ = size;
    const auto said = read_file(err_);
    for (const auto& text : after_)
      if (said.find(text) != std::string::npos) return true;
    return false;
  }

  pid_t program_;
  fs::path err_;
  const StopAfter& after_;
  bool asked_;
  std::uintmax_t read_ = 0;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + longest_work;
};

/// Answers until the program ends; its status, as `Ended` has it.
int watch(Watch& watch, Stopper& stopper, pid_t program, int listener) {
  const auto end = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
  const auto deadline = std::chrono::steady_clock::now() + longest_run;
  std::array<pollfd, 2> events{{{listener, POLLIN, 0}, {end, POLLIN, 0}}};
  while (events[1].revents == 0) {
    if (std::chrono::steady_clock::now() > deadline) ::kill(-program, SIGKILL);
    stopper.look();
    if (::poll(events.data(), events.size(), stopper.pause()) <= 0) continue;
    if ((events[0].revents & POLLIN) != 0) watch.answer();
  }
  ::close(end);
  int status = 0;
  ::waitpid(program, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string_view name(Refusal refusal) {
  constexpr std::array<std::string_view, refusals.size()> names{"EIO", "ENOSPC", "EMFILE", "EINTR", "half"};
  return names.at(static_cast<std::size_t>(refusal));
}

Trial run_refusing(const std::vector<std::string>& command, const fs::path& place, Refusal refusal, long at,
                   Lasts lasts, const StopAfter& stop_after) {
  const TemporaryDirectory said;
  const auto out = (said / "out").string();
  const auto err = (said / "err").string();
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto filter = filter_of(refusal);
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) throw std::runtime_error("no sockets");
  const auto program = ::fork();
  if (program == 0) begin_watched(arguments, filter, out, err, sockets[1]);
  ::close(sockets[1]);
  const int listener = receive_descriptor(sockets[0]);
  ::close(sockets[0]);
  Watch calls(program, listener, place, refusal, at, lasts);
  Stopper stopper(program, err, stop_after);
  Trial trial;
  trial.ended.status = watch(calls, stopper, program, listener);
  ::close(listener);
  ::kill(-program, SIGKILL);  // a hook that outlived the program
  trial.ended.out = read_file(out);
  trial.ended.err = read_file(err);
  everything_said().push_back(trial.ended.out + '\n' + trial.ended.err);
  trial.calls = calls.calls;
  trial.refused = calls.refused;
  return trial;
}

}  // namespace vtmirror::test
