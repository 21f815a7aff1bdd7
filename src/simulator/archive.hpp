// A ZIP file whose bytes are computed on request, so that its size costs neither disk nor memory. Promises exactly the
// requested size (unless it is too small for a ZIP), valid checksums, and the same bytes for the same recipe.
#pragma once

#include "simulator/block.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vtmirror::simulator {

/// Which members are deflated: none, every fourth, or all but the last one, which has the odd size.
enum class Deflated { none, some, all };

/// The parameters that determine an archive's bytes.
struct Recipe {
  std::string name;
  std::uint64_t seed = 1;
  std::uint64_t version = 1;
  std::uint64_t bytes = 0;
  Deflated deflated = Deflated::some;
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

class Archive {
 public:
  static constexpr std::size_t block_size = 65'536;

  /// Needs tens of milliseconds, and a second for 40 GB. A size that is too small for a ZIP is raised to the minimum
  /// (see `size_of`).
  static Archive build(const Recipe& recipe);
  /// The size of the archive that `build` would return, without building it.
  static std::uint64_t size_of(std::uint64_t bytes);

  std::uint64_t size() const noexcept { return size_; }
  /// Fills `out` with the bytes from `offset` on. The range must lie within the size.
  void read(std::uint64_t offset, std::span<char> out) const;

 private:
  struct Segment {
    std::uint64_t at;
    std::uint64_t size;
    std::string literal;      // empty for a run of blocks
    std::size_t run = 0;      // index into runs_; block n of the run is runs_[run][n % its size]
    std::uint64_t first = 0;  // number of the segment's first block
  };

  Archive() = default;
  void add(std::string literal);
  void add_blocks(std::size_t run, std::uint64_t first, std::uint64_t count);
  void copy(const Segment& segment, std::uint64_t offset, std::span<char> out) const;

  std::vector<std::vector<Block>> runs_;  // stored, deflated, and the one of odd size at the end
  std::vector<Segment> segments_;
  std::uint64_t size_ = 0;
};

}  // namespace vtmirror::simulator
