// What a cycle says of itself agrees with the chain that it leaves: outcome, reason, manifest and problem.
#include "support/agent_rig.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/core/health.hpp"
#include "vtmirror/report/chain.hpp"
#include "vtmirror/report/history.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

core::CycleReport run(AgentRig& rig) {
  const auto report = rig.cycle();
  REQUIRE(report);
  CHECK((report->outcome == core::Outcome::complete) == rig.storage.manifest->chain.complete);
  return *report;
}

const std::string old_bulk = "v1/public/bulk/year=2026/month=11/day=8/bulk-light-vehicle_08-11-2026.zip";

/// A listing whose first delta is a week after its bulk file.
void list_late_deltas(AgentRig& rig) {
  rig.list(old_bulk, core::Kind::bulk, "2026-11-08", 300'000);
  for (const int day : {16, 17}) rig.list(delta_name(day), core::Kind::delta, "2026-11-" + std::to_string(day), 20'000);
}

/// The service sends an entry of that name without a size.
void spoil_entry(AgentRig& rig, int day) { rig.service.files.at(delta_name(day)).form = EntryForm::no_size; }

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("a new mirror whose listing begins a week after its bulk file says which days nobody knows anything of") {
  AgentRig rig;
  list_late_deltas(rig);
  const auto report = run(rig);
  CHECK(report.outcome == core::Outcome::partial);
  CHECK(report.files == 3);
  CHECK(rig.storage.manifest->chain.unaccounted.size() == 8);
  REQUIRE(report.failures.size() == 1);
  CHECK(core::problem_of(report.failures[0]) == core::ProblemCode::missing_files);
  CHECK(report.failures[0].cause.subject == "2026-11-08");
  CHECK(core::no_try_helps(report.failures[0]));
  const auto line = report::summary(report);
  CHECK(says(line, "partial: 3 files"));
  CHECK(says(line, "the chain is not complete: no listing covered 8 to 15 Nov"));
  const auto coverage = report::coverage_of(rig.catalogue).value();
  CHECK(says(report::coverage_json(coverage), R"("unaccounted":[{"date":"2026-11-08"},)"));
  CHECK(says(report::coverage_text(coverage, 100), "Unknown: 2026-11-08"));
  CHECK(rig.catalogue.history(1).value().front().outcome == core::Outcome::partial);
}

TEST_CASE("the next bulk file ends it") {
  AgentRig rig;
  list_late_deltas(rig);
  run(rig);
  rig.service.files.clear();
  list_wednesday(rig);
  CHECK(run(rig).outcome == core::Outcome::complete);
  CHECK(rig.storage.manifest->chain.unaccounted.empty());
}

TEST_CASE("a delta that left the listing of its own chain before it came keeps the cycle from being complete") {
  AgentRig rig;
  list_wednesday(rig);
  rig.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == delta_name(16)) answer = ScriptedService::refusal(404);
  };
  CHECK(run(rig).outcome == core::Outcome::partial);
  rig.service.files.erase(delta_name(16));
  const auto report = run(rig);
  CHECK(report.outcome == core::Outcome::partial);
  CHECK(says(report::summary(report), "delta 16 Nov: not downloaded yet"));
  REQUIRE(report.failures.size() == 1);
  CHECK(report.failures[0].cause.detail.empty());
  const auto coverage = report::coverage_of(rig.catalogue).value();
  CHECK(says(report::coverage_text(coverage, 0), "delta-light-vehicle_16-11-2026.zip (not downloaded yet)"));
  CHECK(core::no_try_helps(report.failures[0]));
}

TEST_CASE("an entry that is refused while its file is held leaves cycle and chain complete, and is a problem") {
  AgentRig rig;
  list_wednesday(rig);
  run(rig);
  spoil_entry(rig, 17);
  const auto report = run(rig);
  CHECK(report.outcome == core::Outcome::complete);
  CHECK(report.refused == 1);
  CHECK(rig.storage.manifest->chain.files.size() == 5);
  CHECK(rig.storage.manifest->chain.missing.empty());
  CHECK(says(report::summary(report), "complete: nothing new (under 1s), 1 refused"));
  CHECK(rig.journal.count(ports::EventKind::entry_refused) == 1);
  CHECK(core::refused_in(rig.catalogue.calendar().value()).size() == 1);
}

TEST_CASE("an entry that is refused and whose file is not held is missing, and the cycle is not complete") {
  AgentRig rig;
  list_wednesday(rig);
  spoil_entry(rig, 17);
  const auto report = run(rig);
  CHECK(report.outcome == core::Outcome::partial);
  REQUIRE(rig.storage.manifest->chain.missing.size() == 1);
  CHECK(rig.storage.manifest->chain.missing[0].reason == core::MissingReason::refused);
}

TEST_CASE("an entry that is refused and whose file is lost is missing, and comes back when the file does") {
  AgentRig rig;
  list_wednesday(rig);
  run(rig);
  spoil_entry(rig, 17);
  const auto bytes = rig.storage.published.at(delta_name(17));
  rig.storage.published.erase(delta_name(17));
  CHECK(run(rig).outcome == core::Outcome::partial);
  rig.storage.published[delta_name(17)] = bytes;
  CHECK(run(rig).outcome == core::Outcome::complete);
}
