#include "control/wire.hpp"

#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cerrno>
#include <system_error>

namespace vtmirror::control {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using base::Errc;
using base::Error;
using base::Result;
using Socket = asio::posix::stream_descriptor;

Error stopped() { return {Errc::cancelled, "the connection is closed"}; }
Error broken(int error) { return {Errc::unreachable, std::generic_category().message(error)}; }
bool is_wait(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

struct Wire::State : std::enable_shared_from_this<Wire::State> {
  explicit State(const asio::any_io_executor& loop) : socket(loop), timer(loop) {}

  /// A handler that is queued when its wait has ended finds another number.
  void end_wait_at(Clock::time_point until) {
    expired = false;
    timer.expires_at(until);
    timer.async_wait([weak = weak_from_this(), mine = ++number](const boost::system::error_code& failed) {
      const auto state = weak.lock();
      if (failed || !state || state->number != mine) return;
      state->expired = true;
      state->cancel();
    });
  }

  void cancel() {
    boost::system::error_code ignored;
    socket.cancel(ignored);
  }

  Socket socket;
  asio::steady_timer timer;
  std::uint64_t number = 0;  // of the wait
  bool reads = false;        // the wait is for bytes
  bool expired = false;
  bool closed = false;
};

Wire::Wire(const asio::any_io_executor& loop, base::Descriptor socket) : state_(std::make_shared<State>(loop)) {
  boost::system::error_code failed;
  state_->socket.assign(socket.get(), failed);
  state_->closed = failed.failed();
  if (!failed) socket.release();
}

Wire::~Wire() { close(); }

bool Wire::closed() const noexcept { return state_->closed; }

void Wire::close() {
  state_->closed = true;
  state_->timer.cancel();
  boost::system::error_code ignored;
  if (state_->socket.is_open()) state_->socket.close(ignored);
}

void Wire::wake() {
  if (state_->reads) state_->cancel();
}

awaitable<Result<void>> Wire::wait(WaitType what, Clock::time_point until) {
  const auto state = state_;
  if (state->closed) co_return stopped();
  state->end_wait_at(until);
  state->reads = what == WaitType::wait_read;
  boost::system::error_code failed;
  co_await state->socket.async_wait(what, asio::redirect_error(asio::use_awaitable, failed));
  state->reads = false;
  ++state->number;
  state->timer.cancel();
  if (state->closed) co_return stopped();
  if (!failed) co_return Result<void>();
  if (state->expired) co_return Error{Errc::timed_out, "the client took too long"};
  co_return Error{Errc::cancelled, "woken"};
}

awaitable<Result<std::size_t>> Wire::read(std::span<char> into, Clock::time_point until) {
  while (!closed()) {
    const auto got = ::recv(state_->socket.native_handle(), into.data(), into.size(), MSG_DONTWAIT);
    if (got >= 0) co_return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    if (!is_wait(errno)) co_return broken(errno);
    const auto ready = co_await wait(WaitType::wait_read, until);
    if (!ready) co_return ready.error();
  }
  co_return stopped();
}

awaitable<Result<void>> Wire::write(std::string_view bytes, Clock::time_point until) {
  while (!bytes.empty()) {
    if (closed()) co_return stopped();
    const auto sent = ::send(state_->socket.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (!is_wait(errno)) co_return broken(errno);
    const auto ready = co_await wait(WaitType::wait_write, until);
    if (!ready) co_return ready.error();
  }
  co_return Result<void>();
}

void Wire::write_what_fits(std::string_view bytes) noexcept {
  if (closed()) return;
  [[maybe_unused]] const auto sent =
      ::send(state_->socket.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void Wire::finish_writing() noexcept {
  if (!closed()) ::shutdown(state_->socket.native_handle(), SHUT_WR);
}

}  // namespace vtmirror::control
