// HTTP as the agent needs it: small exchanges with the API, and lanes that bring a file's bytes from the store.
// Every error is translated here, once; none holds a secret or the query of an address.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/answer.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vtmirror::ports {

struct Header {
  std::string name;
  std::string value;
};

struct Request {
  std::string method = "GET";
  std::string url;
  std::vector<Header> headers{};
  std::string body{};
  std::size_t body_limit = std::size_t{1} << 20;  ///< of the answer; a larger one is `protocol`
  /// Nobody reads the answer's body: one that is too large, slow or cut takes nothing from its status.
  bool status_only = false;
  /// The address's path may hold a token: errors name host and port alone.
  bool private_path = false;
  /// Called when the connection stands, before the first byte is sent: until then the other side has not heard of it.
  std::function<void()> sending{};
  /// Once it is sent, the stop does not end it: its answer comes but once. Before that the stop ends it as any other.
  bool outlasts_stop = false;
};

struct Response {
  int status = 0;
  std::string body;
  std::optional<base::Time> date;                   ///< the `Date` header
  std::optional<std::chrono::seconds> retry_after;  ///< the `Retry-After` header, in seconds from now
  std::string content_type{};                       ///< as sent; empty where there is none
};

using core::RangeAnswer;

/// One connection to the store, opened when it is first needed and kept alive for the next range.
/// One operation at a time. After any error the connection is closed, and the next `get` opens another.
class Lane {
 public:
  virtual ~Lane() = default;

  /// GET with `Range: bytes=begin-(end-1)` and, when `if_match` is not empty, `If-Match`. Follows at most 5 redirects,
  /// only to https (to http too where plain http is allowed). Sends no credential. An unread body of the answer before
  /// is read when it is short, otherwise the connection is replaced. Errors: unreachable, timed_out, tls, protocol,
  /// cancelled.
  virtual boost::asio::awaitable<base::Result<RangeAnswer>> get(std::string url, core::Range range,
                                                                std::string if_match) = 0;

  /// Takes body bytes into `into`: waits for the first one, then takes what is there without waiting. 0 when the body
  /// is at its end. `timed_out` when no byte came for the stall timeout; `unreachable` when the body was cut.
  virtual boost::asio::awaitable<base::Result<std::size_t>> read(std::span<std::byte> into) = 0;

  /// Closes the connection, whatever it is doing; a read that waits ends with `cancelled`.
  virtual void close() = 0;
};

class Http {
 public:
  virtual ~Http() = default;
  /// One request, one answer, no redirect followed. Errors: unreachable, timed_out, tls, protocol, cancelled.
  /// An answer with any status is a Response: what it means is the caller's business.
  virtual boost::asio::awaitable<base::Result<Response>> exchange(Request request) = 0;
  virtual std::unique_ptr<Lane> lane() = 0;
};

}  // namespace vtmirror::ports
