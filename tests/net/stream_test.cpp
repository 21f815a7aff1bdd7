#include "net/stream.hpp"
#include "net/client.hpp"
#include "net/loopback.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/ioctl.h>

#include <future>
#include <string>
#include <utility>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

constexpr int size = 120'000;  // less than a connection's receive buffer, which one recv() could fill

/// A connected, non-blocking socket.
class Connected {
 public:
  explicit Connected(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int room = 4 * size;  // all of it waits in the kernel, with what the kernel adds
    REQUIRE(::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &room, sizeof room) == 0);
    const auto address = loopback_address(port);
    REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::fcntl(socket_, F_SETFL, O_NONBLOCK) == 0);
  }
  ~Connected() { ::close(socket_); }
  Connected(const Connected&) = delete;
  Connected& operator=(const Connected&) = delete;

  int get() const { return socket_; }
  void wait(short events) const {
    pollfd ready{socket_, events, 0};
    REQUIRE(poll(&ready, 1, 10'000) == 1);
  }
  /// How many bytes the kernel holds.
  int waiting() const {
    int bytes = 0;
    REQUIRE(::ioctl(socket_, FIONREAD, &bytes) == 0);
    return bytes;
  }

 private:
  int socket_;
};

/// A server that sends `body` on each connection. `sent` is ready when the kernel has taken all of it.
struct Sender {
  explicit Sender(std::string body, const std::optional<ServerTls>& tls = {})
      : server(
            [this, text = std::move(body)](Peer& peer) {
              peer.send(text);
              sent.set_value();
              peer.hang();
            },
            tls) {}

  std::promise<void> sent;
  LoopbackServer server;
};

std::string read_all(net::Stream& stream, const Connected& socket, std::size_t bytes) {
  std::string all(bytes, '\0');
  std::size_t filled = 0;
  while (filled < bytes) {
    const auto moved = stream.read(std::as_writable_bytes(std::span(all)).subspan(filled));
    REQUIRE((moved.io == net::Io::moved || moved.io == net::Io::wait_read));
    filled += moved.bytes;
    if (moved.io == net::Io::wait_read) socket.wait(POLLIN);
  }
  return all;
}

/// Reads 100 bytes while the kernel holds all, then the others.
void check_small_read(net::Stream& stream, const Connected& socket, Sender& sender) {
  sender.sent.get_future().wait();
  while (socket.waiting() < size - 20'000) socket.wait(POLLIN);  // the handshake may have taken a part
  const int before = socket.waiting();
  const auto head = read_all(stream, socket, 100);
  CHECK(before - socket.waiting() <= 18'000);
  const auto rest = read_all(stream, socket, size - 100);
  CHECK(head + rest == object_bytes(0, size));
}

}  // namespace

TEST_CASE("a small read leaves what it does not need in the kernel, where it holds the sender back") {
  Sender sender(object_bytes(0, size));
  const Connected socket(sender.server.port());
  net::Stream stream(socket.get());
  check_small_read(stream, socket, sender);
}

TEST_CASE("so does a small read through TLS") {
  const Trust trust;
  Sender sender(object_bytes(0, size), ServerTls{trust.authority.issue()});
  const Connected socket(sender.server.port());
  const auto tls = net::Tls::make(trust.settings().ca_file);
  REQUIRE(tls);
  auto ssl = (*tls)->client("localhost", sender.server.port());
  REQUIRE(ssl);
  net::Stream stream(socket.get());
  REQUIRE(stream.secure(std::move(*ssl)));
  for (auto io = stream.handshake(); io != net::Io::moved; io = stream.handshake()) {
    REQUIRE((io == net::Io::wait_read || io == net::Io::wait_write));
    socket.wait(io == net::Io::wait_read ? POLLIN : POLLOUT);
  }
  check_small_read(stream, socket, sender);
}
