// The catalogue's file before SQLite sees it: made with its mode, so that it is never open to everybody for a moment.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::catalogue {

/// Makes an empty file with mode 0640 where there is none; a file that exists is left alone, ":memory:" too. SQLite
/// gives the -wal and -shm files beside it the same mode and owner. Errors: io.
base::Result<void> make_database_file(const std::string& path);

}  // namespace vtmirror::catalogue
