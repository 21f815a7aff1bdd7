#include "net/stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace vtmirror::net {

using base::Errc;
using base::Error;

/// A socket with one large receive buffer, and the BIO through which OpenSSL uses both: one recv() returns many TLS
/// records. No recv() takes more than `wanted` and one record beyond it, so that what a rate limit has not yet granted
/// stays with the kernel, whose window holds the sender back.
struct BufferedSocket {
  /// As many bytes as a fast connection is woken for. Small enough to stay in a processor's cache; each connection has
  /// one.
  static constexpr std::size_t capacity = std::size_t{128} << 10;
  /// A TLS record of full length with its header, rounded up.
  static constexpr std::size_t record = std::size_t{17} << 10;

  explicit BufferedSocket(int connected)
      : socket(connected), buffer(std::make_unique_for_overwrite<std::byte[]>(capacity)) {}

  /// Like read(2): bytes from the buffer, which is refilled when empty; 0 at the end; -1 with `error` set.
  std::ptrdiff_t read(std::span<std::byte> into);
  /// Like write(2), without SIGPIPE.
  std::ptrdiff_t put(std::span<const std::byte> from);

  /// A new BIO over this, which must outlive it. Null if out of memory.
  BIO* bio();

  int socket;
  std::size_t wanted = 0;          // by the reader, beyond the buffer's bytes
  int error = 0;                   // errno of the last failed call
  std::optional<std::byte> first;  // that was taken from the buffer since TLS began
  std::size_t begin = 0;
  std::size_t end = 0;
  std::unique_ptr<std::byte[]> buffer;
};

namespace {

/// recv(), repeated if a signal interrupts it.
std::ptrdiff_t receive(int socket, std::span<std::byte> into) {
  for (;;) {
    const auto got = ::recv(socket, into.data(), into.size(), MSG_DONTWAIT);
    if (got >= 0 || errno != EINTR) return got;
  }
}

BufferedSocket& socket_of(BIO* bio) { return *static_cast<BufferedSocket*>(BIO_get_data(bio)); }

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

int bio_read(BIO* bio, char* into, std::size_t size, std::size_t* done) {
  BIO_clear_retry_flags(bio);
  const auto got = socket_of(bio).read(std::as_writable_bytes(std::span(into, size)));
  if (got < 0 && would_block(socket_of(bio).error)) BIO_set_retry_read(bio);
  *done = got > 0 ? static_cast<std::size_t>(got) : 0;
  return got > 0 ? 1 : static_cast<int>(got);
}

int bio_write(BIO* bio, const char* from, std::size_t size, std::size_t* done) {
  BIO_clear_retry_flags(bio);
  const auto sent = socket_of(bio).put(std::as_bytes(std::span(from, size)));
  if (sent < 0 && would_block(socket_of(bio).error)) BIO_set_retry_write(bio);
  *done = sent > 0 ? static_cast<std::size_t>(sent) : 0;
  return sent > 0 ? 1 : static_cast<int>(sent);
}

long bio_ctrl(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

BIO_METHOD* make_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "buffered socket");
  if (method == nullptr) return nullptr;
  BIO_meth_set_read_ex(method, &bio_read);
  BIO_meth_set_write_ex(method, &bio_write);
  BIO_meth_set_ctrl(method, &bio_ctrl);
  return method;
}

}  // namespace

std::ptrdiff_t BufferedSocket::read(std::span<std::byte> into) {
  if (begin == end) {
    // Larger reads bypass the buffer, which would only copy them twice.
    const bool direct = into.size() >= capacity;
    const auto room = std::min(capacity, wanted + record);
    const auto got = receive(socket, direct ? into : std::span(buffer.get(), room));
    if (got < 0) error = errno;
    if (got <= 0 || direct) return got;
    begin = 0;
    end = static_cast<std::size_t>(got);
  }
  const auto size = std::min(into.size(), end - begin);
  if (!first && size > 0) first = buffer[begin];
  std::memcpy(into.data(), buffer.get() + begin, size);
  begin += size;
  return static_cast<std::ptrdiff_t>(size);
}

