// What the catalogue remembers of past cycles, as the schedule and the judgement of health want it.
// Promises that a process knows after its start what the one before it knew.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/health.hpp"
#include "vtmirror/core/schedule.hpp"

#include <optional>
#include <vector>

namespace vtmirror::agent {

struct Past {
  std::optional<core::LastCycle> last;  ///< empty too when a cycle that was cut or stopped is to be taken up
  core::HealthFacts facts;              ///< without `catalogue_rebuilt`
  std::vector<core::Problem> problems;  ///< as they were told
};

/// One reading of the catalogue, while no cycle runs.
base::Result<Past> read_past(const catalogue::Catalogue& c, const core::Schedule& schedule, const core::Zone& zone);

}  // namespace vtmirror::agent
