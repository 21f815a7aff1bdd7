// `vtmirror verify` while a daemon holds the mirror: the daemon reads the files, and this shows it.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/core/verification.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::cli {

/// Asks the daemon at `control.socket` for a verification and follows it to its end; with --repair also for a cycle if
/// one can help, and for a verification of what was wrong after it. Empty if no daemon of this mirror answers there.
std::optional<ExitStatus> follow_verification(const Arguments& arguments, const settings::Config& config,
                                              const settings::Environment& environment);

/// What is asked for: these files, at the rate of the arguments.
core::VerificationRequest verification_request(const Arguments& arguments, std::vector<std::string> names);

/// The last lines for people: what was found, and what it means for the chain to load.
void say_verification(const std::string& summary, const std::string& chain);

}  // namespace vtmirror::cli
