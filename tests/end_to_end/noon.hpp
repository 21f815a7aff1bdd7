// A place where it is about noon now: the programs ask the machine's clock, and there no day ends while a test runs.
#pragma once

#include "vtmirror/base/time.hpp"

#include <chrono>
#include <string>

namespace vtmirror::test {

struct Noon {
  Noon() {
    const auto now = std::chrono::system_clock::now();
    const auto hour = std::chrono::floor<std::chrono::hours>(now) - std::chrono::floor<std::chrono::days>(now);
    const auto east = std::chrono::hours(12) - hour;
    const auto count = east.count();
    zone =
        count == 0 ? "Etc/GMT" : "Etc/GMT" + (count > 0 ? "-" + std::to_string(count) : "+" + std::to_string(-count));
    today = base::Date(std::chrono::floor<std::chrono::days>(now + east));
  }
  std::string zone;
  base::Date today;
};

}  // namespace vtmirror::test
