// Who is to be told of what, and what is still to be told to whom.
// Promises that a notice stays until it was told to each channel that wanted it when it became true.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/health.hpp"
#include "vtmirror/core/notice.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::catalogue {

/// Who is to be told of what.
struct Subscription {
  std::string name;  ///< stable over restarts, and no secret: "mail to ops@fleet.example", "webhook", ...
  std::vector<core::Topic> topics;
};

/// A notice that is still to be told to a channel.
struct Delivery {
  std::string channel;
  core::Notice notice;
  int attempts = 0;     ///< that failed
  base::Time due{};     ///< not before; of a notice that was never tried: when it became true
  core::Cause cause{};  ///< why the last attempt failed; without a subject
};

/// A channel that nobody has set any more, while something waited for it.
struct EndedChannel {
  std::string name;
  std::int64_t deliveries = 0;   ///< that waited
  std::string successor{};       ///< who is told of them instead; empty: nobody
  std::int64_t handed_over = 0;  ///< of them; the rest ended untold
  friend bool operator==(const EndedChannel&, const EndedChannel&) = default;
};

class Notices : Role {
 public:
  explicit Notices(Connection& connection) : Role(connection) {}

  /// Who is told of what is queued from now on; whoever queues need not know. A notice that nobody wants leaves
  /// nothing. What is still to be told to a channel that is not among them ends here, untold: the return value says how
  /// much. Where one channel of a kind (the name's first word) goes as one comes, it is the same one put right, by
  /// another address or command: that one is told of what waited, as far as it wants to be.
  base::Result<std::vector<EndedChannel>> set_channels(const std::vector<Subscription>& channels);
  /// `queued` is called after each transaction that has queued a notice, on the thread that made the call.
  void on_queued(std::function<void()> queued);
  base::Result<std::vector<Delivery>> deliveries() const;  ///< all that are still to be made, oldest notice first
  base::Result<std::optional<Delivery>> next_delivery(const std::string& channel, core::DeliveryOrder order) const;
  /// The notice `id` was told to `channel`, and goes with its last delivery; where the newest alone counts, older ones
  /// go too. The channel works: whatever else waits for it is due by `at`. Ok when there is no such delivery.
  base::Result<void> keep_delivered(const std::string& channel, const std::string& id, core::DeliveryOrder order,
                                    base::Time at);
  /// Those that failed more than once, and whose oldest notice that was tried is from before `until`; by name.
  base::Result<std::vector<core::FailingChannel>> failing_channels(base::Time until) const;
  /// An attempt failed; the next one is due then. Ok when there is no such delivery.
  base::Result<void> keep_undelivered(const std::string& channel, const std::string& id, base::Time due,
                                      const core::Cause& cause);
};

}  // namespace vtmirror::catalogue