std::ptrdiff_t BufferedSocket::put(std::span<const std::byte> from) {
  for (;;) {
    const auto sent = ::send(socket, from.data(), from.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    error = errno;
    if (error != EINTR) return -1;
  }
}

BIO* BufferedSocket::bio() {
  static BIO_METHOD* const method = make_method();  // one for the whole run
  BIO* bio = method == nullptr ? nullptr : BIO_new(method);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  return bio;
}

Stream::Stream(int socket) : socket_(std::make_unique<BufferedSocket>(socket)) {}

Stream::~Stream() {
  // Sends the TLS close alert without waiting for the peer's; without it OpenSSL would discard the session.
  if (ssl_ && final_ != Io::failed && SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

base::Result<void> Stream::secure(SslPtr ssl) {
  BIO* bio = socket_->bio();
  if (bio == nullptr) return Error{Errc::tls, openssl_reason()};
  SSL_set_bio(ssl.get(), bio, bio);
  ssl_ = std::move(ssl);
  socket_->first.reset();
  return base::Result<void>();
}

std::optional<std::byte> Stream::first_byte() const { return socket_->first; }

void Stream::wipe_behind() {
  if (ssl_) SSL_set_options(ssl_.get(), SSL_OP_CLEANSE_PLAINTEXT);
}

Io Stream::handshake() {
  if (final_ != Io::moved) return final_;
  ERR_clear_error();
  socket_->error = 0;
  const int result = do_handshake(ssl_.get());
  if (result == 1) return Io::moved;
  Io io = judge(result);
  if (io == Io::ended) io = fail(Errc::unreachable, "connection closed");
  if (io == Io::failed && failure_.code == Errc::unreachable) failure_.detail += " during the TLS handshake";
  return io;
}

Moved Stream::read(std::span<std::byte> into) {
  if (final_ != Io::moved) return {final_, 0};
  return ssl_ ? read_tls(into) : read_plain(into);
}

Moved Stream::read_tls(std::span<std::byte> into) {
  Moved all;
  ERR_clear_error();
  socket_->error = 0;
  while (all.bytes < into.size()) {
    std::size_t got = 0;
    socket_->wanted = into.size() - all.bytes;
    const int result = SSL_read_ex(ssl_.get(), into.data() + all.bytes, into.size() - all.bytes, &got);
    all.bytes += got;
    if (result == 1) continue;
    const Io io = judge(result);
    return {all.bytes > 0 ? Io::moved : io, all.bytes};
  }
  return all;
}

Moved Stream::read_plain(std::span<std::byte> into) {
  Moved all;
  while (all.bytes < into.size()) {
    socket_->wanted = into.size() - all.bytes;
    const auto got = socket_->read(into.subspan(all.bytes));
    if (got > 0) {
      all.bytes += static_cast<std::size_t>(got);
      continue;
    }
    const Io io = got == 0 ? (final_ = Io::ended) : fail_system(socket_->error, Io::wait_read);
    return {all.bytes > 0 ? Io::moved : io, all.bytes};
  }
  return all;
}

Moved Stream::write(std::span<const std::byte> from) {
  if (final_ != Io::moved) return {final_, 0};
  if (!ssl_) {
    const auto sent = socket_->put(from);
    if (sent < 0) return {fail_system(socket_->error, Io::wait_write), 0};
    return {Io::moved, static_cast<std::size_t>(sent)};
  }
  ERR_clear_error();
  socket_->error = 0;
  std::size_t sent = 0;
  const int result = SSL_write_ex(ssl_.get(), from.data(), from.size(), &sent);
  return {result == 1 ? Io::moved : judge(result), sent};
}

Io Stream::peek() {
  if (final_ != Io::moved) return final_;
  std::byte one{};
  if (!ssl_) return socket_->begin != socket_->end ? Io::moved : peek_plain();
  ERR_clear_error();
  socket_->error = 0;
  socket_->wanted = 0;
  std::size_t got = 0;
  const int result = SSL_peek_ex(ssl_.get(), &one, 1, &got);
  return result == 1 ? Io::moved : judge(result);
}

/// The end of the stream and an error are left to `read`.
Io Stream::peek_plain() const {
  std::byte one{};
  const auto got = ::recv(socket_->socket, &one, 1, MSG_DONTWAIT | MSG_PEEK);
  return got < 0 && would_block(errno) ? Io::wait_read : Io::moved;
}

std::size_t Stream::ahead() const {
  const auto pending = ssl_ ? static_cast<std::size_t>(SSL_pending(ssl_.get())) : 0;
  return pending + socket_->end - socket_->begin;
}

bool Stream::idle() {
  std::byte one{};
  return read(std::span(&one, 1)).io == Io::wait_read;
}

/// Interprets OpenSSL's error after a call that did not succeed.
Io Stream::judge(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Io::wait_read;
    case SSL_ERROR_WANT_WRITE:
      return Io::wait_write;
    case SSL_ERROR_ZERO_RETURN:
      return final_ = Io::ended;
    case SSL_ERROR_SYSCALL:
      if (socket_->error == 0) return fail(Errc::unreachable, "connection cut");
      return fail_system(socket_->error, Io::wait_read);
    default:
      break;
  }
  return judge_tls_error();
}

Io Stream::judge_tls_error() {
  const int reason = ERR_GET_REASON(ERR_peek_error());
  const std::string words = openssl_reason();
  const long verdict = SSL_get_verify_result(ssl_.get());
  if (verdict != X509_V_OK) {
    const auto refused = fail(Errc::tls, "certificate refused: " + why_refused(verdict));
    failure_.diagnosis = diagnosis_of_refusal(verdict);
    return refused;
  }
  // After the handshake, a damaged record means a broken connection; an alert is a refusal by the peer, which TLS 1.3
  // may send that late.
  const bool refused = SSL_is_init_finished(ssl_.get()) != 1 || reason >= SSL_AD_REASON_OFFSET;
  return fail(refused ? Errc::tls : Errc::unreachable, words);
}

Io Stream::fail(Errc code, std::string why) {
  failure_ = {code, std::move(why)};
  return final_ = Io::failed;
}

Io Stream::fail_system(int error, Io blocked) {
  if (would_block(error)) return blocked;
  return fail(Errc::unreachable, std::generic_category().message(error));
}

}  // namespace vtmirror::net
