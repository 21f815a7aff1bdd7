// The mirror's directory on a real file system, with scratch and shelf: one factory, and the lock.
// Promises that nothing outside the directory is ever touched, whatever a name says, and that a public name exists only
// when the file behind it is complete. Never follows a symlink below the directory.
#pragma once

#include "vtmirror/ports/partials.hpp"
#include "vtmirror/ports/shelf.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace vtmirror::mirror {

struct DirectorySettings {
  std::string directory;  ///< created with mode 0755 if missing
  bool direct_io = true;  ///< use O_DIRECT if the file system can
  friend bool operator==(const DirectorySettings&, const DirectorySettings&) = default;
};

/// Publishing is a rename from `.vtmirror/partial` to the listed path. Either of the two may outlive the other.
struct Directory {
  std::unique_ptr<ports::Partials> partials;
  std::unique_ptr<ports::Shelf> shelf;
};

/// Errors: io.
base::Result<Directory> open_directory(const DirectorySettings& settings);

/// The same for a process that only reads: nothing is created or changed. A missing directory is an empty mirror; its
/// free space is that of the disk on which it would be created. The caller calls only functions that read. Errors: io.
base::Result<Directory> look_at_directory(const DirectorySettings& settings);

/// Only one process may use a mirror. Held until destroyed; the kernel releases it when the process dies.
class Lock {
 public:
  virtual ~Lock() = default;
};
/// The command of the program that a process runs which holds a lock alone.
enum class Holder { unknown, run, sync, verify, adopt, prune, next, ack, consumers };
/// The command's word: "sync". The lock's file has it.
std::string_view name(Holder holder) noexcept;
/// Who holds the lock that an error of the functions below is about: a hint, because the holder may not have written
/// yet, and because what is written may be from a holder that was killed. `unknown` for any other error.
Holder holder_of(const base::Error& error) noexcept;

/// Errors: locked, naming the holder ("held by vtmirror sync, process 4711, since 2026-11-18T08:00:00Z"), see
/// `holder_of`; io.
base::Result<std::unique_ptr<Lock>> acquire_lock(const std::string& directory, Holder holder, base::Time now);
/// Keeps others from taking the lock, and writes nothing. Several processes may hold it like this. Null if no process
/// ever took the lock. Errors: as above.
base::Result<std::unique_ptr<Lock>> share_lock(const std::string& directory);
/// Whether a process holds the lock alone, as far as this one can see; takes nothing and needs no right to the file.
bool is_locked(const std::string& directory);

/// The same two for a single file, such as the catalogue, which only one process may write whatever mirror it has: a
/// mirror that is moved takes its own lock along. The lock is the file FILE.lock; the directory is created if missing.
base::Result<std::unique_ptr<Lock>> acquire_lock_beside(const std::string& file, Holder holder, base::Time now);
base::Result<std::unique_ptr<Lock>> share_lock_beside(const std::string& file);

}  // namespace vtmirror::mirror
