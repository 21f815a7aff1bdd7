// Steps that several roles perform inside their own transactions.
// Promises that a notice is queued for each subscribed channel exactly when the transaction of its event is committed,
// and is not visible before.
#pragma once

#include "catalogue/transaction.hpp"
#include "vtmirror/core/notice.hpp"

#include <string>
#include <vector>

namespace vtmirror::catalogue {

/// Does nothing if no channel subscribes to its topic. Assigns the notice its id.
void queue(Transaction& write, const core::Notice& notice);
void queue(Transaction& write, const std::vector<core::Notice>& notices);
/// Removes the notices that no channel waits for any more.
void drop_told_notices(Transaction& write);

/// Drops the partial of that name with its durable ranges; does nothing if there is none.
void drop_partial(Transaction& write, const std::string& name);

}  // namespace vtmirror::catalogue
