// A notification channel: mail, a webhook, a hook or a heartbeat.
// One call is one attempt; its result and errors contain no secret, no path and no query of an address. Never retries
// by itself: the outbox does that.
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
  /// Stable over restarts and reloads, and not secret: the catalogue identifies the channel by it.
  virtual const std::string& name() const = 0;
  virtual const std::vector<core::Topic>& topics() const = 0;
  virtual core::DeliveryOrder order() const = 0;

  /// Describes the receiver's answer ("HTTP 204 from hooks.example", "exit status 0 after 12s") once it has accepted
  /// the notice. Errors, in addition to those of the transport: cancelled, if the stop signal ended the attempt, which
  /// then does not count; forbidden, if a person must act. `retry_after` is set if the receiver sent one.
  virtual boost::asio::awaitable<base::Result<std::string>> deliver(core::Notice notice) = 0;
};

}  // namespace vtmirror::ports
