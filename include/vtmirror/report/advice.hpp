// Advice for a person about an error, in one sentence, and an error printed as lines.
// Pure.
#pragma once

#include "vtmirror/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::report {

/// Empty if the only remedy is to try again.
std::string_view advice(base::Errc code) noexcept;
/// The same, also by the error's detail: the answers of service and issuer are more exact than the code.
std::string_view advice(base::Errc code, std::string_view told) noexcept;

/// The code in an error's text ("v1/a.zip: timed_out: no byte from ...").
std::optional<base::Errc> code_of(std::string_view message) noexcept;

/// What happened and what to do about it, as lines ("vtmirror: the mirror is held by ...").
std::string tell(const base::Error& error);

}  // namespace vtmirror::report
