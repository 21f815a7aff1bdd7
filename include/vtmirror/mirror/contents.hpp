// What is in published files: their members, unpacked, gzip files too, and checked on the way.
// Promises that a stream without an error is complete and sound, which does not mean that its file is the one that was
// published: the digest says that. Promises also that a file which was opened keeps its bytes, whatever is published
// under its name meanwhile. Needs no lock, and the memory of a few buffers and of the ZIP's directory. Changes nothing.
#pragma once

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace vtmirror::mirror {

/// A published file, as the catalogue knows it.
struct Published {
  std::string name;
  std::string sha256;  ///< empty if no digest was made
  std::int64_t size = 0;
};

/// Opens the bytes that the catalogue knew under that name when it was read: if other bytes were published since, those
/// that are held for readers. Without a digest these cannot be found. Errors: io; integrity, with the file's name as
/// the subject, for a file of another size.
base::Result<base::Descriptor> open_published(const std::string& directory, const Published& file);

struct ContentsReader {
  /// Called before the first bytes of each member; may be empty.
  std::function<void()> begin_member;
  /// Gets the bytes, in order. False: stop.
  std::function<bool(std::span<const std::byte>)> feed;
  /// Whether the digest of the file is wanted. The whole file is read for it, also if one member is.
  bool makes_digest = false;
};

/// Reads all members in the order of the ZIP's directory, or the one that is called `member`. `label` names the file in
/// errors. Returns the SHA-256 of the file's bytes, which only the caller can compare, or nothing if it is not wanted.
/// Errors: integrity, with the member, the reason and where in the file; config, if there is no such member; io;
/// cancelled, if `reader` stopped it.
base::Result<std::string> read_contents(const base::Descriptor& file, const std::string& label,
                                        const std::optional<std::string>& member, const ContentsReader& reader);

}  // namespace vtmirror::mirror
