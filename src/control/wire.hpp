// The connection to one client: bytes in both directions, each wait with its end in time. The stream and its timeouts
// are Beast's; a wait that is not over in time closes the connection.
// Promises that `close` ends every wait, now and later. Knows nothing of HTTP.
#pragma once

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/basic_stream.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <string_view>

namespace vtmirror::control {

class Wire {
 public:
  using Clock = std::chrono::steady_clock;
  /// For `until`.
  static constexpr Clock::time_point no_end = Clock::time_point::max();

  Wire(const boost::asio::any_io_executor& loop, base::Descriptor socket);
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// What is there, as soon as something is; 0 when the client sends no more. One read at a time, beside a write.
  /// Errors: timed_out (closed since), unreachable, cancelled (closed, or the end of a deadline).
  boost::asio::awaitable<base::Result<std::size_t>> read(std::span<char> into, Clock::time_point until);
  /// All of it. Errors: as `read`.
  boost::asio::awaitable<base::Result<void>> write(std::string_view bytes, Clock::time_point until);
  /// What the kernel takes without a wait; the rest is dropped.
  void write_what_fits(std::string_view bytes);
  /// Shuts down sending, so that the client sees the end. What it sends can still be read.
  void finish_writing();

  auto executor() { return stream_.get_executor(); }
  void close() { stream_.close(); }
  bool closed() const { return !stream_.socket().is_open(); }

 private:
  friend class Deadline;

  boost::beast::basic_stream<boost::asio::generic::stream_protocol> stream_;
};

/// The end of a wait of many reads after which the client is still to be answered, which Beast's timeouts cannot be:
/// they close the socket. When it has passed, a `read` that waits ends as cancelled, and the wire stays open; a read
/// that begins later is not touched, so ask `passed` before. Goes before the wire does.
class Deadline {
 public:
  Deadline(Wire& wire, Wire::Clock::time_point at);

  bool passed() const { return *passed_; }

 private:
  std::shared_ptr<bool> passed_ = std::make_shared<bool>(false);  // weak in the timer's handler, which may run later
  boost::asio::steady_timer timer_;
};

}  // namespace vtmirror::control
