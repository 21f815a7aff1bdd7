// What several steps of the catalogue read of the files, inside their own transactions.
#pragma once

#include "catalogue/transaction.hpp"
#include "vtmirror/core/files.hpp"

#include <vector>

namespace vtmirror::catalogue {

/// Published now, by kind and date.
std::vector<core::FileRecord> read_files(Transaction& read);
/// What was listed so far, with what is held at this moment.
core::Calendar read_calendar(Transaction& read);
/// Keeps how each file stands with what is held at this moment: before a version goes, and after one came.
void settle_standing(Transaction& write);

}  // namespace vtmirror::catalogue
