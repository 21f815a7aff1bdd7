// The file of a listening Unix socket: appears in one step with its final mode and group, whatever the umask.
// Replaces a stale socket, but never one in use and never another kind of file. Removed at the end if still ours.
#pragma once

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <sys/types.h>

#include <memory>
#include <string>

namespace vtmirror::control {

class SocketFile {
 public:
  /// Listens at `path`. Members of `group` may connect too, unless it is empty.
  /// Errors: config (path, group), locked (another process listens there), io.
  static base::Result<std::unique_ptr<SocketFile>> make(const std::string& path, const std::string& group);

  ~SocketFile() { remove(); }
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;

  /// The listening socket. May be called once.
  base::Descriptor release_listener() { return std::move(listener_); }
  void remove() noexcept;

 private:
  SocketFile(base::Descriptor listener, std::string path, dev_t device, ino_t inode)
      : listener_(std::move(listener)), path_(std::move(path)), device_(device), inode_(inode) {}

  base::Descriptor listener_;
  std::string path_;  // empty once removed
  dev_t device_;
  ino_t inode_;
};

}  // namespace vtmirror::control
