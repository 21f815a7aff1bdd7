// A listening socket on a port that the kernel picked; a server inherits it and so never loses the port.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vtmirror::test {

class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(socket_, generic, length) == 0);
    REQUIRE(::listen(socket_, 64) == 0);
    REQUIRE(::getsockname(socket_, generic, &length) == 0);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  int socket() const { return socket_; }
  int port() const { return port_; }
  /// Nobody answers there any more, once the server is gone too.
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

 private:
  int socket_;
  int port_ = 0;
};

}  // namespace vtmirror::test
