// Reads the error bodies of the API, the token issuer and the store, and maps them to an Errc.
// Never repeats what could be a secret: store bodies quote credentials.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace vtmirror::core {

/// An answer that is not a success, as the adapters received it.
struct FailedAnswer {
  int status = 0;
  std::string_view body{};
  std::optional<std::chrono::seconds> retry_after{};
};

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
