#include "vtmirror/core/pieces.hpp"

#include <algorithm>

namespace vtmirror::core {

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
