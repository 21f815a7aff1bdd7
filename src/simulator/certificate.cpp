#include "simulator/certificate.hpp"

#include "simulator/write_config.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <memory>
#include <new>

namespace vtmirror::simulator {
namespace {

struct Free {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const noexcept { X509_EXTENSION_free(extension); }
  void operator()(BIO* bio) const noexcept { BIO_free_all(bio); }
  void operator()(BIGNUM* number) const noexcept { BN_free(number); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

constexpr long day_s = 86'400;
constexpr long days_valid = 30;

template <class T>
Owned<T> own(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return Owned<T>(made);
}

void set_serial(X509* certificate) {
  const Owned<BIGNUM> number = own(BN_new());
  BN_rand(number.get(), 120, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY);
  BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate));
}

void set_name(X509_NAME* name, const char* text) {
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(text), -1, -1, 0);
}

void add_extension(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX about{};
  X509V3_set_ctx_nodb(&about);
  X509V3_set_ctx(&about, issuer, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension = own(X509V3_EXT_conf_nid(nullptr, &about, kind, value));
  X509_add_ext(certificate, extension.get(), -1);
}

// A certificate without extensions and signature; `issuer` is null for a self-signed one.
Owned<X509> draft(EVP_PKEY* key, const char* name, X509* issuer) {
  Owned<X509> certificate = own(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  set_serial(certificate.get());
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -day_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), days_valid * day_s);
  set_name(X509_get_subject_name(certificate.get()), name);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer != nullptr ? issuer : certificate.get()));
  X509_set_pubkey(certificate.get(), key);
  return certificate;
}

Owned<X509> make_authority(EVP_PKEY* key) {
  Owned<X509> authority = draft(key, "vtmirror simulator authority", nullptr);
  X509* self = authority.get();
  add_extension(self, self, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(self, self, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(self, self, NID_subject_key_identifier, "hash");
  X509_sign(self, key, EVP_sha256());
  return authority;
}

Owned<X509> make_server(EVP_PKEY* key, X509* authority, EVP_PKEY* authority_key) {
  Owned<X509> server = draft(key, "localhost", authority);
  add_extension(server.get(), authority, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(server.get(), authority, NID_key_usage, "critical,digitalSignature");
  add_extension(server.get(), authority, NID_ext_key_usage, "serverAuth");
  add_extension(server.get(), authority, NID_subject_key_identifier, "hash");
  add_extension(server.get(), authority, NID_authority_key_identifier, "keyid:always");
  add_extension(server.get(), authority, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
  X509_sign(server.get(), authority_key, EVP_sha256());
  return server;
}

std::string text_of(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return std::string(bytes, static_cast<std::size_t>(size));
}

std::string pem(X509* certificate) {
  const Owned<BIO> bio = own(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return text_of(bio.get());
}

std::string pem(EVP_PKEY* key) {
  const Owned<BIO> bio = own(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio.get());
}

}  // namespace

base::Result<void> make_certificates(const std::string& directory) {
  const Owned<EVP_PKEY> authority_key = own(EVP_EC_gen("P-256"));
  const Owned<EVP_PKEY> server_key = own(EVP_EC_gen("P-256"));
  const Owned<X509> authority = make_authority(authority_key.get());
  const Owned<X509> server = make_server(server_key.get(), authority.get(), authority_key.get());
  if (X509_verify(server.get(), authority_key.get()) != 1)
    return base::Error{base::Errc::tls, "certificate not signed"};
  if (const auto written = write_file(directory + "/ca.pem", pem(authority.get())); !written) return written.error();
  if (const auto written = write_file(directory + "/server.pem", pem(server.get())); !written) return written.error();
  return write_file(directory + "/server.key", pem(server_key.get()), true);
}

}  // namespace vtmirror::simulator
