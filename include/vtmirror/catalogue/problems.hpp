// The current problems, as they were reported.
// Promises that a problem and its notices are stored together, or neither.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/problem.hpp"

#include <vector>

namespace vtmirror::catalogue {

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
