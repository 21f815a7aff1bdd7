#include "client/control_connection.hpp"

#include "vtmirror/base/descriptor.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace vtmirror::client {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using base::Errc;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::size_t largest_answer = std::size_t{256} << 20;

/// The kernel's limit on what a connect may take: a Unix socket whose queue is full holds it up, even one that does
/// not block otherwise, and there is nothing to poll for.
void limit_connecting(int descriptor, ControlConnection::Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  const auto milliseconds = std::max<std::int64_t>(left.count(), 1);
  const timeval time{static_cast<time_t>(milliseconds / 1'000), static_cast<suseconds_t>(milliseconds % 1'000 * 1'000)};
  static_cast<void>(::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time));
}

/// A daemon may well listen there, so this is not reported as a missing daemon.
base::Error not_allowed(const std::string& socket) {
  return {Errc::forbidden, "not allowed to ask the daemon at " + socket +
                               ": root, the daemon's user and the members of its group (control.group) may; try sudo"};
}

http::request<http::empty_body> message_of(const ControlRequest& request) {
  http::request<http::empty_body> message;
  message.method_string(request.method);
  message.target(request.target);
  message.version(11);
  message.set(http::field::host, "localhost");
  message.set(http::field::user_agent, "vtmirror");
  message.prepare_payload();
  return message;
}

/// That the daemon closed the connection, properly or not.
bool is_end(const error_code& failure) {
  return failure == http::error::end_of_stream || failure == http::error::partial_message ||
         failure == asio::error::eof;
}

bool is_protocol(const error_code& failure) { return failure.category() == make_error_code(http::error{}).category(); }

}  // namespace

ControlConnection::ControlConnection(std::string path) : path_(std::move(path)), socket_(loop_) {
  parser_.eager(true);
  // Beast reserves what an answer declares, so that is bounded here. Events are followed for weeks without a declared
  // length: of those, `end_read` bounds what is kept, not what came.
  parser_.body_limit(largest_answer);
}

base::Error ControlConnection::error(Errc code, const std::string& what) const {
  if (code == Errc::timed_out)
    return {code, "the daemon at " + path_ + " does not answer in time" + (what.empty() ? what : ": " + what)};
  return {code, "no daemon answers at " + path_ + ": " + what};
}

base::Result<void> ControlConnection::connect(Deadline deadline) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.empty() || path_.size() >= sizeof address.sun_path)
    return error(Errc::unreachable, "a socket's path has 1 to 107 bytes");
  std::memcpy(address.sun_path, path_.data(), path_.size());
  base::Descriptor descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!descriptor.valid()) return error(Errc::io, std::strerror(errno));
  limit_connecting(descriptor.get(), deadline);
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(descriptor.get(), any, sizeof address) != 0) {
    const int reason = errno;
    if (reason == EAGAIN) return error(Errc::timed_out, "it does not accept the connection");
    if (reason == EACCES || reason == EPERM) return not_allowed(path_);
    return error(Errc::unreachable, std::strerror(reason));
  }
  error_code failure;
  socket_.assign(asio::local::stream_protocol(), descriptor.get(), failure);
  if (failure) return error(Errc::io, failure.message());
  descriptor.release();
  return {};
}

base::Result<void> ControlConnection::send(const ControlRequest& request, Deadline deadline) {
  if (auto connected = connect(deadline); connected.has_error()) return connected;
  request_ = message_of(request);
  Outcome sent;
  http::async_write(socket_, request_, [&sent](error_code failure, std::size_t) { sent = failure; });
  while (!sent && loop_.run_one_until(deadline) > 0) {
  }
  if (!sent) {
    // The operation would write to `sent` later on: it ends here, with the connection.
    socket_.close();
    while (!sent && loop_.run_one() > 0) {
    }
    return error(Errc::timed_out, "it does not accept the request");
  }
  // A daemon that refuses a client may answer and close before reading the request: the answer counts.
  if (!*sent || *sent == asio::error::broken_pipe || *sent == asio::error::connection_reset) return {};
  return error(Errc::unreachable, sent->message());
}

void ControlConnection::begin_read() {
  if (std::exchange(reads_, true)) return;
  read_.reset();
  http::async_read_some(socket_, unread_, parser_, [this](error_code failure, std::size_t) { read_ = failure; });
}

base::Result<ControlConnection::Read> ControlConnection::end_read() {
  reads_ = false;
  const auto failure = std::exchange(read_, {}).value_or(error_code());
  if (is_end(failure)) return error(Errc::unreachable, "the connection ended before the answer did");
  if (is_protocol(failure))
    return base::Error{Errc::protocol, path_ + " answers, but not as a vtmirror: " + failure.message()};
  if (failure) return error(Errc::unreachable, failure.message());
  if (parser_.is_header_done() && !parser_.content_length()) parser_.body_limit(boost::none);
  if (parser_.get().body().size() > largest_answer) return base::Error{Errc::protocol, path_ + ": too long an answer"};
  return Read::some;
}

base::Result<ControlConnection::Read> ControlConnection::read(Deadline deadline, int interrupt) {
  bool interrupted = false;
  asio::posix::stream_descriptor other(loop_);
  error_code ignored;
  if (interrupt >= 0) {
    other.assign(interrupt, ignored);
    other.async_wait(other.wait_read, [&interrupted](error_code failure) { interrupted = !failure; });
  }
  begin_read();
  loop_.restart();
  // What is there already counts even when the time is over.
  while (!read_ && !interrupted && (loop_.poll_one() > 0 || loop_.run_one_until(deadline) > 0)) {
  }
  if (other.is_open()) {
    // The caller's descriptor stays open, and its wait ends before `interrupted` goes.
    other.release();
    loop_.poll();
  }
  if (interrupted) return Read::interrupted;
  return read_ ? end_read() : Read::nothing_in_time;
}

template <class Done>
base::Result<void> ControlConnection::read_until(Deadline deadline, Done done) {
  while (!done()) {
    const auto read_some = read(deadline, -1);
    if (read_some.has_error()) return read_some.error();
    if (*read_some != Read::some && Clock::now() >= deadline) return error(Errc::timed_out, "");
  }
  return {};
}

base::Result<void> ControlConnection::read_header(Deadline deadline) {
  return read_until(deadline, [this] { return parser_.is_header_done(); });
}

base::Result<void> ControlConnection::read_all(Deadline deadline) {
  return read_until(deadline, [this] { return parser_.is_done(); });
}

std::string ControlConnection::release_body() { return std::exchange(parser_.get().body(), {}); }

}  // namespace vtmirror::client
