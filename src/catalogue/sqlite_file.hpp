// Creates the catalogue's file before SQLite opens it, so that it is never readable by everybody, even for a moment.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::catalogue {

/// Creates an empty file with mode 0640 if there is none. An existing file is not changed, and neither is ":memory:".
/// SQLite gives the -wal and -shm files beside it the same mode and owner. Errors: io.
base::Result<void> make_database_file(const std::string& path);

}  // namespace vtmirror::catalogue
