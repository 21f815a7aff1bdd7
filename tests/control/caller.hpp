// A client of the socket, as plain as can be: blocking calls, each failing loudly after a while instead of hanging.
#pragma once

#include "vtmirror/base/text.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::test {

struct Reply {
  int status = 0;
  std::string head;
  std::string body;

  bool has(std::string_view line) const { return head.find("\r\n" + std::string(line) + "\r\n") != std::string::npos; }
};

class Caller {
 public:
  explicit Caller(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    connect(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  explicit Caller(std::uint16_t loopback_port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(loopback_port);
    connect(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  ~Caller() {
    if (socket_ >= 0) ::close(socket_);
  }
  Caller(Caller&& other) noexcept : socket_(std::exchange(other.socket_, -1)), heard_(std::move(other.heard_)) {}
  Caller& operator=(Caller&&) = delete;

  /// False when the other side has hung up.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const auto sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void finish() const { ::shutdown(socket_, SHUT_WR); }

  /// The next answer of a connection that may stay; status 0 when it was hung up on.
  Reply reply(bool with_body = true) {
    Reply reply;
    if (!hear_until("\r\n\r\n")) return reply;
    reply.head = take(heard_.find("\r\n\r\n") + 4);
    reply.status = std::stoi(reply.head.substr(9, 3));
    const auto length = reply.head.find("Content-Length: ");
    if (!with_body || length == std::string::npos) return reply;
    const auto size = std::stoul(reply.head.substr(length + 16));
    while (heard_.size() < size && hear()) {
    }
    reply.body = take(size);
    return reply;
  }
  Reply ask(const std::string& method, const std::string& target, const std::string& more = "") {
    send(method + " " + target + " HTTP/1.1\r\nHost: vtmirror\r\n" + more + "\r\n");
    return reply(method != "HEAD");
  }
  Reply get(const std::string& target) { return ask("GET", target); }

  /// Until `text` has come; false when the other side hung up before.
  bool hear_until(std::string_view text) {
    while (heard_.find(text) == std::string::npos) {
      if (!hear()) return false;
    }
    return true;
  }
  /// What comes up to `text` and with it; empty when the other side hung up before.
  std::string next_through(std::string_view text) {
    return hear_until(text) ? take(heard_.find(text) + text.size()) : "";
  }
  /// All that comes until the other side hangs up.
  std::string rest() {
    while (hear()) {
    }
    return std::exchange(heard_, {});
  }
  bool hung_up() { return rest().empty(); }
  /// Whether something to read comes within so long: the pace of a slow client.
  bool anything_within(int milliseconds) const {
    pollfd ready{socket_, POLLIN, 0};
    return ::poll(&ready, 1, milliseconds) > 0;
  }
  const std::string& heard() const { return heard_; }

 private:
  void connect(const sockaddr* address, socklen_t size) {
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(socket_, address, size) != 0) throw std::runtime_error(std::strerror(errno));
  }
  bool hear() {
    char piece[16384];
    const auto got = ::recv(socket_, piece, sizeof piece, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error("the server says nothing");
    if (got <= 0) return false;
    heard_.append(piece, static_cast<std::size_t>(got));
    return true;
  }
  std::string take(std::size_t size) {
    std::string taken = heard_.substr(0, size);
    heard_.erase(0, size);
    return taken;
  }

  int socket_;
  std::string heard_;
};

}  // namespace vtmirror::test
