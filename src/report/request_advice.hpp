// What to do about a request that failed, by the settings that it was made of, and about a refused secret or key.
// Pure.
#pragma once

#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/request.hpp"
#include "vtmirror/report/advice.hpp"

#include <string>
#include <string_view>

namespace vtmirror::report {

/// By the code of the service or the issuer (RFC 6749, 5.2); empty if it is not known.
std::string_view advice_on_code(std::string_view service_code) noexcept;
/// By what was found out; empty if that depends on the request, or if there is none.
std::string_view advice_on_diagnosis(base::Diagnosis diagnosis) noexcept;
/// By either of a cause, what was found out first: it is more exact.
std::string_view advice_on_answer(const core::Cause& cause) noexcept;

/// By everything that is known of the failed request.
std::string advice_on_request(const core::Cause& cause, core::ServiceRequest request, Again again);

/// For a secret that was refused without saying why.
inline constexpr std::string_view doubtful_secret =
    "check credentials.client_id, and that the secret is its value and not its ID, then run `vtmirror secret set`; if "
    "both are right, the secret has expired or was withdrawn: ask the service's support for a new one";
/// For a key that never worked.
inline constexpr std::string_view doubtful_key =
    "check that the file of the API key (credentials.api_key_file) holds the whole key as it was issued; if it does, "
    "ask the service's support";
/// For a key that has worked since, which the service does not revoke for its idleness.
inline constexpr std::string_view advice_on_withdrawn_key =
    "the API key was probably revoked or replaced: store the new key in the file of the API key "
    "(credentials.api_key_file), or ask the service's support for one";
/// For a key that has worked, and was not used for as long as the service allows.
inline constexpr std::string_view advice_on_revoked_key =
    "the service revokes a key that is not used for 90 days: ask its support for a new API key, and store it in the "
    "file of the API key (credentials.api_key_file)";

}  // namespace vtmirror::report
