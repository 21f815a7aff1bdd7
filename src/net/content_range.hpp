// Parses the `Content-Range` header strictly. Never guesses.
#pragma once

#include "vtmirror/core/pieces.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace vtmirror::net {

struct ContentRange {
  std::optional<core::Range> range;   ///< "bytes 0-99/1000" is [0, 100); empty for "bytes */1000"
  std::optional<std::int64_t> total;  ///< empty for "bytes 0-99/*"
  friend bool operator==(const ContentRange&, const ContentRange&) = default;
};

/// Empty unless the text is one range of bytes that lies within its total and fits 64 bits.
std::optional<ContentRange> parse_content_range(std::string_view text);

}  // namespace vtmirror::net
