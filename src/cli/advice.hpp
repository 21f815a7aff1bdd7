// What a person can do about an error, in one sentence, and the exit status that goes with it.
#pragma once

#include "cli/exit_status.hpp"
#include "vtmirror/base/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::cli {

/// Empty where there is nothing to do but to try again.
std::string_view advice(base::Errc code) noexcept;

/// The same by what the error tells: service and issuer say more exactly than its code what is wrong.
std::string_view advice(base::Errc code, std::string_view told) noexcept;

/// The code in a told error ("v1/a.zip: timed_out: no byte from ...").
std::optional<base::Errc> code_of(std::string_view message) noexcept;

ExitStatus exit_status(base::Errc code) noexcept;

/// The disk's error (io) at the start as one of the settings (config): it is no failure of the work but of the place
/// that `key` names, and nothing is better when it is tried again. Any other error stays as it is.
base::Error unusable(const std::string& key, const std::string& place, const base::Error& error);

/// What happened and what to do about it, a line each ("vtmirror: the mirror is held by ...").
std::string tell(const base::Error& error);

/// Tells it on stderr; returns the exit status that goes with it.
ExitStatus fail(const base::Error& error);

}  // namespace vtmirror::cli
