// The head of an HTTP/1.1 answer and its parser, which is Beast's and works on buffers, never on a socket.
// Promises `protocol` for every answer that is ambiguous or too large: lengths that differ, overflow or appear twice,
// heads over 32 KiB.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/pieces.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vtmirror::net {

/// Parses the `Content-Range` header strictly. Never guesses.
struct ContentRange {
  std::optional<core::Range> range;   ///< "bytes 0-99/1000" is [0, 100); empty for "bytes */1000"
  std::optional<std::int64_t> total;  ///< empty for "bytes 0-99/*"
  friend bool operator==(const ContentRange&, const ContentRange&) = default;
};

/// Empty unless the text is one range of bytes that lies within its total and fits 64 bits.
std::optional<ContentRange> parse_content_range(std::string_view text);

enum class BodyKind { none, sized, chunked, until_end };

struct Head {
  int status = 0;
  bool keep_alive = false;
  BodyKind body = BodyKind::none;
  std::int64_t length = 0;  ///< of a `sized` body
  std::string content_range;
  std::string content_type;
  std::string etag;
  std::string location;
  std::optional<base::Time> date;
  std::optional<std::chrono::seconds> retry_after;

  bool redirects() const {
    return !location.empty() && (status == 301 || status == 302 || status == 303 || status == 307 || status == 308);
  }
};

constexpr std::size_t head_limit = std::size_t{32} << 10;

class AnswerParser {
 public:
  AnswerParser();
  ~AnswerParser();

  /// Consumes bytes of the head only; returns 0 if it needs a longer piece that starts with the same bytes. Errors:
  /// protocol.
  base::Result<std::size_t> put_head(std::span<const std::byte> bytes);
  bool head_done() const;
  /// Errors: protocol.
  base::Result<Head> head() const;

  struct Step {
    std::size_t consumed = 0;
    std::size_t produced = 0;
    bool done = false;
  };
  /// Decodes a chunked body. If nothing was consumed and nothing produced, it needs more bytes. Errors: protocol.
  base::Result<Step> put_chunked(std::span<const std::byte> bytes, std::span<std::byte> into);

 private:
  struct Beast;
  std::unique_ptr<Beast> beast_;
};

}  // namespace vtmirror::net
