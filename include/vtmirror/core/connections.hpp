// The connections of all transfers that run: how many there may be in all, and how many each transfer has.
// Pure: time and what the transfers do are arguments; what to do about it is returned.
// Promises one connection for each transfer as far as the settings and the store allow it, for deltas first.
//
// The rules, each with its reason:
//
//  1. If the number is fixed, it is each file's, and all files together have no more than `most`. If it is found,
//     `ConnectionCount` says how many there are in all.
//  2. A refusal is about the number of connections if the store asks for fewer requests, or if it refuses a connection
//     while bytes come over others. In an outage nothing comes over any, and a refusal has another cause.
//  3. If other files receive, a refused request may succeed once they have fewer connections. If none does, the store
//     is out of order, or too many for it are this file's own, which that transfer finds out itself.
//  4. A refusal of a request that began before the last one says nothing more: the others had no time to give way. So
//     only one that was asked later takes away connections that files have one of.
//     A file for which others gave way, and whose request fails although no other file asks or receives, is refused for
//     another reason: the others get their connections back at once, and no more of its refusals count until it has
//     received something. Otherwise one object that the store refuses would keep all others waiting.
//  5. Shares change with each report, each transfer that begins or ends, and each refusal. Those that give way go
//     first. Surplus connections are to leave in the middle of their pieces (`at_once`) if others open theirs
//     meanwhile and all of them would be more than are allowed.
//  6. A number that was found is doubled, up to its ceiling, for a transfer that takes a few seconds at the rate that
//     was found: new connections are slow for a large part of that time, and the line has room for others. That is so
//     only if the number is large and each connection slow; otherwise a few fill the line, or each is fast from the
//     start. It ends with those seconds: the line may be slower now, and nothing is found meanwhile.
//  7. If the number is fixed, a connection that was refused beside others does not come back at once: a transfer
//     whose share is as before is left alone.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/connection_count.hpp"
#include "vtmirror/core/connection_room.hpp"
#include "vtmirror/core/transfer.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace vtmirror::core {

class Connections {
 public:
  /// A transfer that runs, as it is now.
  struct Running {
    int number = 0;         ///< which one, by `join`
    std::int64_t left = 0;  ///< bytes that are not on disk
    int busy = 0;           ///< connections that ask or receive
    bool receives = false;  ///< whether bytes come
  };
  /// All of them, in the order in which they joined.
  using Transfers = std::span<const Running>;

  /// A transfer's new number of connections, perhaps 0. `at_once`: others need the places of those that are surplus.
  struct Aim {
    int transfer = 0;
    int connections = 0;
    bool at_once = false;
    friend bool operator==(const Aim&, const Aim&) = default;
  };
  struct Shares {
    int all = 0;              ///< connections that there may be, at least one for each transfer
    std::vector<Aim> aims{};  ///< to be carried out in this order
  };

  /// `for_each`: a fixed number for each file, 0 if it is to be found. `most`: over all files.
  Connections(int for_each, int most);

  /// What was found before on the way to the host that the next transfers ask; nothing if the number is fixed.
  void begin(FoundConnections before);
  bool finds() const noexcept { return for_each_ == 0; }
  /// Those of a transfer that begins now, with the connections that it may have.
  TransferRules rules(int attempts) const;
  /// What was found; empty if nothing was, or if the number is fixed.
  std::optional<FoundConnections> found() const;

  /// Registers a transfer with `left` bytes to download, and returns its number. With `first`, it gets a connection
  /// before the others if there are too few.
  int join(std::int64_t left, bool first, base::Steady now);
  void leave(int transfer) { members_.erase(transfer); }

  /// Bytes came. Whether a report is due: `report`, and then `share`.
  bool came(std::int64_t bytes, base::Steady now);
  /// `hindered`: the rate limit or the disk held bytes back since the last report.
  void report(Transfers transfers, bool hindered, base::Steady now);
  /// A request of `transfer` to the store that began at `asked` failed, perhaps because there are too many connections.
  /// Returns whether other transfers receive: then it may succeed once those have fewer. `share` is to follow as soon
  /// as the connection has its next step: while it pauses, no other connection of its file has to leave.
  bool refused(int transfer, const base::Error& error, base::Steady asked, Transfers transfers, base::Steady now);
  Shares share(Transfers transfers, base::Steady now);

 private:
  struct Member {
    bool first = false;
    std::int64_t left_at_first = 0;
    bool refused_alone = false;  ///< by rule 4, and nothing has come since
    int given = -1;              ///< as it was aimed last
  };

  bool is_crowded(base::Steady now) const;
  void disbelieve_refusals(base::Steady now);
  void remember_who_receives(Transfers transfers);
  int for_one_more() const;
  int in_all(base::Steady now) const;
  bool is_short(std::int64_t left) const;

  int for_each_;
  int most_;
  ConnectionCount count_;          ///< if the number is found
  Room room_;                      ///< if it is fixed: beside other files
  FoundConnections began_with_{};  ///< what was found before
  base::Steady doubled_until_{};   ///< by rule 6
  std::map<int, Member> members_;  ///< by the transfer's number
  int newest_ = 0;
  std::int64_t bytes_ = 0;  ///< since the last report
  base::Steady reported_{};
  base::Steady came_{};                    ///< the last bytes
  std::optional<base::Steady> refused_{};  ///< a request, the last time
};

}  // namespace vtmirror::core
