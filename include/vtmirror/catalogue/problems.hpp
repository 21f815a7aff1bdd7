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

  /// By their codes. One that another version stored and this one does not know is left out, until `keep_problems`
  /// removes it: whoever finds problems finds those that it knows.
  base::Result<std::vector<core::Problem>> problems() const;
  /// These are the problems from now on, and no others; queues what is to be told of it.
  base::Result<void> keep_problems(const std::vector<core::Problem>& problems,
                                   const std::vector<core::Notice>& notices = {});
};

}  // namespace vtmirror::catalogue
