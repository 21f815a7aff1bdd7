#include "control/socket_file.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/core/shortage.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <vector>

namespace vtmirror::control {
namespace {

using base::Errc;
using base::Error;
using base::Result;

constexpr gid_t nobody_else = static_cast<gid_t>(-1);

Error refused(Errc code, const std::string& path, const std::string& why) {
  Error error{.code = code, .detail = path + ": " + why};
  error.subject = path;
  return error;
}

Error failed(Errc code, const std::string& path, int error) {
  auto failure = refused(code, path, std::generic_category().message(error));
  failure.diagnosis = core::lack_of_files(error);
  return failure;
}

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.find('\0') != std::string::npos) return Error{Errc::config, "the socket's path is empty"};
  if (path.size() >= sizeof address.sun_path) return refused(Errc::config, path, "too long for a Unix socket's path");
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

int connected(const base::Descriptor& socket, const sockaddr_un& address) {
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

base::Descriptor stream() { return base::Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

/// Whether the path is free, or holds a socket at which no process listens any more.
Result<void> check_vacant(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return Result<void>();
    return failed(Errc::io, path, errno);
  }
  // connect() answers the same for a stale socket and for any other file.
  if (!S_ISSOCK(found.st_mode)) return refused(Errc::config, path, "exists and is not a socket");
  const base::Descriptor probe = stream();
  if (!probe.valid()) return failed(Errc::io, path, errno);
  if (connected(probe, address) != 0) {
    if (errno == ECONNREFUSED || errno == ENOENT) return Result<void>();
    if (errno == EACCES || errno == EPERM) return failed(Errc::io, path, errno);
  }
  // EAGAIN means a listener with a full queue, EPROTOTYPE a socket of another type: both are in use.
  return refused(Errc::locked, path, "another process listens there");
}

Result<gid_t> gid_of(const std::string& group) {
  if (group.empty()) return nobody_else;
  std::vector<char> names(1 << 16);
  struct group entry {};
  struct group* found = nullptr;
  const int error = ::getgrnam_r(group.c_str(), &entry, names.data(), names.size(), &found);
  // The system's ways to say that there is none, getgrnam_r(3); the others may pass.
  if (base::may_pass(error))
    return Error{Errc::io, "control.group: " + base::printable(group) + ": " + std::generic_category().message(error)};
  if (found == nullptr)
    return Error{Errc::config, "control.group: there is no group " + base::printable(group) +
                                   ": set another, or \"\" for only root and the daemon's user"};
  return entry.gr_gid;
}

/// The directory of a socket, held open, so that nobody can put another one in its place between two steps.
struct Home {
  base::Descriptor directory;
  std::string leaf;       ///< of the socket
  std::string temporary;  ///< of the socket until it is ready
};

/// Of the leaf, so that the temporary name fits into an address, whatever the length of the leaf.
constexpr std::size_t longest_beginning = 40;

Result<Home> home_of(const std::string& path) {
  Home home{base::Descriptor(::open(base::directory_of(path).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
            std::string(base::leaf_of(path)),
            {}};
  if (!home.directory.valid()) return failed(Errc::io, path, errno);
  home.temporary = home.leaf.substr(0, longest_beginning) + "." + std::to_string(::getpid());
  return home;
}

struct stat look(const Home& home, const std::string& leaf, int& error) {
  struct stat found {};
  error = base::error_of(::fstatat(home.directory.get(), leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW));
  return found;
}

/// Whether what was found is a socket that this process's user has made.
bool is_own_socket(const struct stat& found) { return S_ISSOCK(found.st_mode) && found.st_uid == ::geteuid(); }

/// Gives the bound socket its group and its mode. Clients cannot connect before listen(), so both are final for every
/// client.
Result<void> set_access(const Home& home, const std::string& path, gid_t group, mode_t mode) {
  int error = 0;
  const auto found = look(home, home.temporary, error);
  if (error == 0 && !is_own_socket(found)) return refused(Errc::io, path, "something else was put in its place");
  const auto* leaf = home.temporary.c_str();
  const auto nobody = static_cast<uid_t>(-1);
  if (error == 0 && group != nobody_else &&
      ::fchownat(home.directory.get(), leaf, nobody, group, AT_SYMLINK_NOFOLLOW) != 0)
    return refused(errno == EPERM ? Errc::config : Errc::io, path,
                   "group " + std::to_string(group) + ": " + std::generic_category().message(errno));
  // The umask may have taken bits from the mode with which the socket was bound.
  if (error == 0 && (found.st_mode & 07777U) != mode)
    error = base::error_of(::fchmodat(home.directory.get(), leaf, mode, AT_SYMLINK_NOFOLLOW));
  return error == 0 ? Result<void>() : failed(Errc::io, path, error);
}

/// The address of `temporary`. With the longest paths it only fits through the directory that is open: the process's
/// number must not decide which path can be used.
Result<sockaddr_un> temporary_address(const Home& home, const std::string& path) {
  auto address = address_of(path.substr(0, path.size() - home.leaf.size()) + home.temporary);
  if (address) return address;
  return address_of("/proc/self/fd/" + std::to_string(home.directory.get()) + '/' + home.temporary);
}

/// At `temporary`, a name that would mean nothing to the operator: errors name `path`.
Result<void> bind_and_listen(const base::Descriptor& socket, const Home& home, const std::string& path, gid_t group) {
  const auto address = temporary_address(home, path);
  if (!address) return refused(address.error().code, path, "too long for a Unix socket's path");
  const mode_t mode = group == nobody_else ? 0600 : 0660;
  // On Linux a socket's file begins with the mode of the descriptor, less the umask: never with more than it ends with.
  if (::fchmod(socket.get(), mode) != 0) return failed(Errc::io, path, errno);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return failed(base::is_full(errno) ? Errc::no_space : Errc::io, path, errno);
  if (auto set = set_access(home, path, group, mode); !set) return set;
  if (::listen(socket.get(), SOMAXCONN) != 0) return failed(Errc::io, path, errno);
  return Result<void>();
}

/// An ordinary user's last directory of the path, if it is not there; systemd makes the service's. What fails here is
/// reported when the socket is bound.
void make_directory_of(const std::string& path, gid_t group) {
  if (::geteuid() == 0) return;
  const auto parent = path.substr(0, path.rfind('/'));
  if (!parent.empty()) static_cast<void>(::mkdir(parent.c_str(), group == nobody_else ? 0700 : 0755));
}

}  // namespace

Result<std::unique_ptr<SocketFile>> SocketFile::make(const std::string& path, const std::string& group) {
  const auto address = address_of(path);
  if (!address) return address.error();
  const auto gid = gid_of(group);
  if (!gid) return gid.error();
  const auto vacant = check_vacant(path, *address);
  if (!vacant) return vacant.error();

  make_directory_of(path, *gid);
  const auto home = home_of(path);
  if (!home) return home.error();
  const int in = home->directory.get();
  ::unlinkat(in, home->temporary.c_str(), 0);
  base::Descriptor socket = stream();
  if (!socket.valid()) return failed(Errc::io, path, errno);
  auto done = bind_and_listen(socket, *home, path, *gid);
  int error = 0;
  const auto ours = look(*home, home->temporary, error);
  if (done && error == 0) error = base::error_of(::renameat(in, home->temporary.c_str(), in, home->leaf.c_str()));
  if (done && error != 0) done = failed(Errc::io, path, error);
  if (!done) {
    ::unlinkat(in, home->temporary.c_str(), 0);
    return done.error();
  }
  return std::unique_ptr<SocketFile>(new SocketFile(std::move(socket), path, ours.st_dev, ours.st_ino));
}

void SocketFile::remove() noexcept {
  struct stat found {};
  const std::string path = std::exchange(path_, {});
  if (path.empty() || ::lstat(path.c_str(), &found) != 0) return;
  if (found.st_dev == device_ && found.st_ino == inode_) ::unlink(path.c_str());
}

}  // namespace vtmirror::control
