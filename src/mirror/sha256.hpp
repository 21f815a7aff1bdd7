// SHA-256 of bytes that come in pieces, or of a string.
// Never reads a file.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace vtmirror::mirror {

class Sha256 {
 public:
  using Digest = std::array<std::byte, 32>;

  Sha256();
  void add(std::span<const std::byte> bytes);
  /// The digest of all that was added. To be called once, at the end.
  Digest digest();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* state) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> state_;
};

/// Lower-case hex.
std::string hex(const Sha256::Digest& digest);
std::string sha256(std::string_view text);

}  // namespace vtmirror::mirror
