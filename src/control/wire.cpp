#include "control/wire.hpp"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>

namespace vtmirror::control {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using base::Errc;
using base::Error;
using base::Result;
using boost::system::error_code;

Error error_of(const error_code& failed) {
  if (failed == boost::beast::error::timeout) return {Errc::timed_out, "the client took too long"};
  if (failed == asio::error::operation_aborted || failed == asio::error::bad_descriptor)
    return {Errc::cancelled, "the connection is closed"};
  return {Errc::unreachable, failed.message()};
}

}  // namespace

Wire::Wire(const asio::any_io_executor& loop, base::Descriptor socket) : stream_(loop) {
  // One type for the Unix socket and the metrics port: the socket is connected, its family is not asked for again.
  const asio::generic::stream_protocol any(AF_UNSPEC, 0);
  error_code failed;
  stream_.socket().assign(any, socket.get(), failed);
  if (failed) return;
  socket.release();
  stream_.socket().non_blocking(true, failed);  // for `write_what_fits`
  if (failed) close();
}

awaitable<Result<std::size_t>> Wire::read(std::span<char> into, Clock::time_point until) {
  error_code failed;
  stream_.expires_at(until);
  const auto got = co_await stream_.async_read_some(asio::buffer(into.data(), into.size()),
                                                    asio::redirect_error(asio::use_awaitable, failed));
  if (failed == asio::error::eof) co_return std::size_t{0};
  if (failed) co_return error_of(failed);
  co_return got;
}

awaitable<Result<void>> Wire::write(std::string_view bytes, Clock::time_point until) {
  error_code failed;
  stream_.expires_at(until);
  const auto sent =
      co_await asio::async_write(stream_, asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, failed));
  if (failed || sent < bytes.size()) co_return error_of(failed);
  co_return Result<void>();
}

void Wire::write_what_fits(std::string_view bytes) {
  error_code ignored;
  stream_.socket().write_some(asio::buffer(bytes), ignored);
}

void Wire::finish_writing() {
  error_code ignored;
  stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
}

Deadline::Deadline(Wire& wire, Wire::Clock::time_point at) : timer_(wire.executor(), at) {
  timer_.async_wait([&wire, weak = std::weak_ptr<bool>(passed_)](const error_code& failed) {
    const auto passed = weak.lock();
    if (failed || !passed) return;
    *passed = true;
    wire.stream_.cancel();
  });
}

}  // namespace vtmirror::control
