// The history of the cycles, the failures of the last one, and the problems that were found after them.
// Promises that a cycle that has begun is recorded even if it never finishes.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/problem.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace vtmirror::catalogue {

class Cycles : Role {
 public:
  explicit Cycles(Connection& connection) : Role(connection) {}

  /// Records that a cycle began, and returns its id for `finish_cycle`. Errors: those of any write; then no cycle has
  /// begun.
  base::Result<std::int64_t> begin_cycle(base::Time started);
  /// Records the end of the begun cycle `id` and queues its notices; `finished` must be set, `started` stays as begun.
  /// Errors: catalogue, for a cycle that was never begun.
  base::Result<void> finish_cycle(const core::CycleRecord& cycle, const std::vector<core::Notice>& notices = {});
  base::Result<std::vector<core::CycleRecord>> history(int newest) const;  ///< newest first
  base::Result<std::optional<base::Time>> first_cycle() const;             ///< when the first one began
  /// The cycles that began in that time, both ends included. A cycle that was cut off counts as having taken no time.
  base::Result<core::DaysTries> tries(base::Time since, base::Time until) const;
  /// Of the last cycle that recorded its failures, even if it had none.
  base::Result<std::vector<core::Failure>> failures() const;
};

/// The current problems, as they were reported.
/// Promises that a problem and its notices are stored together, or neither.
class Problems : Role {
 public:
  explicit Problems(Connection& connection) : Role(connection) {}

  /// Sorted by code. A problem that another version stored and this one does not know is left out.
  base::Result<std::vector<core::Problem>> problems() const;
  /// Replaces all current problems, and queues the notices.
  base::Result<void> keep_problems(const std::vector<core::Problem>& problems,
                                   const std::vector<core::Notice>& notices = {});
};

}  // namespace vtmirror::catalogue
