// Moves a damaged catalogue aside, so that a new one can be created in its place.
// Promises that nothing is deleted or overwritten, and that an interrupted move can be finished. Never touches a file
// that does not look like a catalogue.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <optional>
#include <string>

namespace vtmirror::catalogue {

/// PATH becomes PATH.broken-20261118T080712Z, and its -wal and -shm move with it. Returns the new name. No process may
/// have it open. Errors: catalogue, for a file that does not look like a catalogue (not SQLite, no .db name and no
/// -wal); io.
base::Result<std::string> move_aside(const std::string& path, base::Time now);

/// Whether `move_aside` would accept the file. Changes nothing. Errors: as above.
base::Result<void> may_move_aside(const std::string& path);

/// Finishes an interrupted move: a -wal or -shm without its database is moved aside too. Ok if there is none.
base::Result<void> finish_move_aside(const std::string& path, base::Time now);

/// The newest catalogue that was moved aside beside PATH; empty if there is none.
std::optional<std::string> moved_aside(const std::string& path);

}  // namespace vtmirror::catalogue
