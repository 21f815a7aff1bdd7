// The file beside the catalogue that SQLite maps into every process that has it open.
// Promises that no process dies of SIGBUS because it writes to a page of it for which a full disk has no room.
#pragma once

#include <string>

namespace vtmirror::catalogue {

/// Takes effect for the whole process. Must be called before the first connection, and may be called again.
void allocate_shared_memory();

/// Returns the errno for creating the file beside that database, because SQLite's refusal hides it. ENOENT if nothing
/// prevents its creation now.
int why_no_shared_memory(const std::string& database);

}  // namespace vtmirror::catalogue
