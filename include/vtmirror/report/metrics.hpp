// The daemon's metrics as Prometheus text. Pure. Also the facts of the catalogue that they and the status are made
// of.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/status.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::report {

// The records behind the daemon's answers. They are read from the catalogue after a change and cached until the next
// one, so that a request needs no disk access.

/// The part of the status that the catalogue holds.
struct DaemonFacts {
  std::optional<LastCycleStatus> last_cycle;
  Status::Mirror mirror;  ///< without the free space
  Status::ChainStatus chain;
  Status::ApiKeyStatus api_key;
  std::vector<ConsumerStatus> consumers{};
  std::optional<base::Date> complete_through{};  ///< `core::complete_through`
  std::optional<base::Date> newest_delta;
  std::optional<base::Time> last_success;
  // What a forecast is made of.
  core::Calendar calendar;
  core::Stock stock;
  std::vector<core::Saving> savings;
};

/// `directory` is the mirror's. Errors: catalogue, io.
base::Result<DaemonFacts> read_facts(const catalogue::Catalogue& catalogue, const std::string& directory);

/// Counts since the daemon's start.
struct Counters {
  /// By outcome. All begin at 0, so that the first cycle with an outcome shows as an increase.
  std::map<std::string, std::int64_t> cycles{{"complete", 0}, {"partial", 0}, {"failed", 0}};
  std::map<std::string, std::int64_t> retries;  ///< by reason
  std::int64_t bytes = 0;                       ///< fetched
  std::int64_t files = 0;                       ///< published

  void count(const ports::Event& event);
  /// Counts the bytes that have come since the last call. Call it often while a cycle runs, and once at its end. A
  /// cycle that is shown again after its end adds nothing.
  void arrive(const ports::CycleProgress& progress);

 private:
  std::map<std::string, std::int64_t> counted_;  ///< of the cycle that began at `of_`: bytes by file
  base::Time of_{};
};

std::string metrics_text(const Status& status, const DaemonFacts& facts, const Counters& counters, base::Time now);

}  // namespace vtmirror::report
