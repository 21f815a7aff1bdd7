// Which bytes of a file to request next, which are written, and which are durable.
// Promises that no durable byte is requested again and that no byte is requested twice at one time.
// Never touches the network or a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vtmirror::core {

/// Smaller pieces than this cost more requests than they are worth.
inline constexpr std::int64_t smallest_piece = std::int64_t{4} << 20;
/// Half of a connection's share of the bytes that are `left`, and up to three quarters of it if fewer bytes than
/// `worth` leave a connection idle too often. A single connection requests everything at once.
std::int64_t size_of_pieces(std::int64_t left, int connections, std::int64_t worth = 0);

/// Bytes [begin, end) of a file.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// A set of bytes, kept as sorted ranges that neither touch nor overlap. An empty range adds and removes nothing, and
/// every set contains it.
class RangeSet {
 public:
  RangeSet() = default;
  explicit RangeSet(std::span<const Range> ranges);

  void add(Range range);
  void remove(Range range);
  bool contains(Range range) const;
  bool empty() const { return ranges_.empty(); }
  std::int64_t size() const;   ///< bytes in all
  std::int64_t end() const;    ///< one past the last byte; 0 if empty
  std::int64_t front() const;  ///< the number of bytes from byte 0 on without a gap
  /// The first range that ends after `offset`: the one that contains it, or else the next one.
  std::optional<Range> at_or_after(std::int64_t offset) const;
  /// The parts of `within` that are not in the set.
  std::vector<Range> gaps(Range within) const;
  const std::vector<Range>& ranges() const { return ranges_; }
  friend bool operator==(const RangeSet&, const RangeSet&) = default;

 private:
  std::vector<Range> ranges_;
};

class Pieces {
 public:
  /// `total` bytes, of which `durable` are already on disk. A piece is at most `piece_size` bytes. It ends at a
  /// multiple of `smallest_piece` (of `piece_size`, if that is smaller), so that offsets are aligned again after a
  /// resume inside a piece, or if nothing is left behind it.
  Pieces(std::int64_t total, std::int64_t piece_size, RangeSet durable);

  /// The size of pieces that are claimed from now on; claimed ones stay as they are.
  void cut(std::int64_t piece_size) { piece_size_ = piece_size; }

  /// The next bytes to request, lowest offset first; they are claimed by this caller until `failed`, or until all of
  /// them are written. Empty if everything left is claimed by others or written.
  std::optional<Range> next();
  /// Whether `next` would return bytes.
  bool has_next() const;
  /// Neither written nor claimed.
  std::int64_t bytes_unclaimed() const { return total_ - written_.size() - claimed_.size(); }

  /// Claims all bytes that are neither written nor claimed, for the only caller when the store ignores ranges. The
  /// range runs from the first of them to the end; of the bytes in between, only the `unwritten` ones are to be
  /// written. An empty range at the end of the file if there are none.
  Range claim_rest();

  /// The parts of `range` that are not written.
  std::vector<Range> unwritten(Range range) const { return written_.gaps(range); }

  /// These bytes are in the file (perhaps only in the page cache).
  void written(Range range);
  /// The ranges written so far. The caller passes them to `durable` after a sync that began after this call; a
  /// `forget_unsynced` in between makes them invalid.
  RangeSet written_ranges() const { return written_; }
  /// These bytes survive a power cut. Bytes that were forgotten meanwhile do not count.
  void durable(const RangeSet& ranges);
  /// The caller releases the part of this range that it has claimed and not written.
  void failed(Range claimed);
  /// The writes since the last sync are lost because the sync failed: their bytes are requested again. Claims stay.
  void forget_unsynced();

  bool all_durable() const;
  std::int64_t total() const { return total_; }
  std::int64_t bytes_written() const { return written_.size(); }
  const RangeSet& durable_ranges() const { return durable_; }

 private:
  Range whole() const { return {0, total_}; }
  Range clipped(Range range) const;

  std::int64_t total_;
  std::int64_t piece_size_;
  RangeSet written_;  ///< includes the durable ones
  RangeSet durable_;
  RangeSet claimed_;  ///< requested and not written
};

}  // namespace vtmirror::core
