#include "vtmirror/report/pruning.hpp"

#include "vtmirror/core/history.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::report {
namespace {

using core::Action;
using core::ActionKind;
using core::Kind;
using core::Reason;

base::Date day(unsigned number) { return {std::chrono::year(2026), std::chrono::month(11), std::chrono::day(number)}; }

core::Pruning two_files() {
  core::Pruning pruning;
  pruning.removals = {
      {ActionKind::prune, Reason::beyond_keep_cycles, Kind::bulk,
       "v1/public/bulk/year=2026/month=11/day=8/bulk-light-vehicle_08-11-2026.zip", day(8), 38'000'000'000},
      {ActionKind::prune, Reason::quarantine_over, Kind::bulk, "odd.zip", base::Date(), 1'000'000'000}};
  pruning.outlook = {.today = day(18), .free = 50'000'000'000, .reserve = 1, .keep_cycles = 2};
  return pruning;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("what would be removed is a row each with its reason, and what that frees, and when") {
  const auto text = removals_text(two_files(), 0);
  CAPTURE(text);
  CHECK(has(text, "bulk-light-vehicle_08-11-2026.zip"));
  CHECK(has(text, "in an older chain than mirror.keep_cycles keeps"));
  CHECK(has(text, "in the quarantine for longer than mirror.quarantine keeps it"));
  CHECK(has(text, "\n2 files to remove, 39.0 GB to free; the space is free 24 hours after a removal"));
  CHECK(has(text, "\nthe disk has 50.0 GB free; it has no forecast yet: that needs 2 whole chains of history"));
}

TEST_CASE("nothing to remove says why") {
  core::Pruning none;
  CHECK(pruned_summary(none) == "nothing to remove: mirror.keep_cycles is 0, which keeps every chain");
  none.outlook.keep_cycles = 2;
  CHECK(removals_text(none, 0).starts_with("nothing to remove: mirror.keep_cycles keeps 2 chains"));
}

TEST_CASE("the summary counts what was removed, and names what was not") {
  auto pruning = two_files();
  CHECK(pruned_summary(pruning).starts_with("removed 2 files, 39.0 GB; the space is free 24 hours"));
  CHECK(has(pruned_summary(pruning), "consumers.lease"));
  pruning.failures = {{.cause = {.code = base::Errc::io, .subject = "v1/a.zip", .detail = "not permitted"}}};
  CHECK(has(pruned_summary(pruning), "; 1 file could not be removed: v1/a.zip: not permitted"));
  CHECK(removed_line(pruning.removals[0]) ==
        "removed bulk 8 Nov (38.0 GB): in an older chain than mirror.keep_cycles keeps");
}

TEST_CASE("removals are read again as they were written, and an answer of another form is an error") {
  auto pruning = two_files();
  const base::Error full{
      .code = base::Errc::no_space, .detail = "not possible", .diagnosis = base::Diagnosis::open_files};
  pruning.failures = {core::stopped(), core::failure_of(full, "v1/a.zip")};
  pruning.outlook.savings = {{1, 7}};
  for (const bool done : {true, false}) {
    const auto read = parse_pruning(pruning_json(pruning, done));
    REQUIRE(read.has_value());
    CHECK(read->removals == pruning.removals);
    CHECK(read->outlook == pruning.outlook);
    CHECK(read->failures == pruning.failures);
    CHECK(pruned_summary(*read) == pruned_summary(pruning));
    CHECK(has(pruning_json(pruning, done),
              done ? "{\"schema\":1,\"done\":true,\"bytes\":39000000000," : "{\"schema\":1,\"done\":false,"));
  }
  CHECK(parse_pruning("[]").has_error());
  CHECK(parse_pruning("{}").has_error());
}

TEST_CASE("what an older daemon could not remove is read as its sentence") {
  auto json = pruning_json(two_files(), true);
  const std::string none = R"("failures":[])";
  json.replace(json.find(none), none.size(), R"("failures":[{"name":"v1/a.zip","reason":"v1/a.zip: not permitted"}])");
  const auto read = parse_pruning(json);
  REQUIRE(read.has_value());
  REQUIRE(read->failures.size() == 1);
  CHECK(read->failures[0].cause == core::Cause{.detail = "v1/a.zip: not permitted"});
  CHECK(has(pruned_summary(*read), "; 1 file could not be removed: v1/a.zip: not permitted"));
}

}  // namespace vtmirror::report
