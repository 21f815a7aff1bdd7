// How problems that began, got worse or are over are reported: to the journal, and as notices for the channels.
// Only words: what counts as a change is decided in core, and when it is reported in health.
#pragma once

#include "vtmirror/core/health.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/ports/journal.hpp"

#include <vector>

namespace vtmirror::agent {

/// The changes without those that are reported in another way.
core::ProblemChanges announced(core::ProblemChanges changes);

void tell(ports::Journal& journal, const core::ProblemChanges& changes);

std::vector<core::Notice> notices_of(const core::ProblemChanges& changes, base::Time now);

}  // namespace vtmirror::agent
