// The connection to one client: bytes in both directions, each wait with its end in time.
// Promises that `close` ends every wait, now and later. Knows nothing of HTTP.
#pragma once

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <string_view>

namespace vtmirror::control {

class Wire {
 public:
  using Clock = std::chrono::steady_clock;

  Wire(const boost::asio::any_io_executor& loop, base::Descriptor socket);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// What is there, as soon as something is; 0 when the client sends no more.
  /// Errors: timed_out, unreachable, cancelled (closed or woken).
  boost::asio::awaitable<base::Result<std::size_t>> read(std::span<char> into, Clock::time_point until);
  boost::asio::awaitable<base::Result<void>> write(std::string_view bytes, Clock::time_point until);
  /// What the kernel takes without a wait; the rest is dropped.
  void write_what_fits(std::string_view bytes) noexcept;
  /// Shuts down sending, so that the client sees the end. What it sends can still be read.
  void finish_writing() noexcept;

  /// Ends a `read` that waits; later ones are not touched.
  void wake();
  void close();
  bool closed() const noexcept;

 private:
  struct State;
  using WaitType = boost::asio::posix::stream_descriptor::wait_type;
  boost::asio::awaitable<base::Result<void>> wait(WaitType what, Clock::time_point until);

  std::shared_ptr<State> state_;  // outlived by nothing but a timer's handler that is already queued
};

}  // namespace vtmirror::control
