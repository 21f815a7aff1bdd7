// Whether the store's answer brings bytes of the wanted object. Its tests have a row for each way in which stores fail.
// Pure. Relies on nothing that it can compare.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/pieces.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace vtmirror::core {

/// The store's answer to a ranged GET, without its body.
struct RangeAnswer {
  int status = 0;
  std::optional<Range> range;          ///< 206: the bytes that follow, from Content-Range
  std::optional<std::int64_t> total;   ///< from Content-Range ("bytes */N" on a 416 too), or the length of a 200
  std::optional<std::int64_t> length;  ///< bytes of body that follow, where known
  std::string etag;                    ///< as sent, with quotes; empty if there is none
  std::string content_type;
  std::optional<std::chrono::seconds> retry_after;
};

/// Whether the status promises bytes of the file. `store_error` handles every other answer.
inline bool brings_bytes(const RangeAnswer& answer) { return answer.status == 200 || answer.status == 206; }

/// Identifies the object of a transfer: its listed size, and the first ETag that the store sent (empty before that).
struct Identity {
  std::int64_t size = 0;
  std::string etag{};
  friend bool operator==(const Identity&, const Identity&) = default;
};

/// What an answer's body contains.
struct Content {
  Range range;         ///< the bytes of the file that follow
  bool whole = false;  ///< the store ignored the range: everything from byte 0
};

/// For answers that bring bytes.
/// Errors: changed_upstream (another total or ETag), protocol (another range than asked for, a page instead of a file).
base::Result<Content> judge_answer(const RangeAnswer& answer, Range wanted, const Identity& identity);

/// The value for `If-Match`: a strong ETag only, since a weak one never matches (RFC 9110, 13.1.1). Weak ones are only
/// compared in answers.
std::string if_match(const Identity& identity);

}  // namespace vtmirror::core
