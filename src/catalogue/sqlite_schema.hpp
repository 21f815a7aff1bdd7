// Identifies a catalogue file and migrates an older one to the program's schema.
// Promises that a file that is not a catalogue, or is newer than the program, is not changed.
#pragma once

#include "catalogue/sqlite_driver.hpp"

namespace vtmirror::catalogue {

/// Refuses a file that is not a catalogue or is newer than the program, and with `access` read_only an older one too.
/// Otherwise migrates it step by step, each step all or nothing, with other processes locked out, and checks it for
/// damage. Errors: catalogue, catalogue_damaged, io.
base::Result<void> bring_up_to_date(SqliteDriver& database, Access access);

}  // namespace vtmirror::catalogue
