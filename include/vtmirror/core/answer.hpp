// Whether the store's answer brings bytes of the wanted object. Its tests have a row for each way in which stores fail.
// Pure. Checks everything in the answer that it can, and never relies on a part that it could compare. Also the error
// that an answer with a failure status means.
#pragma once

#include "vtmirror/base/known_secrets.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/pieces.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::core {

/// The store's answer to a ranged GET, without its body.
struct RangeAnswer {
  int status = 0;
  std::optional<Range> range;          ///< 206: the bytes that follow, from Content-Range
  std::optional<std::int64_t> total;   ///< from Content-Range ("bytes */N" on a 416 too), or the length of a 200
  std::optional<std::int64_t> length;  ///< bytes of body that follow, if known
  std::string etag;                    ///< as sent, with quotes; empty if there is none
  std::string content_type;
  std::optional<std::chrono::seconds> retry_after;
  std::string host{};  ///< of the store that answered, as its link names it
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

/// For answers that bring bytes. An answer without an ETag says nothing about the object but its total.
/// Errors: changed_upstream (another total or ETag), protocol (another range than asked for, a page instead of a file).
base::Result<Content> judge_answer(const RangeAnswer& answer, Range wanted, const Identity& identity);

/// What the answers of one transfer have said of the object whose ETag is known.
struct Witness {
  bool confirmed = false;  ///< one of them carried the ETag
  bool doubted = false;    ///< one of them did not identify the object, with no good one since
};

/// The same over the answers of one transfer, where an answer without the known ETag counts only if it has the total
/// and another answer carried the ETag. Errors: as above; protocol for the first answer that does not count, and
/// changed_upstream for the second in a row.
base::Result<Content> judge_answer(const RangeAnswer& answer, Range wanted, const Identity& identity, Witness& witness);

/// The value for `If-Match`: a strong ETag only, since a weak one never matches (RFC 9110, 13.1.1). Weak ones are only
/// compared in answers.
std::string if_match(const Identity& identity);

// Reads the error bodies of the API, the token issuer and the store, and maps them to an Errc.
// Never repeats what could be a secret, known or not: store bodies quote credentials, and services echo the request.

/// An answer that is not a success, as the adapters received it.
struct FailedAnswer {
  int status = 0;
  std::string_view body{};
  std::optional<std::chrono::seconds> retry_after{};
  const base::KnownSecrets* known = nullptr;  ///< masked in what is quoted
  std::string_view host{};                    ///< of the store that answered; empty if it is not known
};

/// "the store at files.example", or "the store" if its host is not known. Never a link's path or query.
std::string store_at(std::string_view host);

/// API (vtmirror-service(7) 10.3): `{"errorCode","errorMessage","requestId"}`, a gateway's `{"message"}`, HTML or
/// nothing. Codes match by their end. 401, FB-02 and FB-04 are `unauthorised`; UA-01, FB-01 and FB-03 on 403 are
/// `forbidden`; 429, 503, RL-* are `rate_limited`; the rest is `http_status`. The detail reads `HTTP 403 MOTH-FB-03
/// "API key not recognised" (request id 4711)`, and the error's `service_code` is the code's end ("FB-03").
base::Error api_error(const FailedAnswer& answer);

/// Whether the API's answer carries that code, in any case and after any prefix ("FB-03", "PC-01").
bool carries_code(const FailedAnswer& answer, std::string_view family_and_number);

/// Token issuer: `invalid_client` is `forbidden`; 429 and 503 are `rate_limited`; the rest is `http_status`. The detail
/// quotes the issuer, and its code in small letters is the `service_code`.
base::Error token_error(const FailedAnswer& answer);

/// Store: 400, 401, 403, 404, 410 are `link_refused`; 412 and 416 are `changed_upstream`; 429, 503 are `rate_limited`;
/// other 4xx and 5xx are `http_status`. Of an XML body only <Code> and <Message> are quoted.
base::Error store_error(const FailedAnswer& answer);

/// `Retry-After`: seconds, or an HTTP date relative to `now` if that is known; never negative.
std::optional<std::chrono::seconds> retry_after(std::string_view header, std::optional<base::Time> now);

}  // namespace vtmirror::core
