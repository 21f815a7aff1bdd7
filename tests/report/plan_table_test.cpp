#include "vtmirror/report/plan_table.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace vtmirror::report {
namespace {

using core::ActionKind;
using core::Kind;
using core::Reason;

base::Date day(unsigned number) { return {std::chrono::year(2026), std::chrono::November, std::chrono::day(number)}; }

TEST_CASE("a plan is printed with a reason for each action and its totals") {
  core::Plan plan;
  plan.actions = {
      {ActionKind::fetch, Reason::not_held, Kind::delta, "v1/delta_16.zip", day(16), 95'800'000, 0, ""},
      {ActionKind::resume, Reason::partly_fetched, Kind::bulk, "v1/bulk_15.zip", day(15), 37'700'000'000,
       10'000'000'000, ""},
      {ActionKind::refuse, Reason::refused_by_checks, Kind::delta, "delta[3]", base::Date(), 0, 0,
       "its name leaves the mirror"},
  };
  const auto text = plan_text(plan, 0);
  CHECK(text.starts_with("ACTION  KIND   DATE           SIZE  NAME          REASON\n"));
  CHECK(text.find("fetch   delta  2026-11-16  95.8 MB  delta_16.zip  " + std::string(core::sentence(Reason::not_held)) +
                  '\n') != std::string::npos);
  CHECK(text.find(" (10.0 GB)\n") != std::string::npos);
  CHECK(text.find("refuse  delta  -               0 B  delta[3]      ") != std::string::npos);
  CHECK(text.find(": its name leaves the mirror\n") != std::string::npos);
  CHECK(text.ends_with("\nfetch 1, resume 1, refuse 1; 27.8 GB to fetch\n"));
}

TEST_CASE("a plan in which nothing is left to do says so") {
  core::Plan plan;
  CHECK(plan_text(plan, 0) == "nothing listed; nothing to fetch\n");
  plan.actions = {{ActionKind::keep, Reason::held_and_unchanged, Kind::bulk, "b.zip", day(15), 1, 0, ""}};
  CHECK(plan_text(plan, 0).ends_with("\nkeep 1; nothing to fetch\n"));
}

}  // namespace
}  // namespace vtmirror::report
