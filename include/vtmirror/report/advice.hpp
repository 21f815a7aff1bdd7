// What a person can do about an error, in one sentence, and an error as lines for people.
// Pure.
#pragma once

#include "vtmirror/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::report {

/// Empty where there is nothing to do but to try again.
std::string_view advice(base::Errc code) noexcept;
/// The same by what the error tells: service and issuer say more exactly than its code what is wrong.
std::string_view advice(base::Errc code, std::string_view told) noexcept;

/// The code in a told error ("v1/a.zip: timed_out: no byte from ...").
std::optional<base::Errc> code_of(std::string_view message) noexcept;

/// What happened and what to do about it, a line each ("vtmirror: the mirror is held by ...").
std::string tell(const base::Error& error);

}  // namespace vtmirror::report
