#include "net/wire.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vtmirror::net {
namespace {

/// recv() that no signal can disturb.
std::ptrdiff_t receive(int socket, std::span<std::byte> into) {
  for (;;) {
    const auto got = ::recv(socket, into.data(), into.size(), MSG_DONTWAIT);
    if (got >= 0 || errno != EINTR) return got;
  }
}

}  // namespace

std::ptrdiff_t Wire::take(std::span<std::byte> into) {
  if (begin == end) {
    // What is larger than the buffer would only be copied twice.
    const bool direct = into.size() >= capacity;
    const auto got = receive(socket, direct ? into : std::span(buffer.get(), capacity));
    if (got < 0) error = errno;
    if (got <= 0 || direct) return got;
    begin = 0;
    end = static_cast<std::size_t>(got);
  }
  const auto size = std::min(into.size(), end - begin);
  std::memcpy(into.data(), buffer.get() + begin, size);
  begin += size;
  return static_cast<std::ptrdiff_t>(size);
}

std::ptrdiff_t Wire::put(std::span<const std::byte> from) {
  for (;;) {
    const auto sent = ::send(socket, from.data(), from.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    error = errno;
    if (error != EINTR) return -1;
  }
}

namespace {

Wire& wire_of(BIO* bio) { return *static_cast<Wire*>(BIO_get_data(bio)); }

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

int bio_read(BIO* bio, char* into, std::size_t size, std::size_t* done) {
  BIO_clear_retry_flags(bio);
  const auto got = wire_of(bio).take(std::as_writable_bytes(std::span(into, size)));
  if (got < 0 && would_block(wire_of(bio).error)) BIO_set_retry_read(bio);
  *done = got > 0 ? static_cast<std::size_t>(got) : 0;
  return got > 0 ? 1 : static_cast<int>(got);
}

int bio_write(BIO* bio, const char* from, std::size_t size, std::size_t* done) {
  BIO_clear_retry_flags(bio);
  const auto sent = wire_of(bio).put(std::as_bytes(std::span(from, size)));
  if (sent < 0 && would_block(wire_of(bio).error)) BIO_set_retry_write(bio);
  *done = sent > 0 ? static_cast<std::size_t>(sent) : 0;
  return sent > 0 ? 1 : static_cast<int>(sent);
}

long bio_ctrl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* make_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire");
  if (method == nullptr) return nullptr;
  BIO_meth_set_read_ex(method, &bio_read);
  BIO_meth_set_write_ex(method, &bio_write);
  BIO_meth_set_ctrl(method, &bio_ctrl);
  return method;
}

}  // namespace

BIO* Wire::bio() {
  static BIO_METHOD* const method = make_method();  // one for the whole run
  BIO* bio = method == nullptr ? nullptr : BIO_new(method);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace vtmirror::net
