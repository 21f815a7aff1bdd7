// A socket with one large receive buffer, and the BIO through which OpenSSL sees both.
// Promises one recv() for many TLS records. Private to Stream.
#pragma once

#include <openssl/bio.h>

#include <cstddef>
#include <memory>
#include <span>

namespace vtmirror::net {

struct Wire {
  /// Large enough that a fast line is taken in few calls, small enough to stay in a processor's cache.
  static constexpr std::size_t capacity = std::size_t{256} << 10;

  explicit Wire(int connected) : socket(connected), buffer(std::make_unique_for_overwrite<std::byte[]>(capacity)) {}

  /// As read(2): bytes from the buffer, which is filled when it is empty; 0 at the end; -1 with `error` set.
  std::ptrdiff_t take(std::span<std::byte> into);
  /// As write(2), without SIGPIPE.
  std::ptrdiff_t put(std::span<const std::byte> from);

  /// A new BIO over this, which must outlive it. Null when out of memory.
  BIO* bio();

  int socket;
  int error = 0;  // errno of the last call that failed
  std::size_t begin = 0;
  std::size_t end = 0;
  std::unique_ptr<std::byte[]> buffer;
};

}  // namespace vtmirror::net
