// `vtmirror sync` while a daemon holds the mirror: the daemon runs the cycle or makes the plan, and this shows it.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/core/plan.hpp"
#include "vtmirror/report/status.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"

#include <optional>
#include <string>

namespace vtmirror::cli {

/// Asks the daemon at `control.socket` to start a cycle, or to continue the running one, and follows it to its end.
/// Empty if no daemon of this mirror answers there.
std::optional<ExitStatus> follow_daemon(const Arguments& arguments, const settings::Config& config,
                                        const settings::Environment& environment);

/// What the daemon of the mirror in `directory` does. Empty if it does not answer at `socket`, or is another mirror's.
std::optional<report::Status> status_of_daemon(const std::string& socket, const std::string& directory);

/// The daemon's answer to GET /v1/plan; on stderr, that a cycle runs whose plan it is. Empty if no daemon of this
/// mirror answers at `control.socket`. Errors: those of `client::ask`, protocol.
std::optional<base::Result<core::Plan>> plan_of_daemon(const settings::Config& config);

}  // namespace vtmirror::cli
