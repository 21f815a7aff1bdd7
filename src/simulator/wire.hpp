// One accepted connection, plain or TLS, with blocking reads and writes. One thread for each connection is simple and
// fast, and makes stalls, cuts and slow rates simple statements. Another thread may end a wait by shutting the socket
// down. Also the requests that are read from it.
#pragma once

#include "simulator/request.hpp"

#include <openssl/types.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vtmirror::simulator {

/// The stop flag that ends every wait of the simulator.
class StopSignal {
 public:
  void request() {
    const std::lock_guard lock(mutex_);
    requested_ = true;
    changed_.notify_all();
  }
  /// Waits at most this long; true if the program must stop.
  bool wait_for(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return requested_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool requested_ = false;
};

class Wire {
 public:
  /// Does not own `socket`. `tls` is null for a plain connection and must outlive the wire.
  Wire(int socket, SSL_CTX* tls);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// Does the TLS handshake, unless the connection is plain.
  bool open();
  /// 0 at the end, or if the connection broke.
  std::size_t read(std::span<char> into);
  /// Writes everything, or returns false. With `more`, the bytes may be held back until the next write.
  bool write(std::string_view bytes, bool more = false);
  /// Shuts down sending, so that the client sees the end.
  void close();
  /// Resets the connection after everything written has arrived.
  void reset(StopSignal& stop);
  /// Waits until the client disconnects or another thread shuts the socket down.
  void wait_for_hangup();

 private:
  struct Free {
    void operator()(SSL* tls) const noexcept;
  };
  bool send_all(std::string_view bytes, bool more);

  int socket_;
  std::unique_ptr<SSL, Free> tls_;
};

/// Reads requests from a connection, one after the other. Limits: 64 KiB of header, 64 MiB of body.
class RequestReader {
 public:
  RequestReader(Wire& wire, At at) : wire_(wire), at_(at) {}

  /// Empty at the end of the connection, or if the bytes are not a request (`malformed()`).
  std::optional<Request> next();
  bool malformed() const noexcept { return malformed_; }
  /// Whether the last request keeps the connection open.
  bool keep_alive() const noexcept { return keep_alive_; }

 private:
  Wire& wire_;
  At at_;
  std::string unread_;  // bytes received after the last request
  bool malformed_ = false;
  bool keep_alive_ = false;
};

}  // namespace vtmirror::simulator
