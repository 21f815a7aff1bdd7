// Advice for a person about an error, in one sentence, and an error printed as lines.
// Pure.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::report {

/// Empty if the only remedy is to try again.
std::string_view advice(base::Errc code) noexcept;
/// The same, also by the code of the service or the issuer, which is more exact.
std::string_view advice(base::Errc code, std::string_view service_code) noexcept;

/// What happened and what to do about it, as lines ("vtmirror: the mirror is held by ...").
std::string tell(const base::Error& error);

}  // namespace vtmirror::report
