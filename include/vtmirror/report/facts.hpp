// What the daemon's answers are made of, read from the catalogue when something has changed and kept until the next
// change, so that a question costs no disk.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/report/status.hpp"

#include <optional>
#include <string>

namespace vtmirror::report {

/// The part of the status that the catalogue knows.
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
