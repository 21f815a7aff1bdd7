// Moves a damaged catalogue aside, so that a new one can be created in its place, and adds to the new one what can
// still be read of the damaged one.
// Promises that nothing is deleted or overwritten, and that an interrupted move can be finished. Never touches a file
// that does not look like a catalogue.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::catalogue {

/// The files of a catalogue at that path, whether they exist or not: its own, and those that its engine keeps beside
/// it.
std::vector<std::string> files_of(const std::string& path);

/// PATH becomes PATH.broken-20261118T080712Z, and the files beside it move with it. Returns the new name. No process
/// may have it open. Errors: catalogue, for a file that does not look like a catalogue (no .db name, and the engine has
/// not made it); io; no_space.
base::Result<std::string> move_aside(const std::string& path, base::Time now);

/// Whether `move_aside` would accept the file. Changes nothing. Errors: as above.
base::Result<void> may_move_aside(const std::string& path);

/// Finishes an interrupted move: a file beside a database that is gone is moved aside too. Ok if there is none.
base::Result<void> finish_move_aside(const std::string& path, base::Time now);

/// The newest catalogue that was moved aside beside PATH; empty if there is none.
std::optional<std::string> moved_aside(const std::string& path);

/// What a new catalogue got from a damaged one.
struct Salvaged {
  std::int64_t cycles = 0;   ///< of the history
  std::int64_t notices = 0;  ///< that were not delivered yet
};

/// How much of the catalogue that was moved aside is still true.
enum class Era {
  present,  ///< it was the mirror's until now
  past,     ///< it is older than the mirror: its notices were delivered and its problems are over since
};

/// Adds to the new catalogue at `path` what can be read of a damaged one, table by table and row by row: the history
/// and what is known of the credentials, and of the present also the problems, the channels and above all every notice
/// that was not delivered. What cannot be read is left out, and `damaged` is not changed; PATH.salvaged names the
/// damaged one. All or nothing, and once: empty if it was done already, or if files were ever public in the new one.
/// Errors: those of writing to the new one.
base::Result<std::optional<Salvaged>> salvage(const std::string& path, const std::string& damaged, Era era,
                                              base::Time now);

}  // namespace vtmirror::catalogue
