// The token request's form and its answer (vtmirror-service(7) 2.3, 4.3). Pure. The strings hold secrets and are never
// printed.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"

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

}  // namespace vtmirror::core
