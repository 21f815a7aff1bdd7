// What all TLS connections share: one OpenSSL context with the trusted certificates, and the sessions to resume.
// Promises at least TLS 1.2, and that a handshake succeeds only with a trusted certificate for the host (name or
// address), which its subjectAltName names: a name in the subject alone does not count.
#pragma once

#include "vtmirror/base/result.hpp"

#include <openssl/ssl.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace vtmirror::net {

struct FreeSsl {
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  void operator()(SSL_CTX* shared) const noexcept { SSL_CTX_free(shared); }
  void operator()(SSL_SESSION* session) const noexcept { SSL_SESSION_free(session); }
};
using SslPtr = std::unique_ptr<SSL, FreeSsl>;

class Tls {
 public:
  /// Trusts the system's certificates, and those in `ca_file` unless it is empty. Errors: config, tls,
  /// io (the machine could not read it now).
  static base::Result<std::shared_ptr<Tls>> make(const std::string& ca_file);

  /// Whether `make` could use that file. Errors: config, io; their detail begins with the file.
  static base::Result<void> check(const std::string& ca_file);

  /// A client for a connection to `host`, which resumes an earlier session if there is one. Must not outlive this.
  base::Result<SslPtr> client(const std::string& host, std::uint16_t port);

 private:
  Tls() = default;
  void configure();
  base::Result<void> trust(const std::string& ca_file);
  static int verify(X509_STORE_CTX* chain, void* self);
  static int remember(SSL* ssl, SSL_SESSION* session);

  using Sessions = std::map<std::string, std::unique_ptr<SSL_SESSION, FreeSsl>>;
  Sessions sessions_;  // the newest for each "host:port"; its address is the clients' key
  std::unique_ptr<SSL_CTX, FreeSsl> shared_;
  bool has_all_ = false;  ///< all of the system's certificates were read
};

/// Like SSL_do_handshake(), which may end in the middle because further certificates were read.
int do_handshake(SSL* ssl);

/// What is wrong with the certificate that a handshake refused with that verdict of `SSL_get_verify_result`.
std::string why_refused(long verdict);
/// The same as a diagnosis; `none` if there is none for it.
base::Diagnosis diagnosis_of_refusal(long verdict);

/// The text of the oldest error in OpenSSL's queue. Empties the queue.
std::string openssl_reason();

}  // namespace vtmirror::net
