// A file cut at random places and written in random order, from memory of every alignment, by several threads.
#pragma once

#include "mirror/stored.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>

namespace vtmirror::test {

struct Part {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Cuts [0, size) at random places, some of them on pages, and shuffles the parts.
inline std::vector<Part> shuffled_parts(std::int64_t size, std::mt19937_64& dice) {
  std::vector<Part> parts;
  for (std::int64_t at = 0; at < size;) {
    std::int64_t length = 1 + static_cast<std::int64_t>(dice() % (dice() % 2 == 0 ? 5000 : 400000));
    if (dice() % 3 == 0) length = (at + length + 4095) / 4096 * 4096 - at;
    parts.push_back({at, std::min(at + length, size)});
    at = parts.back().end;
  }
  std::shuffle(parts.begin(), parts.end(), dice);
  return parts;
}

/// Copies the part to an address that is equal to its offset modulo 4096, or to any other, and writes it from there.
inline bool write_part(ports::PartialFile& partial, const std::string& whole, Part part, std::mt19937_64& dice) {
  const auto length = static_cast<std::size_t>(part.end - part.begin);
  std::vector<char> memory(length + std::size_t{3} * 4096);
  auto start = (4096 - reinterpret_cast<std::uintptr_t>(memory.data()) % 4096) % 4096;
  start += dice() % 4 == 0 ? dice() % 4096 : static_cast<std::size_t>(part.begin) % 4096;
  std::memcpy(memory.data() + start, whole.data() + part.begin, length);
  return partial.write(part.begin, bytes_of({memory.data() + start, length})).has_value();
}

/// Every third part, so that neighbours that share a page are written by different threads at one time.
inline bool write_every_third(ports::PartialFile& partial, const std::string& whole, const std::vector<Part>& parts,
                              std::size_t first) {
  std::mt19937_64 dice(first);
  bool fine = true;
  for (std::size_t i = first; i < parts.size(); i += 3) fine = write_part(partial, whole, parts[i], dice) && fine;
  return fine;
}

inline bool write_in_threads(ports::PartialFile& partial, const std::string& whole, const std::vector<Part>& parts) {
  bool fine[3] = {};
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 3; ++first)
    threads.emplace_back([&, first] { fine[first] = write_every_third(partial, whole, parts, first); });
  for (auto& thread : threads) thread.join();
  return fine[0] && fine[1] && fine[2];
}

}  // namespace vtmirror::test
