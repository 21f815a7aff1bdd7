// Certificates made in the process for servers in tests: an authority, and what it issues.
// Never for anything but tests: the keys are not guarded, and nothing is ever revoked.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

namespace vtmirror::test {

struct Certificate {
  std::string certificate;  ///< PEM
  std::string key;          ///< PEM
};

inline constexpr long seconds_of_a_day = long{24} * 3600;

struct CertificateOrder {
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";  ///< as OpenSSL's subjectAltName takes them; empty: none
  long valid_from = -3600;                                  ///< seconds from now
  long valid_until = seconds_of_a_day;
  std::string subject = "server";  ///< the subject's common name
};

namespace openssl {

template <class T, void (*free_function)(T*)>
struct Free {
  void operator()(T* object) const { free_function(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY, EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Free<X509, X509_free>>;

inline std::string pem(const auto& write) {
  const std::unique_ptr<BIO, int (*)(BIO*)> memory(BIO_new(BIO_s_mem()), BIO_free);
  write(memory.get());
  std::string text(std::size_t{64} * 1024, '\0');
  text.resize(static_cast<std::size_t>(BIO_read(memory.get(), text.data(), static_cast<int>(text.size()))));
  return text;
}

inline void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

inline X509Ptr blank(const std::string& name, EVP_PKEY* key, long from, long until) {
  static long serial = 1;
  X509Ptr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), from);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), until);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

inline std::string pem_of(X509* certificate) {
  return pem([certificate](BIO* out) { PEM_write_bio_X509(out, certificate); });
}
inline std::string pem_of(EVP_PKEY* key) {
  return pem([key](BIO* out) { PEM_write_bio_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

}  // namespace openssl

class Authority {
 public:
  Authority()
      : key_(EVP_EC_gen("P-256")),
        root_(openssl::blank("Test Authority", key_.get(), -7 * seconds_of_a_day, 7 * seconds_of_a_day)) {
    X509_set_issuer_name(root_.get(), X509_get_subject_name(root_.get()));
    openssl::extend(root_.get(), root_.get(), NID_basic_constraints, "critical,CA:TRUE");
    openssl::extend(root_.get(), root_.get(), NID_subject_key_identifier, "hash");
    X509_sign(root_.get(), key_.get(), EVP_sha256());
  }

  std::string pem() const { return openssl::pem_of(root_.get()); }

  Certificate issue(const CertificateOrder& order = {}) const {
    const openssl::Key key(EVP_EC_gen("P-256"));
    const auto leaf = openssl::blank(order.subject, key.get(), order.valid_from, order.valid_until);
    X509_set_issuer_name(leaf.get(), X509_get_subject_name(root_.get()));
    openssl::extend(leaf.get(), root_.get(), NID_basic_constraints, "critical,CA:FALSE");
    if (!order.names.empty()) openssl::extend(leaf.get(), root_.get(), NID_subject_alt_name, order.names);
    X509_sign(leaf.get(), key_.get(), EVP_sha256());
    return {openssl::pem_of(leaf.get()), openssl::pem_of(key.get())};
  }

 private:
  openssl::Key key_;
  openssl::X509Ptr root_;
};

}  // namespace vtmirror::test
