// Advice for a person about an error, in one sentence, and an error printed as lines.
// Pure.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/problem.hpp"

#include <string>
#include <string_view>

namespace vtmirror::report {

/// Empty if the only remedy is to try again.
std::string_view advice(base::Errc code) noexcept;
/// The same, also by the status's `service_code`, which is more exact: the code of the service or the issuer, or what
/// was found out.
std::string_view advice(base::Errc code, std::string_view service_code) noexcept;

/// The same, by all that is known: the request whose settings may be wrong, the HTTP status, and that the store
/// answered where the subject is a file.
std::string advice(const core::Cause& cause);
/// What helps where there is no room on the disk. Names the reserve only if the file would fit without it.
std::string_view advice_on_space(const core::Cause& cause) noexcept;

/// `remedy` where no daemon runs: without what a running one does by itself.
std::string remedy_by_hand(const core::Problem& problem);

/// What happened and what to do about it, as lines ("vtmirror: the mirror is held by ...").
std::string error_lines(const base::Error& error);

}  // namespace vtmirror::report
