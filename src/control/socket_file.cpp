#include "control/socket_file.hpp"

#include "vtmirror/base/text.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

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
  return refused(code, path, std::generic_category().message(error));
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

/// At `temporary`, a name that would mean nothing to the operator: errors name `path`. Clients cannot connect before
/// listen(), so the mode and the group are final for every client.
Result<void> bind_and_listen(const base::Descriptor& socket, const std::string& temporary, const std::string& path,
                             gid_t group) {
  const auto address = address_of(temporary);
  if (!address) return refused(address.error().code, path, "too long for a Unix socket's path");
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
    return failed(Errc::io, path, errno);
  if (group != nobody_else && ::lchown(temporary.c_str(), static_cast<uid_t>(-1), group) != 0)
    return refused(errno == EPERM ? Errc::config : Errc::io, path,
                   "group " + std::to_string(group) + ": " + std::generic_category().message(errno));
  if (::chmod(temporary.c_str(), group == nobody_else ? 0600 : 0660) != 0) return failed(Errc::io, path, errno);
  if (::listen(socket.get(), SOMAXCONN) != 0) return failed(Errc::io, path, errno);
  return Result<void>();
}

/// The last directory of the path, if it is not there: systemd makes the service's, nobody an ordinary user's. What
/// fails here is reported when the socket is bound.
void make_directory_of(const std::string& path, gid_t group) {
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
  const std::string temporary = path + "." + std::to_string(::getpid());
  ::unlink(temporary.c_str());
  base::Descriptor socket = stream();
  if (!socket.valid()) return failed(Errc::io, path, errno);
  auto done = bind_and_listen(socket, temporary, path, *gid);
  struct stat ours {};
  if (done && ::lstat(temporary.c_str(), &ours) != 0) done = failed(Errc::io, path, errno);
  if (done && ::rename(temporary.c_str(), path.c_str()) != 0) done = failed(Errc::io, path, errno);
  if (!done) {
    ::unlink(temporary.c_str());
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
