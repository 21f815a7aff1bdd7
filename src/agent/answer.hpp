// Whether the store's answer brings bytes of the object that we want: one row for each way in which stores go wrong.
// Pure; believes nothing that it can compare.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/pieces.hpp"
#include "vtmirror/ports/http.hpp"

#include <cstdint>
#include <string>

namespace vtmirror::agent {

/// Which object a transfer is of: its size by the listing, and the ETag that the store gave first (empty before).
struct Identity {
  std::int64_t size = 0;
  std::string etag;
};

struct Body {
  core::Range range;   ///< the bytes of the file that follow
  bool whole = false;  ///< the store ignored the range: everything from byte 0
};

/// For answers with a status of 200 or 206; others are `core::store_error`'s.
/// Errors: changed_upstream (another total or ETag), protocol (another range than asked for, a page instead of a file).
base::Result<Body> judge_answer(const ports::RangeAnswer& answer, core::Range wanted, const Identity& identity);

/// What `If-Match` may carry: a strong ETag; a weak one never matches (RFC 9110, 13.1.1) and is compared here alone.
std::string if_match(const Identity& identity);

}  // namespace vtmirror::agent
