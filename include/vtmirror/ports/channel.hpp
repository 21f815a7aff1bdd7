// A way to tell somebody: mail, a webhook, a hook, a heartbeat, as a seam.
// Promises that one call is one attempt, and that its words and errors hold no secret, no path and no query of an
// address. Never tries again by itself: that is the outbox's to do.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/notice.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace vtmirror::ports {

class Channel {
 public:
  virtual ~Channel() = default;
  /// The same over restarts and reloads, and no secret: what the catalogue knows the channel by.
  virtual const std::string& name() const = 0;
  virtual const std::vector<core::Topic>& topics() const = 0;
  virtual core::DeliveryOrder order() const = 0;

  /// In words what the other side answered ("HTTP 204 from hooks.example", "exit status 0 after 12s"), once it has
  /// taken the notice. Errors, beside those that say what failed: cancelled, when the stop signal ended the attempt,
  /// which then does not count; forbidden, when only a person can help. `retry_after` is set where the other side asked
  /// for it.
  virtual boost::asio::awaitable<base::Result<std::string>> deliver(core::Notice notice) = 0;
};

}  // namespace vtmirror::ports
