// A connection to a host: the waits around a Stream, each under the lane's Deadline.
// Promises that a slow connection is not mistaken for a stalled one. Errors name "host:port". Owns the socket.
#pragma once

#include "net/stream.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::net {

/// The one place where a wait is raced against its time limit, the stop signal and its owner's close.
/// Promises to distinguish `timed_out` from `cancelled`. Never destroys the waiting operation: it calls a function that
/// ends the wait, and the waiter cleans up.
/// Guards one wait at a time: `arm`, wait, `disarm`. The timer is reset only when necessary, so that a wait costs no
/// system call.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  Deadline(const boost::asio::any_io_executor& executor, ports::Stop& stop);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  /// Calls `end_wait` once when `until` passes, the stop is requested or the owner cancels; it must only post. Returns
  /// `cancelled` if one of the latter two happened before.
  std::optional<base::Errc> arm(Clock::time_point until, std::function<void()> end_wait);
  /// Why the wait was ended; nothing if it ended by itself. `failed` says whether the wait reported an error.
  std::optional<base::Errc> disarm(bool failed);

  /// Ends the wait, and every later one until `renew`, with `cancelled`.
  void cancel();
  void renew() noexcept;
  /// From now on the stop ends no wait, so that the current exchange is finished.
  void outlast_stop() noexcept;
  bool cancelled() const noexcept;
  /// Cancels the timer, so that an idle owner does not keep the event loop running.
  void rest();

 private:
  struct State;
  std::shared_ptr<State> state_;  // outlived by nothing but a timer's handler that is already queued
  ports::Stop& stop_;
  ports::Stop::Registration registration_;
};

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

  /// Waits until `read` has something to return: bytes, the end or a failure. Errors: timed_out, cancelled.
  boost::asio::awaitable<base::Result<void>> arrived(Clock::time_point until);

  /// As of the Stream.
  std::size_t ahead() const { return stream_.ahead(); }
  /// From now on, received bytes are overwritten once they are read, because they may contain a token or a secret.
  void wipe_behind() { stream_.wipe_behind(); }
  /// Whether the connection can be used for another request.
  bool idle() { return stream_.idle(); }
  const std::string& peer() const { return peer_; }
  /// As of the Stream.
  std::optional<std::byte> first_byte() const { return stream_.first_byte(); }

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
  std::size_t bytes_without_wait_ = 0;
};

}  // namespace vtmirror::net
