// The subscriptions of the channels, and the notices that wait for each.
// Promises that a notice stays until it was delivered to each channel that subscribed when it was queued.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/notice.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::catalogue {

/// A channel and the topics that it subscribes to.
struct Subscription {
  std::string name;  ///< stable over restarts, not secret: "mail to ops@fleet.example", "webhook", ...
  std::vector<core::Topic> topics;
};

/// A notice that waits for a channel.
struct Delivery {
  std::string channel;
  core::Notice notice;
  int attempts = 0;     ///< failed attempts
  base::Time due{};     ///< the earliest time of the next attempt; before the first one, the time of the event
  core::Cause cause{};  ///< why the last attempt failed; without a subject
};

/// A channel that was removed from the settings while notices waited for it.
struct EndedChannel {
  std::string name;
  std::int64_t deliveries = 0;   ///< notices that waited
  std::string successor{};       ///< the channel that receives them instead; empty if none
  std::int64_t handed_over = 0;  ///< how many of them it receives; the rest were dropped
  friend bool operator==(const EndedChannel&, const EndedChannel&) = default;
};

class Notices : Role {
 public:
  explicit Notices(Connection& connection) : Role(connection) {}

  /// Sets which channels receive what is queued from now on; code that queues need not know them. A notice without a
  /// subscriber is not stored. Notices that wait for a channel that is not in the list are dropped; the return value
  /// counts them. If one channel of a kind (the first word of its name) disappears and one of that kind is new, it
  /// counts as the same channel with another address or command: it receives the waiting notices that it subscribes to.
  base::Result<std::vector<EndedChannel>> set_channels(const std::vector<Subscription>& channels);
  /// `queued` is called after each transaction that has queued a notice, on the thread that made the call.
  void on_queued(std::function<void()> queued);
  /// Queues a notice if `content`, which `core::content_of` gives for `chain`, is not what was announced last. Does
  /// nothing while the manifest is settled on other content, and before the first publication. The notice is sent once
  /// the shelf has a manifest of that generation.
  base::Result<void> announce_chain(const core::Chain& chain, const std::string& content, base::Time at);
  base::Result<std::vector<Delivery>> deliveries() const;  ///< all that wait, oldest notice first
  base::Result<std::optional<Delivery>> next_delivery(const std::string& channel, core::DeliveryOrder order) const;
  /// The notice `id` was delivered to `channel`; it is removed with its last delivery. If only the newest counts, older
  /// ones are removed too. The channel works, so everything else that waits for it is due by `at`. Ok if there is no
  /// such delivery.
  base::Result<void> keep_delivered(const std::string& channel, const std::string& id, core::DeliveryOrder order,
                                    base::Time at);
  /// Channels that failed more than once and whose oldest tried notice is from before `until`; sorted by name.
  base::Result<std::vector<core::FailingChannel>> failing_channels(base::Time until) const;
  /// An attempt failed; the next one is due then. Ok if there is no such delivery.
  base::Result<void> keep_undelivered(const std::string& channel, const std::string& id, base::Time due,
                                      const core::Cause& cause);
};

}  // namespace vtmirror::catalogue
