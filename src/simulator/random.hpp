// Pseudo-random numbers from a seed, the same on every machine, and seeds as hashes of texts. For contents, never for
// secrets.
#pragma once

#include <cstdint>
#include <string_view>

namespace vtmirror::simulator {

class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// A number from 0 to bound-1; `bound` must not be 0. The modulo bias does not matter here.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

 private:
  std::uint64_t state_;
};

/// FNV-1a, starting from `from`.
constexpr std::uint64_t hash_text(std::string_view text, std::uint64_t from = 0xcbf29ce484222325U) noexcept {
  for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return from;
}

}  // namespace vtmirror::simulator
