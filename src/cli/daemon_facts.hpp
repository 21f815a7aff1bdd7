// What the daemon's answers are made of, read from the catalogue when something has changed and kept until the next
// change, so that a question costs no disk.
#pragma once

#include "cli/config.hpp"
#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/status.hpp"

#include <optional>

namespace vtmirror::cli {

/// The part of the status that the catalogue knows.
struct DaemonFacts {
  std::optional<core::LastCycleStatus> last_cycle;
  core::Status::Mirror mirror;  ///< without the free space
  core::Status::ChainStatus chain;
  core::Status::ApiKeyStatus api_key;
  std::optional<base::Date> newest_delta;
  std::optional<base::Time> last_success;
};

base::Result<DaemonFacts> read_facts(const catalogue::Catalogue& catalogue, const Config& config);

}  // namespace vtmirror::cli
