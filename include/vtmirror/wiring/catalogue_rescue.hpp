// The catalogue opened for work, and made anew where it is damaged (vtmirror(8), catalogue_rebuilt).
// Promises that a damaged one is moved aside whole, that one of a newer program or of others is left alone, and that
// what the mirror holds on disk is taken into the new one by `Agent::recover`.
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
  std::string told;  ///< what was damaged and where it lies now; empty where nothing was
};

/// While the mirror's lock is held. Errors: config, for what only a change of settings or program can help; no_space,
/// io, catalogue.
base::Result<RescuedCatalogue> open_or_rescue(const std::string& path, ports::Shelf& shelf, base::Time now);

/// A catalogue in which damage was found at work, and which is closed: the next `open_or_rescue` makes a new one.
base::Result<void> move_catalogue_aside(const std::string& path, base::Time now);

/// The problem `catalogue_rebuilt`, as long as a catalogue that was moved aside lies beside `path`.
std::function<std::optional<core::Problem>()> rebuilt_problem(const std::string& path);

}  // namespace vtmirror::wiring
