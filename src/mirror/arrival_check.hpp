// The check of one file that goes along with its arrival: digest and ZIP in one pass over the bytes.
// Promises the verdict that a check of the whole file would have. Never reads bytes that have not come yet, and
// changes nothing.
#pragma once

#include "mirror/pace.hpp"
#include "mirror/sha256.hpp"
#include "mirror/tally.hpp"
#include "mirror/tree.hpp"
#include "mirror/zip_follower.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/partials.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::mirror {

/// One call at a time. After an error a call may be repeated, and continues where the last one stopped. Every Watch
/// counts the bytes read since the beginning: up to twice the file's size, if its ZIP needs a closer look.
class ArrivalCheck {
 public:
  /// `file` is open for reading, `name` its name in errors, `size` the size that it should have in the end.
  ArrivalCheck(base::Descriptor file, std::string name, std::int64_t size, ports::CheckRules rules);

  /// Continues to read up to `front`. The caller guarantees that the bytes before it are written and no longer change.
  /// Errors: io, cancelled.
  base::Result<void> advance(std::int64_t front, const ports::Watch& watch);

  /// Whether bytes are still to be read: those of a file of which only the size is checked never are.
  bool needs_bytes() const { return (rules_.digest && !digest_) || follows(); }
  /// Whether this is the file that it reads.
  bool reads(const base::Descriptor& file) const { return same_file(file_, file); }
  /// The same check of another file, from its beginning.
  ArrivalCheck of_another(base::Descriptor file) const { return {std::move(file), name_, size_, rules_}; }

  /// Takes what was read out of the page cache, as far as it is written to the disk.
  void drop_cached();

  /// Reads what is left, and gives the verdict on the whole file. Errors: integrity, io, cancelled.
  base::Result<ports::Checked> finish(const ports::Watch& watch);

 private:
  base::Result<void> check_size() const;
  bool follows() const { return follower_ && follower_->follows(); }
  base::Result<void> read_to(std::int64_t front, Tally& tally);
  bool feed(Bytes bytes, Tally& tally);
  base::Result<ports::Checked> conclude(Tally& tally);
  base::Result<void> check_members(Tally& tally);

  base::Descriptor file_;
  std::string name_;
  std::int64_t size_;
  ports::CheckRules rules_;
  std::int64_t position_ = 0;  ///< what is before it needs no more reading
  std::int64_t dropped_ = 0;   ///< what is before it is out of the page cache
  std::int64_t read_ = 0;      ///< as the Watch counts it
  Sha256 sha256_;
  std::optional<std::string> digest_;  ///< once all bytes are read
  std::optional<ZipFollower> follower_;
  std::vector<std::byte> buffer_;
  Pace pace_;
};

/// The same check of a whole file, at once. `path` is the file's place below the tree, `name` its name in errors. The
/// Watch counts the bytes read: up to twice the file's size, if its ZIP needs a closer look. Errors: integrity, io,
/// cancelled.
base::Result<ports::Checked> check_file(const Tree& tree, const std::string& path, const std::string& name,
                                        std::int64_t size, ports::CheckRules rules, const ports::Watch& watch);

}  // namespace vtmirror::mirror
