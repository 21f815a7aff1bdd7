// Identifies a catalogue file and migrates an older one to the program's schema.
// Promises that a file that is not a catalogue, or is newer than the program, is not changed.
#pragma once

#include "catalogue/sqlite_driver.hpp"

#include <span>
#include <string_view>

namespace vtmirror::catalogue {

/// Refuses a file that is not a catalogue or is newer than the program, and with `access` read_only an older one too.
/// Otherwise migrates it, all or nothing, with other processes locked out, and checks it for damage. Errors: catalogue,
/// catalogue_damaged, io.
base::Result<void> bring_up_to_date(SqliteDriver& database, Access access);

/// The numbered steps from an empty database to the program's schema, in order; never edited once released.
struct Migration {
  std::string_view name;
  std::string_view sql;
};

std::span<const Migration> migrations();

/// The schema version that this program writes.
int schema_version() noexcept;

}  // namespace vtmirror::catalogue
