#include "net/tls.hpp"

#include "net/destination.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/core/shortage.hpp"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace vtmirror::net {
namespace {

using base::Errc;
using base::Error;
using base::Result;

/// AES-128 first: as safe for this purpose, and a quarter cheaper for tens of gigabytes.
constexpr const char* tls13_suites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* tls12_suites =
    "ECDHE+AESGCM+AES128:ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:HIGH:!aNULL:!eNULL:!PSK:!SRP:!DSS:!MD5:!kDH:!kECDH";

constexpr std::array<unsigned char, 9> http_1_1{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

bool expect_peer(SSL* ssl, const std::string& host) {
  if (base::is_ip_address(host)) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  std::string name = host;
  if (name.ends_with('.')) name.pop_back();  // certificates hold names without the trailing dot
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  // The expansion of SSL_set_tlsext_host_name, without its C cast.
  return SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1 &&
         SSL_set1_host(ssl, name.c_str()) == 1;
}

/// A certificate without a subjectAltName gets a verdict of its own: it names no host at all, instead of another one.
int note_missing_names(int accepted, X509_STORE_CTX* chain) {
  const int error = X509_STORE_CTX_get_error(chain);
  const X509* certificate = X509_STORE_CTX_get_current_cert(chain);
  const bool mismatch = error == X509_V_ERR_HOSTNAME_MISMATCH || error == X509_V_ERR_IP_ADDRESS_MISMATCH;
  if (accepted != 1 && mismatch && certificate != nullptr &&
      X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1) < 0)
    X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION);
  return accepted;
}

/// That a file cannot be read: `io` if the next try may succeed.
Error unread(int number) {
  return {.code = base::may_pass(number) ? Errc::io : Errc::config,
          .detail = std::generic_category().message(number),
          .diagnosis = core::lack_of_files(number)};
}

/// Errors: config, io (it could not be read now).
Result<std::string> read_whole(const std::string& path) {
  constexpr std::size_t most = std::size_t{64} << 20;
  const base::Descriptor file(base::uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file.valid()) return unread(errno);
  std::string text;
  std::array<char, 65536> block{};
  for (;;) {
    const auto got = base::uninterrupted([&] { return ::read(file.get(), block.data(), block.size()); });
    if (got < 0) return unread(errno);
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > most) return unread(EFBIG);
  }
}

using Trusted = STACK_OF(X509_INFO);
struct FreePem {
  void operator()(BIO* text) const noexcept { BIO_free(text); }
  void operator()(Trusted* found) const noexcept { sk_X509_INFO_pop_free(found, X509_INFO_free); }
};

/// Adds the certificates and revocation lists of a PEM file. OpenSSL would read the file itself, and take one that the
/// disk does not give back for one without certificates. Returns what is wrong with the text, or nothing.
std::string add_trusted(X509_STORE* store, const std::string& pem) {
  const std::unique_ptr<BIO, FreePem> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  const std::unique_ptr<Trusted, FreePem> found(text ? PEM_X509_INFO_read_bio(text.get(), nullptr, nullptr, nullptr)
                                                     : nullptr);
  if (!found) return openssl_reason();
  bool any = false;
  for (int at = 0; at < sk_X509_INFO_num(found.get()); ++at) {
    const X509_INFO* each = sk_X509_INFO_value(found.get(), at);
    if (each->x509 != nullptr && X509_STORE_add_cert(store, each->x509) != 1) return openssl_reason();
    if (each->crl != nullptr && X509_STORE_add_crl(store, each->crl) != 1) return openssl_reason();
    any = any || each->x509 != nullptr || each->crl != nullptr;
  }
  return any ? "" : "no certificate or crl found";
}

/// Errors: config, io; their detail begins with the file.
Result<void> add_file(X509_STORE* store, const std::string& ca_file) {
  const auto pem = read_whole(ca_file);
  if (!pem) {
    auto error = pem.error();
    error.detail = ca_file + ": " + error.detail;
    return error;
  }
  if (const auto wrong = add_trusted(store, *pem); !wrong.empty()) return Error{Errc::config, ca_file + ": " + wrong};
  return {};
}

struct FreeStore {
  void operator()(X509_STORE* store) const noexcept { X509_STORE_free(store); }
};

}  // namespace

base::Diagnosis diagnosis_of_refusal(long verdict) {
  switch (verdict) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
    case X509_V_ERR_APPLICATION_VERIFICATION:
      return base::Diagnosis::other_host;
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return base::Diagnosis::outside_its_time;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return base::Diagnosis::unknown_authority;
    default:
      return base::Diagnosis::none;
  }
}

