// What the mirror has now, by its catalogue and by its disk: what a plan is made from. Changes nothing.
#pragma once

#include "agent/ledger.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/reconcile.hpp"

namespace vtmirror::agent {

/// Without `failed_checks`, which only those know who have read the files. Errors: catalogue, io.
boost::asio::awaitable<base::Result<core::Inventory>> take_inventory(Parts parts, Ledger& ledger);

}  // namespace vtmirror::agent
