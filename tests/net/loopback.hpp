// A server on loopback whose every connection is played by a script of the test, in a thread of its own.
// Ends all its connections when it goes. A script that waits for its peer ends then too.
#pragma once

#include "support/certificate.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace vtmirror::test {

/// The server's side of one connection. Calls block.
class Peer {
 public:
  Peer(int socket, int which, SSL_CTX* tls)
      : number(which), socket_(socket), ssl_(tls == nullptr ? nullptr : SSL_new(tls)) {
    if (ssl_ == nullptr) return;
    SSL_set_fd(ssl_, socket);
    good_ = SSL_accept(ssl_) == 1;
  }
  ~Peer() { SSL_free(ssl_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// The next request's head, or nothing when the client has gone.
  std::optional<std::string> request() {
    for (;;) {
      const auto end = heard_.find("\r\n\r\n");
      if (end != std::string::npos) {
        std::string head = heard_.substr(0, end + 4);
        heard_.erase(0, end + 4);
        return head;
      }
      if (!hear()) return std::nullopt;
    }
  }

  /// So many bytes of a body.
  std::string body(std::size_t size) {
    while (heard_.size() < size && hear()) {
    }
    return heard_.substr(0, size);
  }

  bool send(std::string_view text) {
    while (good_ && !text.empty()) {
      const auto sent = ssl_ != nullptr ? SSL_write(ssl_, text.data(), static_cast<int>(text.size()))
                                        : static_cast<int>(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL));
      good_ = sent > 0;
      if (good_) text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return good_;
  }

  /// Waits until the client has sent anything.
  void first_byte() const {
    char one = 0;
    ::recv(socket_, &one, 1, 0);
  }
  /// A short while, or until the client goes: the pace of a trickle.
  void linger(int milliseconds) const {
    pollfd gone{socket_, POLLRDHUP, 0};
    poll(&gone, 1, milliseconds);
  }
  /// Says nothing more, and stays until the client goes.
  void hang() const { linger(-1); }
  /// Ends TLS in good order, as a server does that closes an idle connection.
  void farewell() const {
    if (ssl_ != nullptr) SSL_shutdown(ssl_);
  }
  /// What follows goes to `port` of the loopback and back, unread.
  void relay(std::uint16_t port);

  int socket() const { return socket_; }
  bool resumed() const { return ssl_ != nullptr && SSL_session_reused(ssl_) == 1; }
  bool good() const { return good_; }
  const int number;  ///< the connection's, from 1

 private:
  bool hear() {
    char piece[4096];
    const auto got = !good_            ? 0
                     : ssl_ != nullptr ? SSL_read(ssl_, piece, sizeof piece)
                                       : static_cast<int>(::recv(socket_, piece, sizeof piece, 0));
    if (got <= 0) return good_ = false;
    heard_.append(piece, static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  SSL* ssl_;
  bool good_ = true;
  std::string heard_;
};

inline sockaddr_in loopback_address(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

inline void Peer::relay(std::uint16_t port) {
  const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = loopback_address(port);
  if (::connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const int ends[2] = {socket_, other};
    for (bool open = true; open;) {
      pollfd ready[2] = {{socket_, POLLIN, 0}, {other, POLLIN, 0}};
      poll(ready, 2, -1);
      for (int from = 0; from < 2 && open; ++from) {
        char piece[4096];
        if (ready[from].revents == 0) continue;
        const auto got = ::recv(ends[from], piece, sizeof piece, 0);
        open = got > 0 && ::send(ends[1 - from], piece, static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
      }
    }
  }
  ::close(other);
}

struct ServerTls {
  Certificate certificate;
  int highest_version = 0;  ///< 0: what OpenSSL has
};

class LoopbackServer {
 public:
  using Script = std::function<void(Peer&)>;

  explicit LoopbackServer(Script script, const std::optional<ServerTls>& tls = {}) : script_(std::move(script)) {
    if (tls) tls_.reset(make_tls(*tls));
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback_address(0);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, generic, &size) != 0)
      throw std::runtime_error("no port of loopback");
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }

  ~LoopbackServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
    }
    for (auto& player : players_) player.join();
    ::close(listener_);
  }
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& target) const {
    return std::string(tls_ ? "https" : "http") + "://127.0.0.1:" + std::to_string(port_) + target;
  }
  int connections() const { return connections_; }

 private:
  struct FreeTls {
    void operator()(SSL_CTX* shared) const { SSL_CTX_free(shared); }
  };

  static SSL_CTX* make_tls(const ServerTls& settings) {
    SSL_CTX* shared = SSL_CTX_new(TLS_server_method());
    const auto read = [](const std::string& pem) {
      return std::unique_ptr<BIO, int (*)(BIO*)>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
    };
    const openssl::X509Ptr leaf(
        PEM_read_bio_X509(read(settings.certificate.certificate).get(), nullptr, nullptr, nullptr));
    const openssl::Key key(PEM_read_bio_PrivateKey(read(settings.certificate.key).get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(shared, leaf.get());
    SSL_CTX_use_PrivateKey(shared, key.get());
    if (settings.highest_version != 0) {
      SSL_CTX_set_security_level(shared, 0);
      SSL_CTX_set_min_proto_version(shared, 0);
      SSL_CTX_set_max_proto_version(shared, settings.highest_version);
    }
    return shared;
  }

  void accept_all() {
    for (;;) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      const int at_once = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
      const int number = ++connections_;
      const std::lock_guard lock(mutex_);
      open_.push_back(socket);
      players_.emplace_back([this, socket, number] { play(socket, number); });
    }
  }

  void play(int socket, int number) {
    {
      Peer peer(socket, number, tls_.get());
      script_(peer);
    }
    const std::lock_guard lock(mutex_);
    open_.remove(socket);
    ::close(socket);
  }

  Script script_;
  std::unique_ptr<SSL_CTX, FreeTls> tls_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::list<int> open_;
  std::list<std::thread> players_;
  std::thread acceptor_;
};

/// The bytes [begin, end) of an endless object whose every byte depends on its offset, so that a wrong offset shows.
inline std::string object_bytes(std::int64_t begin, std::int64_t end) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(end - begin));
  for (auto at = begin; at < end; ++at)
    bytes += static_cast<char>((static_cast<std::uint64_t>(at) * 0x9E3779B97F4A7C15u) >> 56);
  return bytes;
}

inline std::string part_head(std::int64_t begin, std::int64_t end, std::int64_t total, const std::string& more = "") {
  return "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Length: " + std::to_string(end - begin) +
         "\r\nContent-Range: bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/" +
         std::to_string(total) + "\r\n" + more + "\r\n";
}

/// The range a request's head asks for.
inline std::pair<std::int64_t, std::int64_t> asked_range(const std::string& head) {
  const auto at = head.find("Range: bytes=") + 13;
  const auto dash = head.find('-', at);
  return {std::stoll(head.substr(at, dash - at)), std::stoll(head.substr(dash + 1)) + 1};
}

/// Answers every ranged GET of an object of `total` bytes.
inline LoopbackServer::Script store(std::int64_t total) {
  return [total](Peer& peer) {
    while (const auto head = peer.request()) {
      const auto [begin, end] = asked_range(*head);
      peer.send(part_head(begin, end, total) + object_bytes(begin, end));
    }
  };
}

/// Answers every request on every connection with this text.
inline LoopbackServer::Script always(std::string text) {
  return [text = std::move(text)](Peer& peer) {
    while (peer.request()) peer.send(text);
  };
}

}  // namespace vtmirror::test
