#include "client/control_connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

namespace vtmirror::client {
namespace {

using base::Errc;
using Clock = std::chrono::steady_clock;

constexpr std::size_t largest_answer = std::size_t{256} << 20;

std::chrono::milliseconds left(ControlConnection::Deadline deadline) {
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()), std::chrono::milliseconds(0));
}

/// The kernel's limit on what a write or a connect may take: a daemon that does not accept holds up both.
void limit_sending(int descriptor, ControlConnection::Deadline deadline) {
  const auto milliseconds = std::max<std::int64_t>(left(deadline).count(), 1);
  const timeval time{static_cast<time_t>(milliseconds / 1'000), static_cast<suseconds_t>(milliseconds % 1'000 * 1'000)};
  static_cast<void>(::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time));
}

/// Somebody may well listen there, so this is not the error of one who does not.
base::Error not_allowed(const std::string& socket) {
  return {Errc::forbidden, "not allowed to ask the daemon at " + socket +
                               ": root, the daemon's user and the members of its group (control.group) may; try sudo"};
}

std::string text_of(const ControlRequest& request) {
  auto text = request.method + ' ' + request.target + " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: vtmirror\r\n";
  if (request.method != "GET") text += "Content-Length: 0\r\n";
  return text + "\r\n";
}

}  // namespace

ControlConnection::ControlConnection(std::string socket) : socket_(std::move(socket)) {
  parser_.eager(true);
  // Events are followed for weeks: what is kept of a body is bounded, not what came of it.
  parser_.body_limit(boost::none);
}

ControlConnection::~ControlConnection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

base::Error ControlConnection::error(Errc code, const std::string& what) const {
  return {code, "no daemon answers at " + socket_ + ": " + what};
}

base::Result<void> ControlConnection::connect(Deadline deadline) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path)
    return error(Errc::unreachable, "a socket's path has 1 to 107 bytes");
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  descriptor_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0) return error(Errc::io, std::strerror(errno));
  limit_sending(descriptor_, deadline);
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(descriptor_, any, sizeof address) == 0) return {};
  const int reason = errno;
  if (reason == EAGAIN) return error(Errc::timed_out, "it does not take the connection");
  if (reason == EACCES || reason == EPERM) return not_allowed(socket_);
  return error(Errc::unreachable, std::strerror(reason));
}

base::Result<void> ControlConnection::send(const ControlRequest& request, Deadline deadline) {
  if (auto connected = connect(deadline); connected.has_error()) return connected;
  const auto text = text_of(request);
  for (std::size_t sent = 0; sent < text.size();) {
    const auto count = ::send(descriptor_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count > 0) sent += static_cast<std::size_t>(count);
    if (count < 0 && errno == EAGAIN) return error(Errc::timed_out, "it does not read the request");
    // Who refuses a client may answer and close before it has read the request: the answer counts.
    if (count < 0 && (errno == EPIPE || errno == ECONNRESET)) return {};
    if (count < 0 && errno != EINTR) return error(Errc::unreachable, std::strerror(errno));
  }
  return {};
}

base::Result<ControlConnection::Read> ControlConnection::read(Deadline deadline, int interrupt) {
  std::array<pollfd, 2> waits{pollfd{descriptor_, POLLIN, 0}, pollfd{interrupt, POLLIN, 0}};
  const auto most = std::chrono::milliseconds(std::numeric_limits<int>::max());
  const int ready = ::poll(waits.data(), waits.size(), static_cast<int>(std::min(left(deadline), most).count()));
  if (ready < 0 && errno != EINTR) return error(Errc::io, std::strerror(errno));
  if (ready > 0 && waits[1].revents != 0) return Read::interrupted;
  if (ready <= 0) return Read::nothing_in_time;
  std::array<char, 65'536> bytes{};
  const auto count = ::recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Read::nothing_in_time;
  if (count < 0) return error(Errc::unreachable, std::strerror(errno));
  unread_.append(bytes.data(), static_cast<std::size_t>(count));
  auto parsed = count == 0 ? finish() : parse();
  if (parsed.has_error()) return parsed.error();
  if (parser_.get().body().size() > largest_answer)
    return base::Error{Errc::protocol, socket_ + ": too long an answer"};
  return Read::some;
}

base::Result<void> ControlConnection::parse() {
  while (!unread_.empty() && !parser_.is_done()) {
    boost::beast::error_code failure;
    const auto used = parser_.put(boost::asio::buffer(unread_), failure);
    unread_.erase(0, used);
    if (failure == boost::beast::http::error::need_more) return {};
    if (failure) return base::Error{Errc::protocol, socket_ + " answers, but not as a vtmirror: " + failure.message()};
    if (used == 0) return {};
  }
  return {};
}

base::Result<void> ControlConnection::finish() {
  boost::beast::error_code failure;
  if (!parser_.is_done() && parser_.got_some()) parser_.put_eof(failure);
  if (!failure && parser_.is_done()) return {};
  return error(Errc::unreachable, "the connection ended before the answer did");
}

template <class Done>
base::Result<void> ControlConnection::read_until(Deadline deadline, Done done) {
  while (!done()) {
    const auto read_some = read(deadline, -1);
    if (read_some.has_error()) return read_some.error();
    if (*read_some != Read::some && left(deadline).count() == 0) return error(Errc::timed_out, "no answer in time");
  }
  return {};
}

base::Result<void> ControlConnection::read_header(Deadline deadline) {
  return read_until(deadline, [this] { return parser_.is_header_done(); });
}

base::Result<void> ControlConnection::read_all(Deadline deadline) {
  return read_until(deadline, [this] { return parser_.is_done(); });
}

std::string ControlConnection::take_body() { return std::exchange(parser_.get().body(), {}); }

}  // namespace vtmirror::client
