// How problems that began, got worse or are over are reported: to the journal, and as notices for the channels.
// Only words: what counts as a change is decided in core, and when it is reported in health.
#pragma once

#include "vtmirror/core/health.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/sentence.hpp"

#include <string>
#include <vector>

namespace vtmirror::agent {

/// The changes without those that are reported in another way.
core::ProblemChanges announced(core::ProblemChanges changes);

/// A problem whose cause the cycle's last line has said is reported by what to do alone.
void log(ports::Journal& journal, const core::ProblemChanges& changes, const report::NextTry& next);

std::vector<core::Notice> notices_of(const core::ProblemChanges& changes, base::Time now, const report::NextTry& next);

/// Names the file that came in the cause of each problem that it ended: it is held, or a late one is listed at least.
void note_published(std::vector<core::Problem>& over, const std::vector<core::Listed>& listed,
                    const std::vector<core::Listed>& held);

/// Marks a failed cycle among `over` that ended only because the newest cycle failed as a whole in another way.
void note_replaced(std::vector<core::Problem>& over, const core::HealthFacts& facts);

}  // namespace vtmirror::agent
