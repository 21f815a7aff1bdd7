// Unfinished files: scratch on a local disk, and the quarantine beside it.
// Promises that nothing here is ever public. Every call blocks and may be made from any thread of the pool; two calls
// for one name never run at the same time, except `PartialFile::write` for bytes that do not overlap.
//
// The scratch is local whatever shelf the files go to. A shelf that wants a file's bytes while they arrive (an upload
// in parts, say) comes with an implementation that wraps this one: it uploads what a `sync` has made durable, and gives
// an upload up at `drop`, `quarantine` and an `open` that keeps nothing. The agent makes the same calls.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/ports/file_check.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace vtmirror::ports {

/// An unfinished file, open for writing at any offset.
class PartialFile {
 public:
  virtual ~PartialFile() = default;
  /// Writes all of `bytes` at `offset`. Fastest when `offset` and the address of `bytes` are equal modulo 4096. Errors:
  /// io, no_space.
  virtual base::Result<void> write(std::int64_t offset, std::span<const std::byte> bytes) = 0;
  /// All bytes whose write had returned before this call survive a power cut when it returns. Errors: io, no_space.
  /// After an error nothing written since the last success may be believed.
  virtual base::Result<void> sync() = 0;
};

/// A listed file, of which the first `kept` bytes at least are expected to be here already.
struct WantedPartial {
  std::string name;
  std::int64_t size = 0;
  std::int64_t kept = 0;
};

class Partials {
 public:
  virtual ~Partials() = default;

  /// Names (as `open` takes them) of the partials on disk, with sizes.
  virtual base::Result<std::vector<core::LocalFile>> files() = 0;

  /// Opens a partial to continue it, or makes it anew where nothing is to be kept. Null where a partial of `kept` bytes
  /// is not there (somebody has removed or cut it), and then nothing has changed. Reserves `size` bytes on disk where
  /// the file system can; the file's length says nothing about its contents. Errors: io, no_space.
  virtual base::Result<std::unique_ptr<PartialFile>> open(const WantedPartial& wanted) = 0;

  /// Removes the partial; it need not be there. A quarantined file of the same name stays. Errors: io.
  virtual base::Result<void> drop(const std::string& name) = 0;

  /// Reads the partial from its first byte to its last. Errors: integrity (what and where), io, cancelled.
  virtual base::Result<Checked> check(const std::string& name, std::int64_t size, CheckRules rules,
                                      const Watch& watch) = 0;

  /// Moves the partial to the quarantine with `reason` in a file beside it. A quarantined file of the same name is
  /// replaced. Errors: io.
  virtual base::Result<void> quarantine(const std::string& name, const std::string& reason) = 0;

  /// To be called when the file is public: removes the partial, which is still here where the shelf has copied it, and
  /// an older quarantined file of the same name. Neither need be there. Errors: io.
  virtual base::Result<void> clear(const std::string& name) = 0;

  /// Bytes that an unprivileged process may still write to the scratch.
  virtual base::Result<std::int64_t> free_space() = 0;
};

}  // namespace vtmirror::ports
