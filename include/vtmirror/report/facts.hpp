// The records behind the daemon's answers. They are read from the catalogue after a change and cached until the next
// one, so that a request needs no disk access.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/report/status.hpp"

#include <optional>
#include <string>

namespace vtmirror::report {

/// The part of the status that the catalogue holds.
struct DaemonFacts {
  std::optional<LastCycleStatus> last_cycle;
  Status::Mirror mirror;  ///< without the free space
  Status::ChainStatus chain;
  Status::ApiKeyStatus api_key;
  std::optional<base::Date> newest_delta;
  std::optional<base::Time> last_success;
};

/// `directory` is the mirror's. Errors: catalogue, io.
base::Result<DaemonFacts> read_facts(const catalogue::Catalogue& catalogue, const std::string& directory);

}  // namespace vtmirror::report
