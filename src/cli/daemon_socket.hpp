// Where the daemon's socket is, and what to say and how to end when it does not answer there.
#pragma once

#include "cli/arguments.hpp"
#include "cli/environment.hpp"
#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::cli {

/// --socket, or `control.socket` of the configuration where that can be read, or the default.
std::string socket_of(const Arguments& arguments);

/// No daemon answers, as against one that answers with a refusal.
bool is_absent(const base::Error& error) noexcept;

/// Tells the error of a question to the daemon, and what to do about it.
ExitStatus tell_unanswered(const base::Error& error);

}  // namespace vtmirror::cli
