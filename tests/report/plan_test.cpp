#include "vtmirror/report/plan.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/core/space.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <set>
#include <string>
#include <string_view>

#include "support/every.hpp"

namespace vtmirror::report {
namespace {

using core::ActionKind;
using core::Kind;
using core::Reason;

base::Date day(unsigned number) { return {std::chrono::year(2026), std::chrono::November, std::chrono::day(number)}; }

TEST_CASE("a plan is printed with a reason for each action and its totals") {
  core::Plan plan;
  plan.actions = {
      {ActionKind::fetch, Reason::not_held, Kind::delta, "v1/delta_16.zip", day(16), 95'800'000, 0},
      {ActionKind::resume, Reason::partly_fetched, Kind::bulk, "v1/bulk_15.zip", day(15), 37'700'000'000,
       10'000'000'000},
      {ActionKind::refuse,
       Reason::refused_by_checks,
       Kind::delta,
       "delta[3]",
       base::Date(),
       0,
       0,
       {.detail = "its name leaves the mirror"}},
  };
  const auto text = plan_text(plan, 0);
  CHECK(text.starts_with("ACTION  KIND   DATE           SIZE  NAME          REASON\n"));
  CHECK(text.find("fetch   delta  2026-11-16  95.8 MB  delta_16.zip  " + std::string(sentence(Reason::not_held)) +
                  '\n') != std::string::npos);
  CHECK(text.find(" (10.0 GB)\n") != std::string::npos);
  CHECK(text.find("refuse  -      -                 -  delta[3]      ") != std::string::npos);
  CHECK(text.find(": its name leaves the mirror\n") != std::string::npos);
  CHECK(text.ends_with("\n2 files to download, 27.8 GB; 1 to refuse\n"));
}

TEST_CASE("on a narrow terminal a plan calls files by their short names, and the reason stands below") {
  const std::string name = "v1/public/delta/year=2026/month=11/day=16/delta-light-vehicle_16-11-2026.zip";
  core::Plan plan;
  plan.actions = {{ActionKind::fetch, Reason::not_held, Kind::delta, name, day(16), 95'800'000, 0}};
  const auto text = plan_text(plan, 60);
  CHECK(text.starts_with("ACTION  KIND   DATE           SIZE  NAME          REASON\n"));
  CHECK(text.find("fetch   delta  2026-11-16  95.8 MB  delta 16 Nov  new file\n") != std::string::npos);
  CHECK(plan_text(plan, 29).starts_with("ACTION  NAME          REASON\nfetch   delta 16 Nov\n    new file\n"));
}

TEST_CASE("a file that was quarantined is not a new one") {
  core::Plan plan;
  plan.actions = {
      {ActionKind::fetch, Reason::was_quarantined, Kind::delta, "v1/d.zip", day(16), 300, 0, {.detail = "cut"}}};
  CHECK(plan_text(plan, 0).find("  it was quarantined, and is downloaded again: cut\n") != std::string::npos);
}

TEST_CASE("a damaged file is not said to have another size: verify also finds flipped bits") {
  CHECK(sentence(Reason::damaged_on_disk) == "it was found damaged on disk");
}

TEST_CASE("every reason has a sentence of its own") {
  std::set<std::string_view> sentences;
  for (const auto& reason : test::every<Reason>())
    CHECK_MESSAGE(sentences.insert(sentence(reason.value)).second, reason.word);
}

TEST_CASE("a plan in which nothing is left to do says so") {
  core::Plan plan;
  CHECK(plan_text(plan, 0) == "nothing listed; nothing to download\n");
  plan.actions = {{ActionKind::keep, Reason::held_and_unchanged, Kind::bulk, "b.zip", day(15), 1, 0}};
  CHECK(plan_text(plan, 0).ends_with("\nnothing to download; 1 to keep\n"));
}

TEST_CASE("a removal that waits for downloads says so") {
  core::Plan plan;
  plan.actions = {{ActionKind::prune, Reason::beyond_keep_cycles, Kind::bulk, "b.zip", day(8), 1}};
  CHECK(plan_text(plan, 0).find("after the new files are published") == std::string::npos);
  plan.actions[0].after_downloads = true;
  CHECK(plan_text(plan, 0).find("; after the new files are published\n") != std::string::npos);
}

TEST_CASE("a plan is read again as it was written, with every action and every reason") {
  core::Plan plan;
  for (const auto& kind : test::every<ActionKind>())
    plan.actions.push_back({kind.value, Reason::held_and_unchanged, Kind::delta, "v1/d.zip", day(16), 12, 3, {}, 0});
  for (const auto& reason : test::every<Reason>())
    plan.actions.push_back(
        {ActionKind::skip, reason.value, Kind::bulk, "b.zip", day(15), 7, 0, {.detail = "why"}, 6, true, 5});
  for (auto& action : plan.actions)
    if (action.reason == Reason::refused_by_checks) action.date = base::Date();
  const auto read = parse_plan(plan_json(plan));
  REQUIRE(read.has_value());
  CHECK(read->actions == plan.actions);
  CHECK(plan_json(core::Plan()) == "{\"schema\":1,\"bytes_to_fetch\":0,\"actions\":[]}\n");
}

TEST_CASE("a file's problem is a value in the plan, and a sentence when it is printed") {
  const core::Cause no_room{
      .code = base::Errc::no_space,
      .fields = {{"needed", std::int64_t{60}}, {"free", std::int64_t{39}}, {"reserve", std::int64_t{1000}}}};
  struct Case {
    core::Action action;
    std::string sentence;
  };
  for (const auto& each :
       {Case{{ActionKind::skip, Reason::does_not_fit, Kind::bulk, "b.zip", day(15), 60, 0, no_room, 60, false, 39},
             "it needs 60 B, and 39 B are free beside the reserve of 1.00 KB: 21 B short"},
        Case{{ActionKind::skip, Reason::quarantined, Kind::bulk, "b.zip", day(15), 60, 0, {.detail = "wrong checksum"}},
             "wrong checksum"},
        Case{{ActionKind::refuse, Reason::gone_from_disk, Kind::bulk, "b.zip", day(15), 60, 0,
              core::lost_for_good(Reason::gone_from_disk)},
             std::string(sentence(Reason::gone_from_disk)) +
                 "; the listing has no usable entry of it, so it cannot be downloaded again"},
        Case{{ActionKind::refuse, Reason::failed_checks, Kind::bulk, "b.zip", day(15), 60, 0,
              core::lost_for_good(Reason::failed_checks)},
             std::string(sentence(Reason::failed_checks)) +
                 "; the listing has no usable entry of it, so it cannot be downloaded again"}}) {
    core::Plan plan;
    plan.actions = {each.action};
    CHECK(plan_text(plan, 0).find(": " + each.sentence + '\n') != std::string::npos);
    const auto json = plan_json(plan);
    CHECK(json.find("\"detail\":\"" + each.sentence + '"') != std::string::npos);
    const auto read = parse_plan(json);
    REQUIRE(read.has_value());
    CHECK(plan_json(*read) == json);
    CHECK(plan_text(*read, 0) == plan_text(plan, 0));
  }
}

TEST_CASE("a file that does not fit is named with what it needs, what is free and by how much it falls short") {
  struct Row {
    std::int64_t left;
    std::int64_t free;
    std::int64_t short_by;
    std::string sentence;
  };
  for (const auto& row :
       {Row{39, 39, 21, "it needs 60 B, and 39 B are free beside the reserve of 1.00 KB: 21 B short"},
        Row{-40, 0, 100, "it needs 60 B, and 0 B are free beside the reserve of 1.00 KB: 100 B short"}}) {
    core::Plan plan;
    const auto cause = core::no_room({.needs = 60, .free = row.left}, 1000);
    plan.actions = {
        {ActionKind::skip, Reason::does_not_fit, Kind::bulk, "v1/b.zip", day(15), 60, 0, cause, 60, false, row.left}};
    const auto text = plan_text(plan, 0);
    CHECK(text.find("b.zip") != std::string::npos);
    CHECK(text.find("does not fit into the free space: " + row.sentence + '\n') != std::string::npos);
    const auto json = plan_json(plan);
    CHECK(json.find("\"needs\":60,\"free\":" + std::to_string(row.free) +
                    ",\"short_by\":" + std::to_string(row.short_by)) != std::string::npos);
    const auto read = parse_plan(json);
    REQUIRE(read);
    CHECK(read->actions[0].free == row.left);
    CHECK(plan_json(*read) == json);
  }
}

TEST_CASE("a text that is not a plan is refused with the reason") {
  const auto refusal = [](const std::string& json) {
    const auto plan = parse_plan(json);
    return plan ? std::string() : plan.error().detail;
  };
  CHECK(refusal("[]") == "the daemon's plan is not a JSON object");
  CHECK(refusal("{}") == "the daemon's plan: actions is missing");
  core::Plan plan;
  plan.actions = {{ActionKind::keep, Reason::held_and_unchanged, Kind::bulk, "b.zip", day(15), 1}};
  auto text = plan_json(plan);
  text.replace(text.find("\"keep\""), 6, "\"melt\"");
  CHECK(refusal(text) == "the daemon's plan: actions[].action is not a known action");
}

}  // namespace
}  // namespace vtmirror::report
