// The history of the cycles, and what the last of them could not do.
// Promises that a cycle that was begun is known even when nothing ever finishes it.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/notice.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace vtmirror::catalogue {

class Cycles : Role {
 public:
  explicit Cycles(Connection& connection) : Role(connection) {}

  base::Result<std::int64_t> begin_cycle(base::Time started);
  /// Records the end of the begun cycle `id`, and queues what is to be told of it; `finished` must be set, `started`
  /// stays as begun. Errors: catalogue, for a cycle never begun.
  base::Result<void> finish_cycle(const core::CycleRecord& cycle, const std::vector<core::Notice>& notices = {});
  base::Result<std::vector<core::CycleRecord>> history(int newest) const;  ///< newest first
  base::Result<std::optional<base::Time>> first_cycle() const;             ///< when the first one began
  base::Result<std::vector<core::Failure>> failures() const;               ///< of the last cycle that told any, or none
};

}  // namespace vtmirror::catalogue
