// A connection to a host: the waits around a Stream, each under the lane's Deadline.
// Promises that a slow connection is not mistaken for a stalled one. Errors name "host:port". Owns the socket.
#pragma once

#include "net/deadline.hpp"
#include "net/stream.hpp"
#include "vtmirror/base/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace vtmirror::net {

class Connection {
 public:
  using Clock = Deadline::Clock;
  using Socket = boost::asio::ip::tcp::socket;

  /// `deadline` must outlive this; `peer` is for messages.
  Connection(Socket socket, Deadline& deadline, std::string peer);

  boost::asio::awaitable<base::Result<void>> start_tls(SslPtr ssl, Clock::time_point until);
  boost::asio::awaitable<base::Result<void>> write(std::string_view bytes, Clock::time_point until);
  /// Waits for the first byte, then reads what has arrived; 0 if the other side closed the stream cleanly. `expected`
  /// is the number of bytes that are certain to follow (0: unknown); it lets the kernel collect a batch before it wakes
  /// us.
  boost::asio::awaitable<base::Result<std::size_t>> read(std::span<std::byte> into, std::int64_t expected,
                                                         Clock::time_point until);

  /// From now on, received bytes are overwritten once they are read, because they may contain a token or a secret.
  void wipe_behind() { stream_.wipe_behind(); }
  /// Whether the connection can be used for another request.
  bool idle() { return stream_.idle(); }
  const std::string& peer() const { return peer_; }

 private:
  boost::asio::awaitable<base::Result<void>> wait(Socket::wait_type what, Clock::time_point until);
  boost::asio::awaitable<base::Result<void>> wait_for_bytes(std::int64_t expected, Clock::time_point until);
  boost::asio::awaitable<base::Result<void>> give_way();
  void wake_at(int bytes);
  base::Error failure() const;
  base::Error ended_by(base::Errc why) const;

  Socket socket_;
  Deadline& deadline_;
  std::string peer_;
  Stream stream_;
  int wakes_at_ = 1;
  int reads_without_wait_ = 0;
};

}  // namespace vtmirror::net
