// What the problems of the client secret and the API key say. Pure; never holds a secret.
#pragma once

#include "vtmirror/core/problem.hpp"

#include <string>

namespace vtmirror::report {

/// Whether the problem knows an expiry date, which has passed.
bool is_past_expiry(const core::Cause& cause);
std::string secret_refused(const core::Cause& cause);
std::string secret_expires(const core::Cause& cause);
std::string secret_expired(const core::Cause& cause);
std::string key_idle(const core::Cause& cause);
/// `last_used`, a field of the cause, is the day on which the key was last accepted.
std::string key_refused(const core::Cause& cause);

std::string remedy_of_secret(const core::Cause& cause);
/// A key that was in use until less than 90 days before it was refused was not revoked for its idleness.
std::string remedy_of_key(const core::Problem& problem);

}  // namespace vtmirror::report
