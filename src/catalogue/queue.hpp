// Queueing what is to be told, inside the transaction that makes it true.
// Promises that a notice is there for each channel that wants it exactly when that transaction is; nobody else sees it.
#pragma once

#include "catalogue/transaction.hpp"
#include "vtmirror/core/notice.hpp"

#include <vector>

namespace vtmirror::catalogue {

/// Nothing when no channel wants its topic. Gives the notice its id.
void queue(Transaction& write, const core::Notice& notice);
void queue(Transaction& write, const std::vector<core::Notice>& notices);
/// Those that are to be told to nobody any more.
void drop_told_notices(Transaction& write);

}  // namespace vtmirror::catalogue
