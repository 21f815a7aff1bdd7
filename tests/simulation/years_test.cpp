#include "simulation/simulated_years.hpp"
#include "vtmirror/host/host.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

/// VTMIRROR_SIMULATION_SEED lives a failed life again, VTMIRROR_SIMULATION_DAYS a longer one.
std::uint64_t variable(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("a daemon lives through ten years of faults, and its mirror is right and its wake-ups in time on every day") {
  const auto seed = variable("VTMIRROR_SIMULATION_SEED", 20'261'115);
  const auto days = variable("VTMIRROR_SIMULATION_DAYS", 10 * 366);
  SimulatedYears years(seed, host::load_zone("Europe/London").value());
  for (int number = 0; number < static_cast<int>(days) && years.observer().failure.empty(); ++number)
    years.live_day(number);
  INFO("VTMIRROR_SIMULATION_SEED=" << seed);
  INFO((years.observer().failure.empty() ? "" : years.observer().story()));
  CHECK(years.observer().failure == "");
  MESSAGE(years.told());
}
