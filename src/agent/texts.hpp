// What manifest.json, SHA256SUMS and `current` say: the chain to load, as the catalogue knows it.
// Promises that the texts of one generation differ only in the stamps. What it reads is of one moment where it runs on
// the catalogue's strand, as every call of the agent does.
// Never writes to the shelf.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/catalogue/files.hpp"
#include "vtmirror/ports/shelf.hpp"

#include <optional>
#include <vector>

namespace vtmirror::agent {

struct Texts {
  ports::Manifest manifest;
  std::vector<core::Held> held;
};

/// Reads all that the texts are made of. If they would say something else than before, a new generation begins at
/// `now`. The manifest has no `next_check` and no `stale_after` without `next`. Errors: catalogue.
base::Result<Texts> compose(catalogue::Files& catalogue, base::Time now, const std::optional<NextCheck>& next);

}  // namespace vtmirror::agent