std::string why_refused(long verdict) {
  if (verdict != X509_V_ERR_APPLICATION_VERIFICATION) return X509_verify_cert_error_string(verdict);
  return "it has no subjectAltName; a name in its subject (CN) alone is not accepted";
}

std::string openssl_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::generic_category().message(ERR_GET_REASON(code));
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "no reason given" : reason;
}

Result<std::shared_ptr<Tls>> Tls::make(const std::string& ca_file) {
  ERR_clear_error();
  std::shared_ptr<Tls> tls(new Tls());
  tls->shared_.reset(SSL_CTX_new(TLS_client_method()));
  if (!tls->shared_) return Error{Errc::tls, "OpenSSL: " + openssl_reason()};
  tls->configure();
  const auto trusted = tls->trust(ca_file);
  if (!trusted) return trusted.error();
  return tls;
}

Result<void> Tls::check(const std::string& ca_file) {
  ERR_clear_error();
  const std::unique_ptr<X509_STORE, FreeStore> store(X509_STORE_new());
  if (!store) return Error{Errc::tls, "OpenSSL: " + openssl_reason()};
  auto added = add_file(store.get(), ca_file);
  ERR_clear_error();
  return added;
}

void Tls::configure() {
  SSL_CTX* shared = shared_.get();
  SSL_CTX_set_min_proto_version(shared, TLS1_2_VERSION);
  SSL_CTX_set_options(shared, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(shared, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_ciphersuites(shared, tls13_suites);
  SSL_CTX_set_cipher_list(shared, tls12_suites);
  SSL_CTX_set_alpn_protos(shared, http_1_1.data(), static_cast<unsigned>(http_1_1.size()));
  SSL_CTX_set_verify(shared, SSL_VERIFY_PEER, &note_missing_names);
  SSL_CTX_set_cert_verify_callback(shared, &Tls::verify, this);
  SSL_CTX_set_session_cache_mode(shared, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(shared, &Tls::remember);
}

Result<void> Tls::trust(const std::string& ca_file) {
  if (!ca_file.empty()) {
    const auto added = add_file(SSL_CTX_get_cert_store(shared_.get()), ca_file);
    if (!added) {
      auto error = added.error();
      error.detail = "ca_file " + error.detail;
      return error;
    }
  }
  SSL_CTX_set_default_verify_dir(shared_.get());
  ERR_clear_error();
  return Result<void>();
}

/// OpenSSL reads only the system's certificates that a chain needs, from their directory. Before a certificate is
/// refused, this reads the file with all of them, which takes as long as ten handshakes, and a megabyte of memory.
int Tls::verify(X509_STORE_CTX* chain, void* self) {
  auto& tls = *static_cast<Tls*>(self);
  if (X509_verify_cert(chain) == 1) return 1;
  if (std::exchange(tls.has_all_, true)) return 0;
  SSL_CTX_set_default_verify_file(tls.shared_.get());
  auto* ssl = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(chain, SSL_get_ex_data_X509_STORE_CTX_idx()));
  SSL_set_retry_verify(ssl);
  return 1;  // accepts nothing: OpenSSL asks again
}

int do_handshake(SSL* ssl) {
  int result = SSL_do_handshake(ssl);
  while (result != 1 && SSL_want_retry_verify(ssl)) {
    ERR_clear_error();
    result = SSL_do_handshake(ssl);
  }
  return result;
}

Result<SslPtr> Tls::client(const std::string& host, std::uint16_t port) {
  SslPtr ssl(SSL_new(shared_.get()));
  if (!ssl || !expect_peer(ssl.get(), host))
    return Error{Errc::tls, base::endpoint_text(host, port) + ": " + openssl_reason()};
  auto& place = *sessions_.try_emplace(base::endpoint_text(host, port)).first;
  SSL_set_app_data(ssl.get(), &place);
  if (place.second) SSL_set_session(ssl.get(), place.second.get());
  SSL_set_connect_state(ssl.get());
  return ssl;
}

int Tls::remember(SSL* ssl, SSL_SESSION* session) {
  auto* place = static_cast<Sessions::value_type*>(SSL_get_app_data(ssl));
  if (place == nullptr || SSL_SESSION_is_resumable(session) != 1) return 0;
  place->second.reset(session);
  return 1;
}

}  // namespace vtmirror::net
