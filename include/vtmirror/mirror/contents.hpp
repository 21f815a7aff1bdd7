// What is in published files: their members, unpacked, gzip files too, and checked on the way.
// Promises that a stream without an error is complete and sound, and that a file which was opened keeps its bytes,
// whatever is published under its name meanwhile. Needs no lock, the memory of a few buffers and of the ZIP's
// directory. Changes nothing.
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
/// that are held for readers. Without a digest these cannot be found. Errors: io, also for a file of another size.
base::Result<base::Descriptor> open_published(const std::string& directory, const Published& file);

struct ContentsReader {
  /// Called before the first bytes of each member; may be empty.
  std::function<void()> begin_member;
  /// Gets the bytes, in order. False: stop.
  std::function<bool(std::span<const std::byte>)> take;
};

/// Reads all members in the order of the ZIP's directory, or the one that is called `member`. `label` names the file in
/// errors. Errors: integrity, with the member, the reason and where in the file; config, if there is no such member;
/// io; cancelled, if `reader` stopped it.
base::Result<void> read_contents(const base::Descriptor& file, const std::string& label,
                                 const std::optional<std::string>& member, const ContentsReader& reader);

}  // namespace vtmirror::mirror
