// Asks the store whether it still has the bytes that are held, by one byte of each file: a file that was republished
// with the same size and date cannot be recognised in any other way. Promises at most one request a file and day. Never
// fails a cycle.
#pragma once

#include "agent/transfer.hpp"
#include "vtmirror/core/listing.hpp"

namespace vtmirror::agent {

/// Asks for each listed file that is held as it is listed, and marks those that the store has replaced: the next plan
/// downloads them again. First those that were not asked for the longest. Ends at the second request that fails: the
/// first may be one file's, but a store that fails would delay the downloads. A later cycle asks for the others, also
/// if the same files fail each day.
boost::asio::awaitable<void> probe_store(CycleResources resources, const core::Listing& listing);

}  // namespace vtmirror::agent
