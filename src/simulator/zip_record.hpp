// The records of a ZIP file as bytes: local and central headers, and the end of the directory, in ZIP64 form if
// requested.
#pragma once

#include "simulator/block.hpp"

#include <cstdint>
#include <string>

namespace vtmirror::simulator {

struct Member {
  std::string name;
  Method method{};
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0;
  std::uint64_t plain = 0;
  std::uint64_t at = 0;  ///< where its local header begins
};

struct Directory {
  std::uint64_t members = 0;
  std::uint64_t at = 0;
  std::uint64_t size = 0;
};

std::string local_header(const Member& member, bool zip64);
std::string central_header(const Member& member, bool zip64);
std::string end_of_directory(const Directory& directory, bool zip64);

}  // namespace vtmirror::simulator
