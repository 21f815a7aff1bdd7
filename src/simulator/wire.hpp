// One accepted connection, plain or TLS, with blocking reads and writes: a thread a connection is the simplest thing
// that can also be fast, and stalls, cuts and slow rates are plain statements. Another thread may end a wait by
// shutting the socket down.
#pragma once

#include "simulator/stop_signal.hpp"

#include <openssl/types.h>

#include <memory>
#include <span>
#include <string_view>

namespace vtmirror::simulator {

class Wire {
 public:
  /// Does not own `socket`; `tls` is null for a plain connection and outlives the wire.
  Wire(int socket, SSL_CTX* tls);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// The handshake, where there is one.
  bool open();
  /// 0 at the end, or when nothing can be read any more.
  std::size_t read(std::span<char> into);
  /// All of it, or false. With `more` it may wait for what is written next.
  bool write(std::string_view bytes, bool more = false);
  /// Says goodbye, so that the other side knows that this is the end.
  void close();
  /// Resets the connection, but only after what was written has arrived.
  void reset(StopSignal& stop);
  /// Until the other side leaves or somebody shuts the socket down.
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
