// Removes what is kept only for a while: superseded bytes and links after a day, quarantined files after they left the
// listing. Never removes anything that a listing or the manifest names.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/agent/agent.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace vtmirror::agent {

/// `quarantine`: how long a quarantined file is kept after it left the listing. What could not be removed is tried
/// again by the next call. Errors: io, no_space, catalogue.
boost::asio::awaitable<base::Result<void>> clean_up(Ports ports, CatalogueCalls& calls,
                                                    std::chrono::seconds quarantine);

/// The quarantined files that are no longer kept. One that is being downloaded once more stays. Errors: catalogue.
base::Result<std::vector<core::QuarantinedFile>> expired_quarantine(const catalogue::Catalogue& c,
                                                                    base::Milliseconds kept_for, base::Time now);
/// Removes one of them, with its record. Errors: io, catalogue.
boost::asio::awaitable<base::Result<void>> drop_quarantined(Ports ports, CatalogueCalls& calls, std::string name);

}  // namespace vtmirror::agent
