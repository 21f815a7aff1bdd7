// The body of a request to /credentials and its answer (vtmirror-service(7) 4.4). Pure. The strings hold secrets and
// are never printed.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"

#include <string_view>

namespace vtmirror::core {

/// {"KEY_PROPERTY": API_KEY, "email": EMAIL}
base::Secret credentials_body(std::string_view key_property, const base::Secret& api_key, std::string_view email);

/// Errors: protocol, if it is not a JSON object (checked by `content_type` too; a missing one counts as JSON), or has
/// no valid `clientSecret`: a string of 1 to 4096 printable ASCII characters.
base::Result<base::Secret> parse_new_secret(std::string_view content_type, std::string_view json);

/// What is wrong with a string that should be a secret; empty if it is valid.
std::string_view secret_fault(std::string_view text);

}  // namespace vtmirror::core
