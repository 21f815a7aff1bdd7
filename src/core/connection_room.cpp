#include "vtmirror/core/connection_room.hpp"

#include "vtmirror/core/pieces.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

using base::Milliseconds;
using base::Steady;
using namespace std::chrono_literals;

constexpr Milliseconds first_patience = 30s;
constexpr Milliseconds longest_patience = 10min;
/// A refusal that comes no later than this after the patience has ended doubles it.
constexpr Milliseconds soon = 30s;

}  // namespace

void Room::refused(Steady now, int open, int target, int least) {
  const bool believed = at(now).has_value();
  const bool long_ago = now - until_ > patience_ + soon;
  if (!believed) patience_ = patience_ == 0ms || long_ago ? first_patience : std::min(2 * patience_, longest_patience);
  connections_ = std::max({std::min(target, open - 1), std::min(least, target), 1});
  until_ = now + patience_;
}

std::optional<int> Room::at(Steady now) const { return now < until_ ? std::optional(connections_) : std::nullopt; }

std::vector<int> shares(int connections, std::span<const Wanting> files, int most_each) {
  std::vector<int> given(files.size(), 0);
  int rest = connections;
  for (const bool first : {true, false}) {
    for (std::size_t file = 0; file < files.size() && rest > 0; ++file) {
      if (files[file].first != first) continue;
      given[file] = 1;
      --rest;
    }
  }
  const auto wanted = [&](std::size_t file) {
    const auto pieces = (files[file].left + smallest_piece - 1) / smallest_piece;
    if (given[file] >= std::min<std::int64_t>(pieces, most_each)) return std::int64_t{0};
    return files[file].left / given[file];
  };
  for (; rest > 0 && !files.empty(); --rest) {
    std::size_t neediest = 0;
    for (std::size_t file = 1; file < files.size(); ++file)
      if (wanted(file) > wanted(neediest)) neediest = file;
    if (wanted(neediest) == 0) break;
    ++given[neediest];
  }
  return given;
}

}  // namespace vtmirror::core
