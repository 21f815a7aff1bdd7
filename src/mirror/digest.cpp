#include "mirror/digest.hpp"

#include "mirror/failure.hpp"
#include "vtmirror/base/encoding.hpp"

#include <fcntl.h>
#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;

class Sha256 {
 public:
  Sha256() : state_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (!state_ || EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  }
  void add(const void* bytes, std::size_t size) { EVP_DigestUpdate(state_.get(), bytes, size); }

  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    EVP_DigestFinal_ex(state_.get(), digest.data(), &size);
    return base::hex({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> state_;
};

}  // namespace

std::string sha256(std::string_view text) {
  Sha256 digest;
  digest.add(text.data(), text.size());
  return digest.hex();
}

base::Result<std::string> sha256(const base::Descriptor& file, const std::string& name, Tally& tally) {
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  Sha256 digest;
  std::vector<std::byte> block(block_size);
  for (std::int64_t offset = 0;;) {
    const auto got = base::uninterrupted([&] { return ::pread(file.get(), block.data(), block.size(), offset); });
    if (got < 0) return failure(errno, name, "read at " + std::to_string(offset));
    if (got == 0) return digest.hex();
    digest.add(block.data(), static_cast<std::size_t>(got));
    offset += got;
    if (!tally.add(got, got)) return base::Error{.code = base::Errc::cancelled, .detail = name};
  }
}

}  // namespace vtmirror::mirror
