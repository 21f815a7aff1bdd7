// Reads and writes a connected, non-blocking socket, with or without TLS. Never waits: each call does what is possible
// now. TLS records are decrypted directly into the caller's buffer, from one large buffer that recv() fills. Does not
// own the socket.
#pragma once

#include "net/tls.hpp"
#include "vtmirror/base/result.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace vtmirror::net {

struct BufferedSocket;

enum class Io {
  moved,       ///< bytes were transferred, or the handshake is complete
  wait_read,   ///< call again when the socket is readable
  wait_write,  ///< call again when the socket is writable
  ended,       ///< the other side closed the stream cleanly
  failed,      ///< `failure()` says why; includes a truncated stream
};

struct Moved {
  Io io = Io::moved;
  std::size_t bytes = 0;
};

class Stream {
 public:
  explicit Stream(int socket);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// From now on all bytes go through TLS. Call `handshake` next, until it is complete.
  base::Result<void> secure(SslPtr ssl);
  Io handshake();
  /// OpenSSL then erases its copy of the bytes that were read.
  void wipe_behind();

  /// Reads all bytes available, up to the size of `into`. Takes at most one TLS record more from the socket.
  Moved read(std::span<std::byte> into);
  Moved write(std::span<const std::byte> from);
  /// `moved` if `read` would return bytes. Takes at most one TLS record from the socket, and without TLS nothing.
  Io peek();

  /// Bytes that were taken from the socket and not read yet, without those of a record that is not complete.
  std::size_t ahead() const;
  /// Whether the stream is open and has nothing to read, as an idle connection should. Processes pending TLS tickets.
  bool idle();
  /// The first byte that came since `secure`; empty if none did.
  std::optional<std::byte> first_byte() const;
  /// The reason for `failed`, without the peer's name.
  const base::Error& failure() const { return failure_; }

 private:
  Moved read_plain(std::span<std::byte> into);
  Moved read_tls(std::span<std::byte> into);
  Io peek_plain() const;
  Io judge(int result);
  Io judge_tls_error();
  Io fail(base::Errc code, std::string why);
  Io fail_system(int error, Io blocked);

  std::unique_ptr<BufferedSocket> socket_;  // the socket, and received bytes that were not read yet
  SslPtr ssl_;
  Io final_ = Io::moved;  // once `ended` or `failed`, OpenSSL must not be called again
  base::Error failure_;
};

}  // namespace vtmirror::net
