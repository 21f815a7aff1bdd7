// The records of a ZIP's members, whatever is unusual about them, and what speaks against them.
// Promises that a record without objection, whose local header does not contradict it, is read in the same way by every
// program. Never reads a file.
#pragma once

#include "mirror/zip_records.hpp"

#include <cstdint>
#include <string_view>

namespace vtmirror::mirror {

/// A local header, or an entry of the directory.
struct AnyRecord {
  ZipMember member;
  std::uint32_t disk = 0;
  bool whole = true;                ///< false: a number is in a ZIP64 field that does not have it
  std::string_view unicode_name{};  ///< which some programs take for the name; empty if there is none
};

/// Of a whole record with its mark; its names lie in `bytes`.
AnyRecord read_any_record(Bytes bytes, bool local);

/// Why an entry of the directory is refused; empty if nothing speaks against it.
std::string_view objection_to(const AnyRecord& entry);

/// How the local header contradicts the entry; empty if it does not. One with a descriptor may leave the numbers out.
std::string_view contradiction(const AnyRecord& local, const ZipMember& entry);

}  // namespace vtmirror::mirror
