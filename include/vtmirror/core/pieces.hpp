// One file's transfer as a state machine: which bytes to ask for next, which are written, which are durable.
// Promises that no byte that is durable is asked for again and that no byte is asked for twice at one time.
// Never touches the network or a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vtmirror::core {

/// Bytes [begin, end) of a file.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// A set of bytes, kept as sorted ranges that neither touch nor overlap. An empty range adds and removes nothing, and
/// is contained in every set.
class RangeSet {
 public:
  RangeSet() = default;
  explicit RangeSet(std::span<const Range> ranges);

  void add(Range range);
  void remove(Range range);
  bool contains(Range range) const;
  bool empty() const { return ranges_.empty(); }
  std::int64_t size() const;  ///< bytes in all
  std::int64_t end() const;   ///< behind the last byte; 0 when empty
  /// The first range that ends behind `offset`: the one that holds it, or else the next one.
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
  /// `total` bytes, of which `durable` are on disk already; a piece is at most `piece_size` bytes and ends at a
  /// multiple of it (or where others' bytes begin), so that offsets are aligned again after a resume from the middle of
  /// a piece.
  Pieces(std::int64_t total, std::int64_t piece_size, RangeSet durable);

  /// The next bytes to ask for, lowest offset first; they are this caller's until `failed` or until all of them are
  /// written. Empty when all that is left is asked for by others or written.
  std::optional<Range> next();

  /// All bytes that are neither written nor claimed, for a caller who is alone and whose store ignores ranges. The
  /// range runs from the first of them to the end; what lies between them may be skipped or written again. Empty at the
  /// end when there are none.
  Range claim_rest();

  /// These bytes are in the file (perhaps only in the page cache).
  void written(Range range);
  /// What is written now, to be handed to `durable` once a sync that started after this call has ended. Of no use after
  /// a `forget_unsynced`.
  RangeSet written_ranges() const { return written_; }
  /// These bytes survive a power cut. What of them is not written (it was forgotten meanwhile) does not count.
  void durable(const RangeSet& ranges);
  /// The caller gives up what it has claimed of this range and has not written.
  void failed(Range claimed);
  /// The writes since the last sync are lost (the sync failed): they are to be asked for again. Claims stay.
  void forget_unsynced();

  bool all_written() const;
  bool all_durable() const;
  std::int64_t total() const { return total_; }
  std::int64_t bytes_written() const { return written_.size(); }
  const RangeSet& durable_ranges() const { return durable_; }

 private:
  Range whole() const { return {0, total_}; }
  Range clipped(Range range) const;

  std::int64_t total_;
  std::int64_t piece_size_;
  RangeSet written_;  ///< the durable ones among them
  RangeSet durable_;
  RangeSet claimed_;  ///< asked for and not written
};

}  // namespace vtmirror::core
