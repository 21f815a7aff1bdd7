#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::base {
namespace {

using Row = std::vector<std::size_t>;

/// The number of letters to insert, delete, change or swap with their neighbour to turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  Row before_last(b.size() + 1);
  Row last(b.size() + 1);
  Row row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// Longer words are not typing errors. The limit also bounds the work that a string from a peer can cause.
constexpr std::size_t longest_word = 100;

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = longest_word;
  if (word.empty() || word.size() > longest_word) return best;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest_word) continue;
    const std::size_t distance = edit_distance(lower(word), lower(candidate));
    const bool near = distance * 3 <= std::max(word.size(), candidate.size());
    if (near && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace vtmirror::base
