// What is wrong now, as it was told.
// Promises that a problem and what is told of it are kept together, or neither.
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

  base::Result<std::vector<core::Problem>> problems() const;  ///< by their codes
  /// These are the problems from now on, and no others; queues what is to be told of it.
  base::Result<void> keep_problems(const std::vector<core::Problem>& problems,
                                   const std::vector<core::Notice>& notices = {});
};

}  // namespace vtmirror::catalogue
