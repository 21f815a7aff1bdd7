// A reader of ZIP files for the tests, written from the format's description and not from the writer: it follows the
// end record to the directory, each directory entry to its local header, inflates, and checks every checksum and every
// length.
#pragma once

#include "simulator/archive.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace vtmirror::simulator {

struct ReadMember {
  std::string name;
  int method = 0;
  std::uint64_t compressed = 0;
  std::string plain;
};

/// The whole archive's bytes, read in pieces of `piece` bytes.
std::string bytes_of(const Archive& archive, std::size_t piece = 262'144);

/// Throws std::runtime_error with what is wrong.
std::vector<ReadMember> read_zip(const std::string& bytes);

/// Every gzip file in `bytes`, inflated, one behind the other. Throws likewise.
std::string gunzip(const std::string& bytes);

}  // namespace vtmirror::simulator
