// How a cycle ended, for the terminal, the history and the channels. A value.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::core {

struct CycleReport {
  Outcome outcome = Outcome::failed;
  bool stopped = false;    ///< it was asked to stop before its end: not a failure; the next start continues it
  int files = 0;           ///< published
  std::int64_t bytes = 0;  ///< downloaded
  int refused = 0;         ///< entries of the listing that failed its checks
  base::Milliseconds took{};
  std::vector<Failure> failures{};  ///< in order of occurrence; empty when complete
};

/// Why the cycle is not complete: that it was stopped, or its first failure. Empty if it is complete.
std::optional<Failure> failure(const CycleReport& report);

/// The failure for an error; `subject` is the file's name, or empty if the error is not about a file.
Failure failure_of(const base::Error& error, std::string subject);

}  // namespace vtmirror::core
