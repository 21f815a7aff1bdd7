#include "simulator/wire.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <chrono>
#include <new>

namespace vtmirror::simulator {
namespace {

// Records are collected, so that one system call sends 16 of them.
constexpr long gathered = 16 * (16'384 + 64);
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

}  // namespace vtmirror::simulator
