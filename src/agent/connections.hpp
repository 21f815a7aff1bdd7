// The connections of all transfers that run: how many there may be in all, and how many each transfer has.
// Promises one for each transfer, as far as the settings and the store allow so many, for deltas first, and that every
// change reaches the transfers at once. What the number becomes is decided by `core::ConnectionCount` and
// `core::ConnectionRoom`; here, which refusals speak of it. Belongs to the loop's thread; waits for nothing.
#pragma once

#include "agent/blocks.hpp"
#include "vtmirror/core/connection_count.hpp"
#include "vtmirror/core/transfer.hpp"
#include "vtmirror/ports/clock.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <optional>

namespace vtmirror::agent {

class Connections {
 public:
  /// Callbacks of a transfer.
  struct Transfer {
    std::function<std::int64_t()> left{};  ///< bytes that are not on disk
    std::function<int()> busy{};           ///< connections that ask or receive
    std::function<bool()> receives{};      ///< whether bytes come
    /// Its new number of connections, perhaps 0. `at_once`: others need the places of those that are surplus.
    std::function<void(int, bool at_once)> aim{};
    bool first = false;              ///< before the others where there is not a connection for each
    std::int64_t left_at_first = 0;  ///< set by its place
    int share = 0;                   ///< the connections that it may have now
    int given = -1;                  ///< as it was aimed last
  };

  /// The transfer counts for as long as its place lives.
  class Place {
   public:
    Place(Connections& all, Transfer transfer);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// A request to the store that began at `asked` failed, perhaps because there are too many connections. Returns
    /// whether other transfers receive: then it may succeed once those have fewer. Call `give_way` after it, as soon as
    /// the connection has its next step: while it pauses, no other connection of its file has to leave.
    bool refused(const base::Error& error, base::Steady asked);
    void give_way() { all_.share(); }

   private:
    Connections& all_;
    std::list<Transfer>::iterator at_;
  };

  /// `for_each`: a fixed number for each file, 0 if it is to be found. `most`: over all files.
  Connections(ports::Clock& clock, Blocks& blocks, int for_each, int most);

  /// What was found before on the way to the host that the next transfers ask; nothing if the number is fixed.
  void begin(core::FoundConnections before);
  bool finds() const { return for_each_ == 0; }
  /// Those of a transfer that begins now, with the connections that it may have.
  core::TransferRules rules(int attempts) const;
  /// What was found; empty if nothing was, or if the number is fixed.
  std::optional<core::FoundConnections> found() const;

  void came(std::int64_t bytes);
  /// The rate limit held bytes back.
  void hinder() { hindered_ = true; }

 private:
  int for_one_more() const;
  int in_all() const;
  void share();
  bool refused(const Transfer& transfer, const base::Error& error, base::Steady asked);
  int busy() const;

  ports::Clock& clock_;
  Blocks& blocks_;
  int for_each_;
  int most_;
  core::ConnectionCount count_;  ///< if the number is found
  core::Room room_;              ///< if it is fixed: beside other files
  int began_with_ = 1;           ///< what was found before
  std::list<Transfer> transfers_;
  std::int64_t bytes_ = 0;  ///< since the last report
  base::Steady reported_{};
  base::Steady came_{};                    ///< the last bytes
  std::optional<base::Steady> refused_{};  ///< a request, the last time
  bool hindered_ = false;
};

}  // namespace vtmirror::agent
