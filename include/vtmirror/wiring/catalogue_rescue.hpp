// Opens the catalogue for writing, and replaces it by a new one if it is damaged (vtmirror(8), catalogue_rebuilt). Also
// what a process that changes nothing works with in its place.
// Promises that a damaged catalogue is moved aside whole, and that one of a newer or of another program is left alone.
// `Agent::recover` adds the files on disk to the new one.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/ports/shelf.hpp"

#include <functional>
#include <optional>
#include <string>

namespace vtmirror::wiring {

struct RescuedCatalogue {
  catalogue::Catalogue catalogue;
  std::string message;  ///< what was damaged and where it was moved; empty if nothing was
};

/// The caller must hold the mirror's lock. Errors: config, if only other settings or another version of the program can
/// help; no_space, io, catalogue.
base::Result<RescuedCatalogue> open_or_rescue(const std::string& path, ports::Shelf& shelf, base::Time now);

/// What `open_or_rescue` would open, as a copy: no file is created or changed. An empty catalogue if there is none, or
/// if a new one would be made. The caller must hold the mirror's lock, or share it. Errors: as above.
base::Result<RescuedCatalogue> look_at_catalogue(const std::string& path, ports::Shelf& shelf);

/// Whether a manifest was ever written there.
bool was_published_in(const std::string& mirror);

/// For a process that does not read the files on disk: a catalogue that `open_or_rescue` would replace, or that does
/// not contain the mirror's files yet, is refused and left as it is. The caller must hold the mirror's lock. Errors: as
/// above, and catalogue_damaged.
base::Result<RescuedCatalogue> open_whole(const std::string& path, const std::string& mirror, ports::Shelf& shelf);

/// For a process that only reads the catalogue and needs no lock. Empty before the first cycle. Errors: catalogue, also
/// if the catalogue of a mirror that has published is gone or made anew; catalogue_damaged, io.
base::Result<std::optional<catalogue::Catalogue>> open_to_read(const std::string& path, const std::string& mirror);

/// For a catalogue that was found damaged at run time and is closed. The next `open_or_rescue` makes a new one.
base::Result<void> move_catalogue_aside(const std::string& path, base::Time now);

/// Returns the problem `catalogue_rebuilt` as long as a catalogue that was moved aside lies beside `path`.
std::function<std::optional<core::Problem>()> rebuilt_problem(const std::string& path);

}  // namespace vtmirror::wiring
