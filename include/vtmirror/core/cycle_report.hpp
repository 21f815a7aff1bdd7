// How a cycle ended, as the terminal shows it, the history keeps it and the channels send it. A value.
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
  bool stopped = false;    ///< it was asked to stop before its end: no failure, and the next start continues it
  int files = 0;           ///< published
  std::int64_t bytes = 0;  ///< downloaded
  int refused = 0;         ///< entries of the listing that failed its checks
  base::Milliseconds took{};
  std::vector<Failure> failures{};  ///< in the order in which they were met; empty when complete
};

/// Why the cycle is not complete: that it was stopped, or its first failure; empty when it is complete.
std::optional<Failure> failure(const CycleReport& report);

/// The failure behind an error; `subject` is the file's name, or empty where the error is about none.
Failure failure_of(const base::Error& error, std::string subject);

}  // namespace vtmirror::core
