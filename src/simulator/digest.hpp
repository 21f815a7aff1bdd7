// Digests, signatures and random bytes, as lower-case hexadecimal text.
#pragma once

#include "simulator/archive.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace vtmirror::simulator {

std::string sha256(std::string_view text);
std::string sha256(const Archive& archive);
std::string hmac_sha256(std::string_view key, std::string_view text);
/// `bytes` random bytes, as twice as many digits.
std::string random_hex(std::size_t bytes);
/// Compares in constant time.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace vtmirror::simulator
