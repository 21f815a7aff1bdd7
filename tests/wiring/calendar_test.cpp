#include "vtmirror/wiring/calendar.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace vtmirror::wiring {
namespace {

base::Date day(unsigned number) { return {std::chrono::year(2026), std::chrono::November, std::chrono::day(number)}; }
base::Time at(unsigned number, int hour) { return std::chrono::sys_days(day(number)) + std::chrono::hours(hour); }

TEST_CASE("a day is settled by a listing that was read after its tries") {
  settings::Config config;
  config.schedule.time_zone = "UTC";
  const auto settled = [&](std::optional<base::Time> listed_at) { return settled_day(config, listed_at).value(); };
  CHECK(settled(std::nullopt) == std::nullopt);
  CHECK(settled(at(23, 9)) == day(22));
  CHECK(settled(at(23, 14)) == day(23));
  CHECK(settled(at(24, 7)) == day(23));
}

}  // namespace
}  // namespace vtmirror::wiring
