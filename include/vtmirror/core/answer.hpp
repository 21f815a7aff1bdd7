// Whether the store's answer brings bytes of the object that we want: one row for each way in which stores go wrong.
// Pure; believes nothing that it can compare.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/pieces.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace vtmirror::core {

/// What the store answered to a ranged GET, before its body.
struct RangeAnswer {
  int status = 0;
  std::optional<Range> range;          ///< 206: the bytes that follow, from Content-Range
  std::optional<std::int64_t> total;   ///< from Content-Range ("bytes */N" on a 416 too), or the length of a 200
  std::optional<std::int64_t> length;  ///< bytes of body that follow, where known
  std::string etag;                    ///< as sent, with quotes; empty where there is none
  std::string content_type;
  std::optional<std::chrono::seconds> retry_after;
};

/// Whether the status promises bytes of the file. Any other answer is `store_error`'s.
inline bool brings_bytes(const RangeAnswer& answer) { return answer.status == 200 || answer.status == 206; }

/// Which object a transfer is of: its size by the listing, and the ETag that the store gave first (empty before).
struct Identity {
  std::int64_t size = 0;
  std::string etag{};
  friend bool operator==(const Identity&, const Identity&) = default;
};

/// What an answer's body holds.
struct Content {
  Range range;         ///< the bytes of the file that follow
  bool whole = false;  ///< the store ignored the range: everything from byte 0
};

/// For answers that bring bytes.
/// Errors: changed_upstream (another total or ETag), protocol (another range than asked for, a page instead of a file).
base::Result<Content> judge_answer(const RangeAnswer& answer, Range wanted, const Identity& identity);

/// What `If-Match` may carry: a strong ETag; a weak one never matches (RFC 9110, 13.1.1) and is compared here alone.
std::string if_match(const Identity& identity);

}  // namespace vtmirror::core
