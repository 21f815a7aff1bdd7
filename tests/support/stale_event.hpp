// A trap of Asio's reactor, on purpose: an event that has been fetched for a descriptor which is closed before its turn
// ends the wait of the next descriptor that the loop learns, although nothing has come there.
#pragma once

#include <sys/socket.h>
#include <unistd.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <stdexcept>

namespace vtmirror::test {

/// Ends when the loop holds such an event; what the caller registers before it waits for anything gets it.
inline boost::asio::awaitable<void> until_stale_event(boost::asio::io_context& loop) {
  using Socket = boost::asio::local::stream_protocol::socket;
  const auto readable = [] {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no socket pair");
    const bool written = ::write(ends[1], "x", 1) == 1;
    ::close(ends[1]);
    if (!written) throw std::runtime_error("cannot write to a socket");
    return ends[0];
  };
  // Both events are fetched at once, in the order of registration.
  Socket first(loop, boost::asio::local::stream_protocol(), readable());
  Socket second(loop, boost::asio::local::stream_protocol(), readable());
  co_await first.async_wait(Socket::wait_read, boost::asio::use_awaitable);
  first.close();
  second.close();
}

}  // namespace vtmirror::test
