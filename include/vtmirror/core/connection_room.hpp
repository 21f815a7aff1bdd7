// How many connections a store has room for, by what it refuses, and how the connections are shared among files.
// Promises a connection to each file while there are enough. Never touches the network or a clock.
#pragma once

#include "vtmirror/base/time.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vtmirror::core {

/// The connections for which a store has room, by its refusals. They are believed for half a minute, or for twice as
/// long as the last time if that ended a short time ago, up to ten minutes.
class Room {
 public:
  /// A request was refused while `open` connections, counting its own, were open. Allows one fewer than `open`, at
  /// most `target`; but not fewer than `least`, unless `target` is lower.
  void refused(base::Steady now, int open, int target, int least);
  /// No more than this; empty if nothing is known.
  std::optional<int> at(base::Steady now) const;
  /// The refusals had another cause.
  void disbelieve() { *this = Room(); }
  base::Steady until() const { return until_; }

 private:
  int connections_ = 0;
  base::Steady until_{};
  base::Milliseconds patience_{};
};

/// A file that wants connections.
struct Wanting {
  std::int64_t left = 0;  ///< bytes
  bool first = false;     ///< before the others if the connections do not suffice for all
};

/// How many of `connections` each file gets: one each, as far as they suffice, and the others where the most is left
/// for each connection, but never more than there are pieces, nor more than `most_each`.
std::vector<int> shares(int connections, std::span<const Wanting> files, int most_each);

}  // namespace vtmirror::core
