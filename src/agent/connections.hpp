// The connections of all transfers that run: how many there may be in all, and how many each transfer has.
// Promises at least one for each transfer, and that every change reaches the transfers at once. Decides nothing:
// `core::ConnectionCount` does. Belongs to the loop's thread; waits for nothing.
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
    std::function<void(int)> aim{};        ///< its new number of connections
  };

  /// The transfer counts for as long as its place lives.
  class Place {
   public:
    Place(Connections& all, Transfer transfer);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

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
  /// A request to the store failed, perhaps because there are too many connections.
  void refused(const base::Error& error);
  /// The rate limit held bytes back.
  void hinder() { hindered_ = true; }

 private:
  int for_one_more() const;
  void share();
  int busy() const;

  ports::Clock& clock_;
  Blocks& blocks_;
  int for_each_;
  int most_;
  core::ConnectionCount count_;
  int began_with_ = 1;  ///< what was found before
  std::list<Transfer> transfers_;
  std::int64_t bytes_ = 0;  ///< since the last report
  base::Steady reported_{};
  base::Steady came_{};  ///< the last bytes
  bool hindered_ = false;
};

}  // namespace vtmirror::agent
