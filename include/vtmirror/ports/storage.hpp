// The mirror's directory as the agent needs it. Every call blocks and may be made from any thread of the pool;
// two calls for one file never run at the same time, except `Partial::write` for bytes that do not overlap.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::ports {

/// An unfinished file, open for writing at any offset.
class Partial {
 public:
  virtual ~Partial() = default;
  /// Writes all of `bytes` at `offset`. Fastest when `offset` and the address of `bytes` are equal modulo 4096. Errors:
  /// io, no_space.
  virtual base::Result<void> write(std::int64_t offset, std::span<const std::byte> bytes) = 0;
  /// All bytes whose write had returned before this call survive a power cut when it returns. Errors: io, no_space.
  /// After an error nothing written since the last success may be believed.
  virtual base::Result<void> sync() = 0;
};

struct CheckRules {
  bool zip = true;     ///< the ZIP's directory and every member's checksum
  bool digest = true;  ///< SHA-256
};

struct Checked {
  std::int64_t size = 0;
  std::string sha256;  ///< lower-case hex; empty when not asked for
};

/// Called now and then from a long check with the bytes read so far; false ends the check with `cancelled`.
using Watch = std::function<bool(std::int64_t bytes_read)>;

/// What manifest.json says (vtmirror-api(7)).
struct Manifest {
  std::int64_t generation = 0;
  base::Time published_at{};
  core::Chain chain;
};

/// What the mirror's own texts on disk say, as far as they can be read: for a catalogue that has to be made anew.
struct Remains {
  std::int64_t generation = 0;  ///< 0: there never was a manifest here, or nobody can tell
  base::Time published_at{};
  std::vector<core::Held> chain;                          ///< of manifest.json
  std::vector<std::pair<std::string, std::string>> sums;  ///< name and digest, of SHA256SUMS
  std::vector<base::Date> absent_upstream;
};

class Storage {
 public:
  virtual ~Storage() = default;

  /// Errors: io, where the directory's path leads to another one by now, or to none: somebody has removed or moved the
  /// one that is open here, or mounted over it.
  virtual base::Result<void> in_place() = 0;

  /// Files below the public tree, with sizes; `.vtmirror` and our own files are left out. Symlinks are not followed.
  virtual base::Result<std::vector<core::LocalFile>> public_files() = 0;
  /// Names (as `open_partial` takes them) of the partial files on disk, with sizes.
  virtual base::Result<std::vector<core::LocalFile>> partial_files() = 0;

  /// Opens the partial of a listed name to go on behind `kept` bytes, or makes it anew where that is 0; null where a
  /// partial of that length is not there (somebody has removed or cut it), and then nothing has changed. Reserves
  /// `size` bytes on disk where the file system can; the file's length says nothing about its contents. Errors: io,
  /// no_space.
  virtual base::Result<std::unique_ptr<Partial>> open_partial(const std::string& name, std::int64_t size,
                                                              std::int64_t kept) = 0;
  virtual base::Result<void> drop_partial(const std::string& name) = 0;

  /// Checks a partial, or a public file, from its first byte to its last. Errors: integrity (what and where), io,
  /// cancelled.
  virtual base::Result<Checked> check_partial(const std::string& name, std::int64_t size, CheckRules rules,
                                              const Watch& watch) = 0;
  virtual base::Result<Checked> check_public(const std::string& name, std::int64_t size, CheckRules rules,
                                             const Watch& watch) = 0;

  /// Renames the partial to its public name, over an older version if there is one, and syncs every directory that
  /// changed. A quarantined file of that name goes. Makes directories as needed, following no symlink. Errors: io.
  virtual base::Result<void> publish(const std::string& name) = 0;
  /// Moves the partial to the quarantine with `reason` in a file beside it. A quarantined file of the same name is
  /// replaced.
  virtual base::Result<void> quarantine(const std::string& name, const std::string& reason) = 0;
  /// Removes a public file and the directories that become empty.
  virtual base::Result<void> remove_public(const std::string& name) = 0;

  /// Replaces manifest.json, SHA256SUMS (all of `held`; none is written when no file has a digest, and an older one is
  /// removed) and `current`, each in one step, in that order, synced.
  virtual base::Result<void> write_manifest(const Manifest& manifest, const std::vector<core::Held>& held) = 0;
  /// The generation that manifest.json, SHA256SUMS and `current` on disk belong to; empty where any of them is missing
  /// or does not agree.
  virtual std::optional<std::int64_t> manifest_generation() = 0;

  /// Errors: io. What is damaged or was written by others is left out.
  virtual base::Result<Remains> remains() = 0;

  /// Bytes that an unprivileged process may still write.
  virtual base::Result<std::int64_t> free_space() = 0;
};

}  // namespace vtmirror::ports
