// Where the members of a ZIP file come to lie when they are unpacked, and as what: whether one leaves the directory, or
// is more than a file or a directory, and whether two of them want the same place.
// Never reads a file.
#pragma once

#include "mirror/zip_records.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::mirror {

/// The parts of a name, without those that lead nowhere: empty ones, and ".". A backslash separates too, because some
/// programs take it for a slash.
class NameParts {
 public:
  explicit NameParts(std::string_view name) : rest_(name) {}
  /// Empty behind the last one.
  std::string_view next();

 private:
  std::string_view rest_;
};

/// What could happen when the member is unpacked, or how programs differ about what it is; empty if no harm comes of
/// it.
std::string_view danger_of(const ZipMember& member);

/// Whether `a` comes first in the order in which a member stands directly before those that lie in it, and those that
/// want the same place stand side by side.
bool lies_before(const ZipMember& a, const ZipMember& b);

/// Why two neighbours in that order cannot both be unpacked, as an objection to the second one; empty if they can.
std::string collision(const ZipMember& first, const ZipMember& second);

/// Finds members that cannot both be unpacked among very many, by hashes of their places. Only so many are in memory at
/// a time, so the members are given in several passes. Places with the same hash count as one place.
class PlaceHashes {
 public:
  explicit PlaceHashes(std::uint64_t key) : key_(key) { hashes_.reserve(most_hashes); }

  /// How many places a pass compares at least, if there are so many.
  static constexpr std::size_t usual_hashes = 200'000;

  /// To be called before each pass. False if all places were compared.
  bool begin_pass();
  /// Each pass must give all members, in the same order.
  void add(const ZipMember& member);
  /// To be called behind each pass: whether two places of it collided.
  bool collided();

 private:
  static constexpr std::size_t most_hashes = 2 * usual_hashes;
  void keep(std::uint64_t hash, unsigned kind);
  void sort();
  void make_room();

  std::uint64_t key_;
  std::uint64_t begin_ = 0, end_ = 0;       ///< what this pass compares
  std::vector<std::uint64_t> hashes_;       ///< the last bits are the kind
  std::vector<std::uint64_t> directories_;  ///< in which the member lies
  std::uint64_t last_directory_ = 0;        ///< in which the member before it lies
  bool collided_ = false;
};

}  // namespace vtmirror::mirror
