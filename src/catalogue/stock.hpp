// What several steps of the catalogue read of the files, inside their own transactions.
#pragma once

#include "catalogue/transaction.hpp"
#include "vtmirror/core/files.hpp"

#include <vector>

namespace vtmirror::catalogue {

/// Published now, by kind and date.
std::vector<core::FileRecord> read_files(Transaction& read);
/// Session and generation at this moment; without a session until one is made.
core::Edition read_edition(Transaction& read);
/// What was listed so far, with what is held at this moment.
core::Calendar read_calendar(Transaction& read);
/// What was listed of that file, instead of what was known.
void keep_listed(Transaction& write, const core::ListedFile& file);
/// Records the standing of each file by what is held at this moment. Call it before a version is removed, and after one
/// was published.
void settle_standing(Transaction& write);

}  // namespace vtmirror::catalogue
