// One accepted connection, plain or TLS, with blocking reads and writes. One thread for each connection is simple and
// fast, and makes stalls, cuts and slow rates simple statements. Another thread may end a wait by shutting the socket
// down.
#pragma once

#include "simulator/stop_signal.hpp"

#include <openssl/types.h>

#include <memory>
#include <span>
#include <string_view>

namespace vtmirror::simulator {

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

}  // namespace vtmirror::simulator
