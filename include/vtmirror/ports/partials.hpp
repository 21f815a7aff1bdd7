// Unfinished files: scratch on a local disk, and the quarantine beside it.
// Promises that nothing in it is ever public. Every call blocks and may be made from any thread of the pool. Two calls
// for one name must not run at the same time, except `PartialFile::write` for bytes that do not overlap, and a check of
// bytes that are written.
//
// The scratch is local, whichever shelf the files are published on. A shelf that needs a file's bytes as they arrive
// (for an upload in parts, say) comes with an implementation that wraps this one: it uploads what a `sync` has made
// durable, and aborts the upload at `drop`, `quarantine` and an `open` that keeps nothing. The agent makes the same
// calls. Also what is checked in a file, and what came of it.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace vtmirror::ports {

/// Checks of a file: which ones to make, what they find, and how to interrupt a long one.
struct CheckRules {
  bool zip = true;     ///< the ZIP's directory and every member's checksum
  bool digest = true;  ///< SHA-256
  /// For work that nobody waits for: reads what is on the disk rather than what the system has cached of it, leaves
  /// nothing in that cache, and yields to the reads of others.
  bool in_background = false;
  std::int64_t bytes_a_second = 0;  ///< that are read at most; 0: as fast as possible
  friend bool operator==(const CheckRules&, const CheckRules&) = default;
};

struct Checked {
  std::int64_t size = 0;
  std::string sha256;  ///< lower-case hex; empty if not requested
};

/// Called from time to time during work that may take minutes, with the bytes done so far; false ends it with
/// `cancelled`.
using Watch = std::function<bool(std::int64_t bytes_done)>;

/// An unfinished file, open for writing at any offset.
class PartialFile {
 public:
  virtual ~PartialFile() = default;
  /// Writes all of `bytes` at `offset`. Fastest if `offset` and the address of `bytes` are equal modulo 4096. Errors:
  /// io, no_space.
  virtual base::Result<void> write(std::int64_t offset, std::span<const std::byte> bytes) = 0;
  /// When it returns, all bytes whose write had returned before this call survive a power cut. Errors: io, no_space.
  /// After an error nothing written since the last success can be relied on.
  virtual base::Result<void> sync() = 0;
};

/// A check of an unfinished file, which may go along with its arrival: each byte is read once, from the first one on.
/// The partial must neither be moved nor removed meanwhile.
class PartialCheck {
 public:
  virtual ~PartialCheck() = default;
  /// Continues to read up to `front`. The bytes before it are written and no longer change. `finish` reports what is
  /// wrong with them. Errors: io, cancelled; then it may be called again.
  virtual base::Result<void> advance(std::int64_t front, const Watch& watch) = 0;
  /// Reads the rest, now that the file is whole, and judges it. Called once. Errors: integrity (what and where), io,
  /// cancelled.
  virtual base::Result<Checked> finish(const Watch& watch) = 0;
};

/// A listed file, of which at least the first `kept` bytes are expected to be present.
struct WantedPartial {
  std::string name;
  std::int64_t size = 0;
  std::int64_t kept = 0;
};

class Partials {
 public:
  virtual ~Partials() = default;

  /// The partials on disk, with their names (as for `open`) and sizes.
  virtual base::Result<std::vector<core::LocalFile>> files() = 0;

  /// Opens a partial to continue it, or creates it anew if nothing is to be kept. Null if a partial of `kept` bytes
  /// does not exist (somebody has removed or cut it); nothing has changed then. Reserves `size` bytes on disk if the
  /// file system can; the file's length says nothing about its contents. Errors: io, no_space.
  virtual base::Result<std::unique_ptr<PartialFile>> open(const WantedPartial& wanted) = 0;

  /// Removes the partial, if there is one. A quarantined file of the same name stays. Errors: io.
  virtual base::Result<void> drop(const std::string& name) = 0;

  /// Begins a check of a partial that has `size` bytes once it is whole. Errors: io.
  virtual base::Result<std::unique_ptr<PartialCheck>> begin_check(const std::string& name, std::int64_t size,
                                                                  CheckRules rules) = 0;

  /// Moves the partial to the quarantine with `reason` in a file beside it. A quarantined file of the same name is
  /// replaced. Errors: io.
  virtual base::Result<void> quarantine(const std::string& name, const std::string& reason) = 0;

  /// What is in the quarantine, with the names under which it was listed, sorted. A file of which only the reason is
  /// left has no size. Errors: io.
  virtual base::Result<std::vector<core::LocalFile>> quarantined() = 0;

  /// Must be called after the file became public: removes the partial, which remains if the shelf copied it, and an
  /// older quarantined file of the same name. Neither need exist. Errors: io.
  virtual base::Result<void> clear(const std::string& name) = 0;

  /// Bytes that an unprivileged process can still write to the scratch.
  virtual base::Result<std::int64_t> free_space() = 0;
};

}  // namespace vtmirror::ports
