// What a process does with the mirror before anything else: a lost catalogue is rebuilt, and what the process before
// left is repaired. Promises to leave the mirror's texts as they are if they contain more than a rebuilt catalogue
// knows. Never uses the network.
#pragma once

#include "agent/recovery.hpp"

#include <atomic>
#include <optional>

namespace vtmirror::agent {

/// `policy`: as of `Recovery::run`. `stopping` is read on the pool's threads. Errors: those of a rebuild, and of what
/// concerns more than one file.
boost::asio::awaitable<base::Result<void>> start(Ports ports, CatalogueCalls& calls, Recovery& recovery,
                                                 ports::CheckRules check, std::optional<core::Policy> policy,
                                                 const std::atomic<bool>& stopping);

}  // namespace vtmirror::agent
