// The file beside the catalogue that SQLite maps into every process that has it open.
// Promises that no process dies of SIGBUS where it writes to a page of it that a full disk has no room for.
#pragma once

#include <string>

namespace vtmirror::catalogue {

/// For the whole process, before its first connection; may be called again.
void allocate_shared_memory();

/// The errno for making the file beside that database, for a refusal of SQLite that hides it. ENOENT if nothing hinders
/// it now.
int why_no_shared_memory(const std::string& database);

}  // namespace vtmirror::catalogue
