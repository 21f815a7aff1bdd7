// Which catalogue a file is, and how an older one becomes the program's.
// Promises that a file that is not ours, or newer than the program, is left as it is.
#pragma once

#include "catalogue/sqlite_driver.hpp"

namespace vtmirror::catalogue {

/// Refuses what is no catalogue or newer than the program. When `access` is read_only, an older one too; otherwise it
/// is migrated, step by step, each step all or nothing, alone among processes; and checked for damage. Errors:
/// catalogue, catalogue_damaged, io.
base::Result<void> bring_up_to_date(SqliteDriver& database, Access access);

}  // namespace vtmirror::catalogue
