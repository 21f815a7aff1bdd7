// Steps that several roles take inside their own transactions.
// Promises that a notice is queued for each channel that wants it exactly when the transaction that makes it true is
// committed; nobody else sees it.
#pragma once

#include "catalogue/transaction.hpp"
#include "vtmirror/core/notice.hpp"

#include <string>
#include <vector>

namespace vtmirror::catalogue {

/// Nothing when no channel wants its topic. Gives the notice its id.
void queue(Transaction& write, const core::Notice& notice);
void queue(Transaction& write, const std::vector<core::Notice>& notices);
/// Those that are to be told to nobody any more.
void drop_told_notices(Transaction& write);

/// Drops the partial of that name with its durable ranges; nothing when there is none.
void drop_partial(Transaction& write, const std::string& name);

}  // namespace vtmirror::catalogue
