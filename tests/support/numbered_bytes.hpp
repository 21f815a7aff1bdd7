// Bodies whose every byte depends on its position and on the version of the file, so that an offset error shows.
#pragma once

#include <cstdint>
#include <string>

namespace vtmirror::test {

inline char numbered_byte(int version, std::int64_t position) {
  if (position == 0) return static_cast<char>(version);
  auto mixed = static_cast<std::uint64_t>(position) * 0x9E3779B97F4A7C15u +
               static_cast<std::uint64_t>(version) * 0xC2B2AE3D27D4EB4Fu;
  return static_cast<char>(mixed >> 56);
}

inline std::string numbered_bytes(int version, std::int64_t begin, std::int64_t end) {
  std::string bytes;
  for (auto position = begin; position < end; ++position) bytes += numbered_byte(version, position);
  return bytes;
}

}  // namespace vtmirror::test
