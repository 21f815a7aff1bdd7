// Who asked which daemon when none answers: from the command line, the environment and the settings files that exist.
// Decides what `report::advice` says then. Works without readable settings, which may be another user's.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/report/unanswered.hpp"

namespace vtmirror::cli {

/// `error`: of a request that no daemon answered (`client::is_absent`), or of settings that could not be read.
report::Unanswered unanswered(const base::Error& error, const Arguments& arguments,
                              const settings::Environment& environment, bool is_root);

}  // namespace vtmirror::cli
