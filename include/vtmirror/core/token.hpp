// The token request's form and its answer (vtmirror-service(7) 2.3, 4.3). Pure. The strings hold secrets and are never
// printed. Also the request for a new client secret, with its answer.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/base/time.hpp"

#include <chrono>
#include <string_view>

namespace vtmirror::core {

struct Token {
  base::Secret text;
  std::chrono::seconds lifetime{};  ///< `expires_in`, counted from the arrival of the answer
};

/// `grant_type=client_credentials&...`, form-encoded.
base::Secret token_form(std::string_view client_id, const base::Secret& client_secret, std::string_view scope);

/// Errors: protocol, if it is not JSON, not a bearer token, or contains characters that a header cannot carry. A
/// missing or implausible `expires_in` counts as the example's 1199 s; more than an hour is cut to one
/// (vtmirror-service(7) 5).
base::Result<Token> parse_token(std::string_view json);

/// How long a token may be used: not in its last minute or, if it is short-lived, in the last tenth of its life.
base::Milliseconds token_usable_for(std::chrono::seconds lifetime);

// The body of a request to /credentials and its answer (vtmirror-service(7) 4.4). Pure. The strings hold secrets and
// are never printed.

/// {"KEY_PROPERTY": API_KEY, "email": EMAIL}
base::Secret credentials_body(std::string_view key_property, const base::Secret& api_key, std::string_view email);

/// Errors: protocol, if it is not a JSON object (checked by `content_type` too; a missing one counts as JSON), or has
/// no valid `clientSecret`: a string of 1 to 4096 printable ASCII characters.
base::Result<base::Secret> parse_new_secret(std::string_view content_type, std::string_view json);

/// What is wrong with a string that should be a secret; empty if it is valid.
std::string_view secret_fault(std::string_view text);

}  // namespace vtmirror::core
