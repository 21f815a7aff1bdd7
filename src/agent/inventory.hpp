// What the mirror holds now, according to its catalogue and its disk: the input of a plan. Changes nothing.
#pragma once

#include "agent/ledger.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/reconcile.hpp"

namespace vtmirror::agent {

/// Leaves out `failed_checks`, which requires reading the files. Errors: catalogue, io.
boost::asio::awaitable<base::Result<core::Inventory>> take_inventory(Parts parts, Ledger& ledger);

}  // namespace vtmirror::agent
