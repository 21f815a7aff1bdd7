#include "mirror/sha256.hpp"

#include "vtmirror/base/encoding.hpp"

#include <openssl/evp.h>

#include <new>

namespace vtmirror::mirror {

void Sha256::Free::operator()(evp_md_ctx_st* state) const { EVP_MD_CTX_free(state); }

Sha256::Sha256() : state_(EVP_MD_CTX_new()) {
  if (!state_ || EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
}

void Sha256::add(std::span<const std::byte> bytes) { EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()); }

Sha256::Digest Sha256::digest() {
  Digest digest{};
  EVP_DigestFinal_ex(state_.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

std::string hex(const Sha256::Digest& digest) {
  return base::hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

std::string sha256(std::string_view text) {
  Sha256 digest;
  digest.add(std::as_bytes(std::span(text.data(), text.size())));
  return hex(digest.digest());
}

}  // namespace vtmirror::mirror
