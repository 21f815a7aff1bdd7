#include "simulator/wire.hpp"

#include "vtmirror/base/text.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <new>

namespace vtmirror::simulator {
namespace {

// Records are collected, so that one system call sends 16 of them.
constexpr long gathered = 16L * (16'384 + 64);
constexpr long idle_seconds = 120;

void set_options(int socket) {
  const int on = 1;
  const timeval idle{.tv_sec = idle_seconds, .tv_usec = 0};
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof idle);
}

}  // namespace

void Wire::Free::operator()(SSL* tls) const noexcept { SSL_free(tls); }

Wire::Wire(int socket, SSL_CTX* tls) : socket_(socket) {
  set_options(socket);
  if (tls == nullptr) return;
  tls_.reset(SSL_new(tls));
  BIO* in = BIO_new_socket(socket, BIO_NOCLOSE);
  BIO* out = BIO_new_socket(socket, BIO_NOCLOSE);
  BIO* gather = BIO_new(BIO_f_buffer());
  if (!tls_ || in == nullptr || out == nullptr || gather == nullptr) throw std::bad_alloc();
  BIO_set_write_buffer_size(gather, gathered);
  SSL_set_bio(tls_.get(), in, BIO_push(gather, out));
}

Wire::~Wire() = default;

bool Wire::open() { return !tls_ || SSL_accept(tls_.get()) == 1; }

std::size_t Wire::read(std::span<char> into) {
  if (tls_) {
    const int count = SSL_read(tls_.get(), into.data(), static_cast<int>(into.size()));
    return count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  const ssize_t count = recv(socket_, into.data(), into.size(), 0);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool Wire::write(std::string_view bytes, bool more) {
  if (!tls_) return send_all(bytes, more);
  std::size_t written = 0;
  if (!bytes.empty() && SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &written) != 1) return false;
  return more || BIO_flush(SSL_get_wbio(tls_.get())) == 1;
}

bool Wire::send_all(std::string_view bytes, bool more) {
  while (!bytes.empty()) {
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void Wire::close() {
  if (tls_) SSL_shutdown(tls_.get());
  shutdown(socket_, SHUT_RDWR);
}

void Wire::reset(StopSignal& stop) {
  for (int tries = 0; tries < 5'000; ++tries) {
    int unsent = 0;
    if (ioctl(socket_, SIOCOUTQ, &unsent) != 0 || unsent == 0) break;
    if (stop.wait_for(std::chrono::milliseconds(1))) break;
  }
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);  // the owner's close() then resets
}

void Wire::wait_for_hangup() {
  pollfd watched{.fd = socket_, .events = POLLRDHUP, .revents = 0};
  while (poll(&watched, 1, -1) < 0 && errno == EINTR) {
  }
}

namespace http = boost::beast::http;
namespace {

constexpr std::uint32_t header_limit = 65'536;
constexpr std::uint64_t body_limit = 64U << 20U;

using Parser = http::request_parser<http::string_body>;

Headers headers_of(const Parser& parser) {
  Headers headers;
  for (const auto& field : parser.get()) {
    std::string name = base::lower(std::string_view(field.name_string()));
    const auto before =
        std::find_if(headers.begin(), headers.end(), [&](const auto& each) { return each.first == name; });
    if (before == headers.end()) {
      headers.emplace_back(std::move(name), std::string(field.value()));
    } else {
      before->second += ", " + std::string(field.value());
    }
  }
  return headers;
}

Request request_of(Parser& parser, At at) {
  const std::string target(parser.get().target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  return {.at = at,
          .method = std::string(parser.get().method_string()),
          .path = target.substr(0, mark),
          .query = mark < target.size() ? target.substr(mark + 1) : "",
          .headers = headers_of(parser),
          .body = std::move(parser.get().body())};
}

}  // namespace

std::optional<Request> RequestReader::next() {
  Parser parser;
  parser.eager(true);
  parser.header_limit(header_limit);
  parser.body_limit(body_limit);
  std::array<char, 16'384> buffer;
  while (true) {
    boost::system::error_code failed;
    const std::size_t used = unread_.empty() ? 0 : parser.put(boost::asio::buffer(unread_), failed);
    unread_.erase(0, used);
    malformed_ = failed && failed != http::error::need_more;
    if (malformed_) return std::nullopt;
    if (parser.is_done()) break;
    if (!unread_.empty() && used > 0) continue;
    const std::size_t count = wire_.read(buffer);
    if (count == 0) return std::nullopt;
    unread_.append(buffer.data(), count);
  }
  keep_alive_ = parser.get().keep_alive();
  return request_of(parser, at_);
}

}  // namespace vtmirror::simulator
