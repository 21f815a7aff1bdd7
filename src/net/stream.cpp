#include "net/stream.hpp"

#include "net/wire.hpp"

#include <openssl/err.h>
#include <openssl/x509.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace vtmirror::net {

using base::Errc;
using base::Error;

Stream::Stream(int socket) : wire_(std::make_unique<Wire>(socket)) {}

Stream::~Stream() {
  // A word of farewell, not waited for; without it OpenSSL would take the session for a broken one.
  if (ssl_ && final_ != Io::failed && SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

base::Result<void> Stream::secure(SslPtr ssl) {
  BIO* bio = wire_->bio();
  if (bio == nullptr) return Error{Errc::tls, openssl_reason()};
  SSL_set_bio(ssl.get(), bio, bio);
  ssl_ = std::move(ssl);
  return base::Result<void>();
}

void Stream::wipe_behind() {
  if (ssl_) SSL_set_options(ssl_.get(), SSL_OP_CLEANSE_PLAINTEXT);
}

Io Stream::handshake() {
  if (final_ != Io::moved) return final_;
  ERR_clear_error();
  wire_->error = 0;
  const int result = SSL_do_handshake(ssl_.get());
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
  wire_->error = 0;
  while (all.bytes < into.size()) {
    std::size_t got = 0;
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
    const auto got = wire_->take(into.subspan(all.bytes));
    if (got > 0) {
      all.bytes += static_cast<std::size_t>(got);
      continue;
    }
    const Io io = got == 0 ? (final_ = Io::ended) : fail_system(wire_->error, Io::wait_read);
    return {all.bytes > 0 ? Io::moved : io, all.bytes};
  }
  return all;
}

Moved Stream::write(std::span<const std::byte> from) {
  if (final_ != Io::moved) return {final_, 0};
  if (!ssl_) {
    const auto sent = wire_->put(from);
    if (sent < 0) return {fail_system(wire_->error, Io::wait_write), 0};
    return {Io::moved, static_cast<std::size_t>(sent)};
  }
  ERR_clear_error();
  wire_->error = 0;
  std::size_t sent = 0;
  const int result = SSL_write_ex(ssl_.get(), from.data(), from.size(), &sent);
  return {result == 1 ? Io::moved : judge(result), sent};
}

bool Stream::idle() {
  std::byte one{};
  return read(std::span(&one, 1)).io == Io::wait_read;
}

/// What OpenSSL means by anything but success.
Io Stream::judge(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Io::wait_read;
    case SSL_ERROR_WANT_WRITE:
      return Io::wait_write;
    case SSL_ERROR_ZERO_RETURN:
      return final_ = Io::ended;
    case SSL_ERROR_SYSCALL:
      if (wire_->error == 0) return fail(Errc::unreachable, "connection cut");
      return fail_system(wire_->error, Io::wait_read);
    default:
      break;
  }
  return judge_tls_error();
}

Io Stream::judge_tls_error() {
  const int reason = ERR_GET_REASON(ERR_peek_error());
  const std::string words = openssl_reason();
  const long verdict = SSL_get_verify_result(ssl_.get());
  if (verdict != X509_V_OK)
    return fail(Errc::tls, std::string("certificate refused: ") + X509_verify_cert_error_string(verdict));
  // After the handshake a damaged record is a broken line; an alert is the other side's refusal (TLS 1.3 sends some
  // that late).
  const bool refused = SSL_is_init_finished(ssl_.get()) != 1 || reason >= SSL_AD_REASON_OFFSET;
  return fail(refused ? Errc::tls : Errc::unreachable, words);
}

Io Stream::fail(Errc code, std::string why) {
  failure_ = {code, std::move(why)};
  return final_ = Io::failed;
}

Io Stream::fail_system(int error, Io blocked) {
  if (error == EAGAIN || error == EWOULDBLOCK) return blocked;
  return fail(Errc::unreachable, std::generic_category().message(error));
}

}  // namespace vtmirror::net
