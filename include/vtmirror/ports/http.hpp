// HTTP as the agent needs it: small requests to the API, and lanes that download a file's bytes from the store.
// Promises that every error is translated once, in the adapter. Never puts a secret or the query of an address into
// one.
#pragma once

#include "vtmirror/base/known_secrets.hpp"
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
  std::size_t body_limit = std::size_t{1} << 20;  ///< of the answer's body; a larger one is a `protocol` error
  /// The answer's body is not used: if it is too large, slow or cut off, the status still counts.
  bool status_only = false;
  /// The address's path may hold a token: errors name only host and port.
  bool private_path = false;
  /// Called when the connection is open, before the first byte is sent: until then the server has not seen the request.
  std::function<void()> sending{};
  /// Once the request is sent, the stop signal does not end it, because its answer comes only once. Before that it
  /// does.
  bool outlasts_stop = false;
};

struct Response {
  int status = 0;
  std::string body;
  std::optional<base::Time> date;                   ///< the `Date` header
  std::optional<std::chrono::seconds> retry_after;  ///< the `Retry-After` header, in seconds from now
  std::string content_type{};                       ///< as sent; empty if there is none
};

using core::RangeAnswer;

/// One connection to the store, opened when first needed and kept alive for the next range. One operation at a time.
/// After any error the connection is closed, and the next `get` opens another.
class Lane {
 public:
  virtual ~Lane() = default;

  /// GET with `Range: bytes=begin-(end-1)` and, if `if_match` is not empty, `If-Match`. Follows at most 5 redirects,
  /// only to https (also to http if plain http is allowed). Sends no credential. If the body of the previous answer was
  /// not read, a short one is read now; otherwise the connection is replaced. Errors: unreachable, timed_out, tls,
  /// protocol, cancelled.
  virtual boost::asio::awaitable<base::Result<RangeAnswer>> get(std::string url, core::Range range,
                                                                std::string if_match) = 0;

  /// Reads body bytes into `into`: waits for the first byte, then reads what is available without waiting. 0 at the end
  /// of the body. `timed_out` if no byte came within the stall timeout; `unreachable` if the body was cut off.
  virtual boost::asio::awaitable<base::Result<std::size_t>> read(std::span<std::byte> into) = 0;

  /// Waits until `read` has something to return: bytes, the end of the body or an error. Reads nothing, so that the
  /// kernel holds the sender back meanwhile. Errors: timed_out as for `read`, cancelled.
  virtual boost::asio::awaitable<base::Result<void>> arrived() { co_return base::Result<void>(); }

  /// Bytes that were taken from the network and not read yet.
  virtual std::size_t ahead() const { return 0; }

  /// Closes the connection at any time; a waiting read ends with `cancelled`.
  virtual void close() = 0;
};

class Http {
 public:
  virtual ~Http() = default;
  /// One request, one answer; redirects are not followed. Errors: unreachable, timed_out, tls, protocol, cancelled. An
  /// answer with any status is a Response, which the caller interprets.
  virtual boost::asio::awaitable<base::Result<Response>> exchange(Request request) = 0;
  virtual std::unique_ptr<Lane> lane() = 0;

  /// The secrets that travelled through this client, except those in a path (`private_path`). A caller adds each
  /// before it sends it or when it receives it, and masks them in every text of an answer and of an error that it
  /// keeps.
  base::KnownSecrets& known() { return known_; }

 private:
  base::KnownSecrets known_;
};

}  // namespace vtmirror::ports
