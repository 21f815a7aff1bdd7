// What the mirror holds now, by its catalogue and by its disk: the input of a plan. Changes nothing.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/recovery.hpp"

namespace vtmirror::agent {

/// Leaves out `failed_checks`, which requires reading the files. What lies below a directory that cannot be read counts
/// as the catalogue has it. Errors: catalogue, io.
boost::asio::awaitable<base::Result<core::Inventory>> read_inventory(Ports ports, CatalogueCalls& calls);

/// The same, with the removals that are not finished, and no other findings. Errors: of both.
boost::asio::awaitable<base::Result<core::Findings>> find_leaving(Ports ports, CatalogueCalls& calls);

}  // namespace vtmirror::agent
