// The connections of all transfers that run, as `core::Connections` decides: reports to it what they do, and carries
// out what it returns.
// Promises that every change reaches the transfers at once. Decides nothing about their number. Belongs to the loop's
// thread; waits for nothing.
#pragma once

#include "agent/blocks.hpp"
#include "vtmirror/core/connections.hpp"
#include "vtmirror/ports/clock.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace vtmirror::agent {

class Connections {
 public:
  /// Callbacks of a transfer.
  struct Transfer {
    std::function<std::int64_t()> left{};  ///< bytes that are not on disk
    std::function<int()> busy{};           ///< connections that ask or receive
    std::function<bool()> receives{};      ///< whether bytes come
    /// As `core::Connections::Aim`. No transfer ends meanwhile, and none begins.
    std::function<void(int connections, bool at_once)> aim{};
    bool first = false;  ///< before the others if there is not a connection for each
  };

  /// The transfer counts for as long as its place lives.
  class Place {
   public:
    Place(Connections& all, Transfer transfer);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    /// As `core::Connections::refused`. Call `give_way` after it, as soon as the connection has its next step.
    bool refused(const base::Error& error, base::Steady asked);
    void give_way() { all_.share(); }

   private:
    Connections& all_;
    int number_;
  };

  Connections(ports::Clock& clock, Blocks& blocks, int for_each, int most)
      : clock_(clock), blocks_(blocks), decisions_(for_each, most) {}

  // These are core's.
  void begin(core::FoundConnections before) { decisions_.begin(before); }
  bool finds() const { return decisions_.finds(); }
  core::TransferRules rules(int attempts) const { return decisions_.rules(attempts); }
  std::optional<core::FoundConnections> found() const { return decisions_.found(); }

  void came(std::int64_t bytes);
  /// The rate limit held bytes back.
  void hinder() { hindered_ = true; }

 private:
  std::vector<core::Connections::Running> running() const;
  void share();

  ports::Clock& clock_;
  Blocks& blocks_;
  core::Connections decisions_;
  std::map<int, Transfer> transfers_;  ///< by number: in the order in which they began
  bool hindered_ = false;
};

}  // namespace vtmirror::agent
