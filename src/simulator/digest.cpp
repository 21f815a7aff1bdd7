#include "simulator/digest.hpp"

#include "vtmirror/base/encoding.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

namespace vtmirror::simulator {
namespace {

class Sha256 {
 public:
  Sha256() : state_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!state_ || EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()); }
  std::string finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(state_.get(), digest.data(), &size);
    return base::hex({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state_;
};

}  // namespace

std::string sha256(std::string_view text) {
  Sha256 digest;
  digest.add(text);
  return digest.finish();
}

std::string sha256(const Archive& archive) {
  Sha256 digest;
  std::string buffer(262'144, '\0');
  for (std::uint64_t at = 0; at < archive.size();) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), archive.size() - at));
    archive.read(at, {buffer.data(), count});
    digest.add({buffer.data(), count});
    at += count;
  }
  return digest.finish();
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), reinterpret_cast<const unsigned char*>(text.data()),
       text.size(), digest.data(), &size);
  return base::hex({reinterpret_cast<const char*>(digest.data()), size});
}

std::string random_hex(std::size_t bytes) {
  std::string buffer(bytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(buffer.data()), static_cast<int>(bytes)) != 1) throw std::bad_alloc();
  return base::hex(buffer);
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace vtmirror::simulator
