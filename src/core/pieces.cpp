#include "vtmirror/core/pieces.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

constexpr std::int64_t largest_piece = std::int64_t{128} << 20;

/// The lowest bytes below `total` that are in neither set; empty if there are none.
Range first_free(std::int64_t total, const RangeSet& written, const RangeSet& claimed) {
  Range free{0, total};
  while (free.begin < total) {
    free.end = total;
    const std::int64_t start = free.begin;
    for (const RangeSet* set : {&written, &claimed}) {
      const std::optional<Range> taken = set->at_or_after(free.begin);
      if (!taken) continue;
      if (taken->begin <= free.begin)
        free.begin = taken->end;
      else
        free.end = std::min(free.end, taken->begin);
    }
    if (free.begin == start) return free;
  }
  return {total, total};
}

}  // namespace

std::int64_t size_of_pieces(std::int64_t left, int connections, std::int64_t worth) {
  if (connections <= 1) return std::max<std::int64_t>(left, 1);
  const auto whole = left / connections;
  const auto share = std::clamp(worth, whole / 2, whole - whole / 4);
  const auto rounded = (share + smallest_piece - 1) / smallest_piece * smallest_piece;
  return std::clamp(rounded, smallest_piece, largest_piece);
}

Pieces::Pieces(std::int64_t total, std::int64_t piece_size, RangeSet durable)
    : total_(std::max<std::int64_t>(total, 0)), piece_size_(std::max<std::int64_t>(piece_size, 1)) {
  for (const Range& range : durable.ranges()) durable_.add(clipped(range));
  written_ = durable_;
}

Range Pieces::clipped(Range range) const {
  return {std::clamp<std::int64_t>(range.begin, 0, total_), std::clamp<std::int64_t>(range.end, 0, total_)};
}

std::optional<Range> Pieces::next() {
  Range piece = first_free(total_, written_, claimed_);
  if (piece.empty()) return std::nullopt;
  const auto end = piece.begin + piece_size_;
  if (end < piece.end) piece.end = end - end % std::min(piece_size_, smallest_piece);
  claimed_.add(piece);
  return piece;
}

bool Pieces::has_next() const { return !first_free(total_, written_, claimed_).empty(); }

Range Pieces::claim_rest() {
  Range rest = first_free(total_, written_, claimed_);
  rest.end = total_;
  for (const Range& missing : written_.gaps(rest)) claimed_.add(missing);
  return rest;
}

void Pieces::written(Range range) {
  range = clipped(range);
  written_.add(range);
  claimed_.remove(range);
}

void Pieces::durable(const RangeSet& ranges) {
  RangeSet synced = ranges;
  for (const Range& forgotten : written_.gaps(whole())) synced.remove(forgotten);
  for (const Range& range : synced.ranges()) durable_.add(clipped(range));
}

void Pieces::failed(Range claimed) { claimed_.remove(clipped(claimed)); }

void Pieces::forget_unsynced() { written_ = durable_; }

bool Pieces::all_durable() const { return durable_.contains(whole()); }

RangeSet::RangeSet(std::span<const Range> ranges) {
  for (const Range& range : ranges) add(range);
}

void RangeSet::add(Range range) {
  if (range.empty()) return;
  // Touching counts as overlapping: [0, 4) and [4, 8) become one range.
  const auto first = std::ranges::lower_bound(ranges_, range.begin, {}, &Range::end);
  const auto last = std::ranges::upper_bound(first, ranges_.end(), range.end, {}, &Range::begin);
  if (first != last) {
    range.begin = std::min(range.begin, first->begin);
    range.end = std::max(range.end, std::prev(last)->end);
  }
  ranges_.insert(ranges_.erase(first, last), range);
}

void RangeSet::remove(Range range) {
  if (range.empty()) return;
  const auto first = std::ranges::upper_bound(ranges_, range.begin, {}, &Range::end);
  const auto last = std::ranges::lower_bound(first, ranges_.end(), range.end, {}, &Range::begin);
  if (first == last) return;
  const Range before{first->begin, range.begin};
  const Range after{range.end, std::prev(last)->end};
  auto at = ranges_.erase(first, last);
  if (!after.empty()) at = ranges_.insert(at, after);
  if (!before.empty()) ranges_.insert(at, before);
}

bool RangeSet::contains(Range range) const {
  if (range.empty()) return true;
  const std::optional<Range> found = at_or_after(range.begin);
  return found && found->begin <= range.begin && range.end <= found->end;
}

std::int64_t RangeSet::end() const { return ranges_.empty() ? 0 : ranges_.back().end; }

std::int64_t RangeSet::front() const { return ranges_.empty() || ranges_.front().begin > 0 ? 0 : ranges_.front().end; }

std::int64_t RangeSet::size() const {
  std::int64_t bytes = 0;
  for (const Range& range : ranges_) bytes += range.size();
  return bytes;
}

std::optional<Range> RangeSet::at_or_after(std::int64_t offset) const {
  const auto found = std::ranges::upper_bound(ranges_, offset, {}, &Range::end);
  if (found == ranges_.end()) return std::nullopt;
  return *found;
}

std::vector<Range> RangeSet::gaps(Range within) const {
  std::vector<Range> gaps;
  std::int64_t at = within.begin;
  for (auto range = std::ranges::upper_bound(ranges_, at, {}, &Range::end);
       range != ranges_.end() && range->begin < within.end; ++range) {
    if (at < range->begin) gaps.push_back({at, range->begin});
    at = range->end;
  }
  if (at < within.end) gaps.push_back({at, within.end});
  return gaps;
}

}  // namespace vtmirror::core
