// Bytes over a connected, non-blocking socket, with or without TLS, and never a wait: each call does what can be done
// now. TLS records are decrypted straight into the caller's buffer, from one large buffer that recv() fills. Does not
// own the socket.
#pragma once

#include "net/tls.hpp"
#include "vtmirror/base/result.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace vtmirror::net {

struct BufferedSocket;

enum class Io {
  moved,       ///< bytes went over, or the handshake is done
  wait_read,   ///< nothing can be done before the socket is readable
  wait_write,  ///< or writable
  ended,       ///< the other side ended the stream in good order
  failed,      ///< `failure()` says why, a cut stream included
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

  /// From here on everything goes through TLS; `handshake` comes next, again and again until it is done.
  base::Result<void> secure(SslPtr ssl);
  Io handshake();
  /// OpenSSL keeps no copy of what it has given away.
  void wipe_behind();

  /// Takes all that is there, up to the size of `into`.
  Moved read(std::span<std::byte> into);
  Moved write(std::span<const std::byte> from);

  /// Nothing to read and not at its end, as an idle connection should be. TLS tickets that came are taken in.
  bool idle();
  /// What `failed` meant, without the peer's name.
  const base::Error& failure() const { return failure_; }

 private:
  Moved read_plain(std::span<std::byte> into);
  Moved read_tls(std::span<std::byte> into);
  Io judge(int result);
  Io judge_tls_error();
  Io fail(base::Errc code, std::string why);
  Io fail_system(int error, Io blocked);

  std::unique_ptr<BufferedSocket> socket_;  // the socket, and what recv() brought and is not read yet
  SslPtr ssl_;
  Io final_ = Io::moved;  // `ended` or `failed` once that is so: OpenSSL must not be asked again
  base::Error failure_;
};

}  // namespace vtmirror::net
