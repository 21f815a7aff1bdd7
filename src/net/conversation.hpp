// Sequential requests on one connection: sends a request, receives the answer's head, then its body.
// Promises that `read` returns only bytes of this body, and that a truncated body is an error. Does not connect.
// Also the bytes of a request.
#pragma once

#include "net/answer.hpp"
#include "net/connection.hpp"
#include "net/destination.hpp"
#include "vtmirror/ports/http.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace vtmirror::net {

// The bytes of a request's head and body. Promises that no header can smuggle in another line.

/// One request on a connection of its own (`Connection: close`). Errors: config (invalid characters in a header or in
/// the method).
base::Result<std::string> request_text(const base::Url& url, const ports::Request& request,
                                       const std::string& user_agent);
std::string range_request_text(const base::Url& url, core::Range range, const std::string& if_match,
                               const std::string& user_agent);
std::string connect_request_text(const base::Url& url, const Proxy& proxy, const std::string& user_agent);

class Conversation {
 public:
  using Clock = Deadline::Clock;

  explicit Conversation(std::unique_ptr<Connection> connection);
  ~Conversation();

  /// Skips 1xx answers. Errors: unreachable, timed_out, tls, protocol, cancelled.
  boost::asio::awaitable<base::Result<Head>> ask(std::string request, Clock::time_point until);
  /// Whether any byte of the last answer arrived. If not, a kept connection was only stale.
  bool heard() const { return heard_; }

  /// Waits for the first byte of the body, then reads what has arrived; 0 at its end. Errors as above; unreachable if
  /// the body was truncated.
  boost::asio::awaitable<base::Result<std::size_t>> read(std::span<std::byte> into, Clock::time_point until);

  /// Waits until `read` has something to return, and reads nothing of the body. Errors: timed_out, cancelled.
  boost::asio::awaitable<base::Result<void>> arrived(Clock::time_point until);

  /// Bytes that were taken from the network and not read yet.
  std::size_t ahead() const { return end_ - begin_ + (connection_ ? connection_->ahead() : 0); }

  bool body_ended() const { return ended_; }
  /// The number of bytes that follow, if the head gave a length.
  std::optional<std::int64_t> remaining() const;
  /// Whether another request may follow: the body was read, both sides keep the connection, and no unexpected bytes
  /// arrived.
  bool reusable();
  /// Releases the connection, for use as a tunnel; null if bytes arrived after the head.
  std::unique_ptr<Connection> into_tunnel();

 private:
  boost::asio::awaitable<base::Result<Head>> receive_head(Clock::time_point until);
  boost::asio::awaitable<base::Result<void>> fill(std::size_t most, Clock::time_point until);
  boost::asio::awaitable<base::Result<std::size_t>> read_plain(std::span<std::byte> into, Clock::time_point until);
  boost::asio::awaitable<base::Result<std::size_t>> read_chunked(std::span<std::byte> into, Clock::time_point until);
  std::span<const std::byte> held() const { return std::span(inbox_).subspan(begin_, end_ - begin_); }
  std::size_t read_held(std::span<std::byte> into);
  base::Error named(base::Error error) const;
  base::Error cut() const;

  std::unique_ptr<Connection> connection_;
  std::unique_ptr<AnswerParser> parser_;
  std::vector<std::byte> inbox_;  // heads and chunks; bytes [begin_, end_) are not used yet
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  BodyKind body_ = BodyKind::none;
  std::int64_t remaining_ = 0;
  bool heard_ = false;
  bool ended_ = true;
  bool keep_alive_ = true;
};

}  // namespace vtmirror::net
