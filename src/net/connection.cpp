#include "net/connection.hpp"

#include <sys/socket.h>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace vtmirror::net {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using base::Errc;
using base::Error;
using base::Result;

/// While much is expected, the kernel wakes this process only for a batch of this many bytes ...
constexpr int batch = 128 << 10;
/// ... or after this time, with what a slow connection has delivered.
constexpr std::chrono::milliseconds batch_wait{150};
/// A sender that is faster than this reader would otherwise starve the event loop's other tasks.
constexpr std::size_t bytes_in_a_row = std::size_t{1} << 20;
constexpr std::size_t least_of_a_read = bytes_in_a_row / 16;  // as which a shorter one counts

}  // namespace

Connection::Connection(Socket socket, Deadline& deadline, std::string peer)
    : socket_(std::move(socket)), deadline_(deadline), peer_(std::move(peer)), stream_(socket_.native_handle()) {}

Error Connection::failure() const {
  Error error = stream_.failure();
  error.detail = peer_ + ": " + error.detail;
  return error;
}

Error Connection::ended_by(Errc why) const {
  return {why, peer_ + (why == Errc::timed_out ? ": timed out waiting for data" : ": stopped")};
}

awaitable<Result<void>> Connection::wait(Socket::wait_type what, Clock::time_point until) {
  const auto refused = deadline_.arm(until, [this] { socket_.cancel(); });
  if (refused) co_return ended_by(*refused);
  bytes_without_wait_ = 0;
  boost::system::error_code failed;
  co_await socket_.async_wait(what, asio::redirect_error(asio::use_awaitable, failed));
  const auto why = deadline_.disarm(failed.failed());
  if (why) co_return ended_by(*why);
  co_return Result<void>();
}

void Connection::wake_at(int bytes) {
  if (std::exchange(wakes_at_, bytes) == bytes) return;
  setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

awaitable<Result<void>> Connection::wait_for_bytes(std::int64_t expected, Clock::time_point until) {
  if (expected < std::int64_t{2} * batch) {
    wake_at(1);
    auto woken = co_await wait(Socket::wait_read, until);
    co_return woken;
  }
  wake_at(batch);
  const auto now = Clock::now();
  const auto soon = now + std::min<Clock::duration>(batch_wait, (until - now) / 2);
  auto woken = co_await wait(Socket::wait_read, soon);
  if (woken || woken.error().code != Errc::timed_out) co_return woken;
  wake_at(1);  // wakes at once if less than a batch has arrived
  auto late = co_await wait(Socket::wait_read, until);
  co_return late;
}

awaitable<Result<void>> Connection::give_way() {
  if (bytes_without_wait_ >= bytes_in_a_row) {
    bytes_without_wait_ = 0;
    co_await asio::post(socket_.get_executor(), asio::use_awaitable);
  }
  if (deadline_.cancelled()) co_return ended_by(Errc::cancelled);
  co_return Result<void>();
}

awaitable<Result<void>> Connection::start_tls(SslPtr ssl, Clock::time_point until) {
  auto done = stream_.secure(std::move(ssl));
  while (done) {
    const Io io = stream_.handshake();
    if (io == Io::moved) co_return done;
    if (io == Io::failed) co_return failure();
    done = co_await wait(io == Io::wait_write ? Socket::wait_write : Socket::wait_read, until);
  }
  co_return done;
}

awaitable<Result<void>> Connection::write(std::string_view bytes, Clock::time_point until) {
  Result<void> done;
  while (done && !bytes.empty()) {
    const Moved moved = stream_.write(std::as_bytes(std::span(bytes)));
    bytes.remove_prefix(moved.bytes);
    if (moved.io == Io::moved) continue;
    if (moved.io == Io::failed) co_return failure();
    if (moved.io == Io::ended) co_return Error{Errc::unreachable, peer_ + ": connection closed"};
    done = co_await wait(moved.io == Io::wait_write ? Socket::wait_write : Socket::wait_read, until);
  }
  co_return done;
}

awaitable<Result<std::size_t>> Connection::read(std::span<std::byte> into, std::int64_t expected,
                                                Clock::time_point until) {
  auto ready = co_await give_way();
  while (ready) {
    const Moved moved = stream_.read(into);
    bytes_without_wait_ += std::max(moved.bytes, least_of_a_read);
    if (moved.io == Io::moved) co_return moved.bytes;
    if (moved.io == Io::failed) co_return failure();
    if (moved.io == Io::ended) co_return std::size_t{0};
    if (moved.io == Io::wait_write) {
      ready = co_await wait(Socket::wait_write, until);
    } else {
      ready = co_await wait_for_bytes(expected, until);
    }
  }
  co_return ready.error();
}

awaitable<Result<void>> Connection::arrived(Clock::time_point until) {
  auto ready = co_await give_way();
  while (ready) {
    const Io io = stream_.peek();
    if (io == Io::wait_write) {
      ready = co_await wait(Socket::wait_write, until);
    } else if (io == Io::wait_read) {
      wake_at(1);
      ready = co_await wait(Socket::wait_read, until);
    } else {
      break;
    }
  }
  co_return ready;
}

struct Deadline::State : std::enable_shared_from_this<Deadline::State> {
  explicit State(const boost::asio::any_io_executor& executor) : timer(executor) {}

  void tick(Clock::time_point at) {
    ticks_at = at;
    timer.expires_at(at);
    timer.async_wait([weak = weak_from_this(), mine = ++generation](const boost::system::error_code&) {
      const auto state = weak.lock();
      if (state && state->generation == mine) state->fired();
    });
  }

  void fired() {
    ticks_at.reset();
    if (!end_wait || cancelled) return;
    if (Clock::now() < until) return tick(until);
    expired = true;
    end();
  }

  void end() {
    if (end_wait) std::exchange(end_wait, nullptr)();
  }

  boost::asio::steady_timer timer;
  std::uint64_t generation = 0;
  std::optional<Clock::time_point> ticks_at;
  Clock::time_point until{};
  std::function<void()> end_wait;  // set during a wait
  bool expired = false;
  bool cancelled = false;
  bool outlasts_stop = false;
};

Deadline::Deadline(const boost::asio::any_io_executor& executor, ports::Stop& stop)
    : state_(std::make_shared<State>(executor)), stop_(stop), registration_(stop, [state = state_.get()] {
        if (!state->outlasts_stop) state->end();
      }) {}

Deadline::~Deadline() = default;

std::optional<base::Errc> Deadline::arm(Clock::time_point until, std::function<void()> end_wait) {
  if (cancelled()) return base::Errc::cancelled;
  state_->expired = false;
  state_->until = until;
  state_->end_wait = std::move(end_wait);
  if (!state_->ticks_at || until < *state_->ticks_at) state_->tick(until);
  return std::nullopt;
}

std::optional<base::Errc> Deadline::disarm(bool failed) {
  state_->end_wait = nullptr;
  if (cancelled()) return base::Errc::cancelled;
  if (!failed) return std::nullopt;
  return state_->expired ? base::Errc::timed_out : base::Errc::cancelled;
}

void Deadline::cancel() {
  state_->cancelled = true;
  state_->end();
}

void Deadline::renew() noexcept { state_->cancelled = false; }

void Deadline::outlast_stop() noexcept { state_->outlasts_stop = true; }

bool Deadline::cancelled() const noexcept { return state_->cancelled || (stop_.requested() && !state_->outlasts_stop); }

void Deadline::rest() {
  ++state_->generation;
  state_->ticks_at.reset();
  state_->timer.cancel();
}

}  // namespace vtmirror::net
