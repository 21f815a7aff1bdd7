// What a person can do about an error, in one sentence, and an error as lines for people.
// Pure.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::report {

/// Empty where there is nothing to do but to try again.
std::string_view advice(base::Errc code) noexcept;
/// The same where the service or the issuer has a code for it, which says more exactly what is wrong.
std::string_view advice(base::Errc code, std::string_view service_code) noexcept;

/// What happened and what to do about it, a line each ("vtmirror: the mirror is held by ...").
std::string tell(const base::Error& error);

}  // namespace vtmirror::report
