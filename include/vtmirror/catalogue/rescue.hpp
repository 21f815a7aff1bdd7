// A damaged catalogue is moved aside, so that a new one can be made in its place.
// Promises that nothing is deleted or written over, and that a move that was cut is finished. Never touches a file that
// does not look like a catalogue.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <optional>
#include <string>

namespace vtmirror::catalogue {

/// PATH becomes PATH.broken-20261118T080712Z, and its -wal and -shm go with it. Returns the new name. Nobody may have
/// it open. Errors: catalogue, for a file that looks like somebody else's: no SQLite, no name of ours and no -wal; io.
base::Result<std::string> move_aside(const std::string& path, base::Time now);

/// What a move that was cut has left: a -wal or -shm without its database goes aside too. Ok when there is none.
base::Result<void> finish_move_aside(const std::string& path, base::Time now);

/// The newest that lies beside PATH; empty where there is none.
std::optional<std::string> moved_aside(const std::string& path);

}  // namespace vtmirror::catalogue
