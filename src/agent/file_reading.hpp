// Reads one held file again and compares it with what was published.
// Promises that a file counts as damaged or lost only when the mirror itself can be read, that the manifest follows
// what was found, and that nothing of a damaged file is kept for consumers. Decides nothing about a repair.
#pragma once

#include "agent/file_check.hpp"
#include "agent/publisher.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/core/verification.hpp"

namespace vtmirror::agent {

/// As `Agent::read_again`. `rules`: those of a download; a file without a digest is checked by its ZIP in any case.
boost::asio::awaitable<base::Result<core::Finding>> read_again(CheckResources resources, Publisher& publisher,
                                                               ports::CheckRules rules, core::FileRecord file,
                                                               Reading& reading);

/// What is found of a file that is gone, because of what is in its place if something is, or that has another size than
/// was published. Blocks.
core::Finding finding_of(const core::Loss& loss, ports::Shelf& shelf, bool listed);

}  // namespace vtmirror::agent
