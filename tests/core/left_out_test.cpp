#include "vtmirror/core/left_out.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using namespace vtmirror::core;

namespace {

Action planned(ActionKind kind, Reason reason, std::string name = "a.zip") {
  return {.kind = kind, .reason = reason, .name = std::move(name)};
}

std::vector<LeftOut> left_out_of(const Action& action, std::vector<Action> beside = {}) {
  beside.push_back(action);
  return left_out(std::vector{action}, {beside});
}

}  // namespace

TEST_CASE("each reason to skip or refuse a file is one kind of failure") {
  struct Case {
    ActionKind kind;
    Reason reason;
    FailureKind expected;
  };
  for (const Case& row : {Case{ActionKind::refuse, Reason::refused_by_checks, FailureKind::refused_entry},
                          {ActionKind::refuse, Reason::gone_from_disk, FailureKind::lost},
                          {ActionKind::refuse, Reason::damaged_on_disk, FailureKind::lost},
                          {ActionKind::refuse, Reason::failed_checks, FailureKind::lost},
                          {ActionKind::skip, Reason::does_not_fit, FailureKind::no_space},
                          {ActionKind::skip, Reason::quarantined, FailureKind::quarantined}}) {
    CAPTURE(name(row.reason));
    auto action = planned(row.kind, row.reason);
    action.cause = {.code = vtmirror::base::Errc::protocol, .detail = "why", .fields = {{"needed", std::int64_t{7}}}};
    const auto files = left_out_of(action);
    REQUIRE(files.size() == 1);
    CHECK(files[0].action == action);
    CHECK_FALSE(files[0].is_held);
    auto expected = action.cause;
    expected.subject = "a.zip";
    CHECK(files[0].failure == Failure{row.expected, expected});
  }
}

TEST_CASE("only what is skipped or refused is left out") {
  const std::set<std::string_view> leaving{"skip", "refuse"};
  for (const auto& kind : vtmirror::test::every<ActionKind>()) {
    CAPTURE(kind.word);
    CHECK(left_out_of(planned(kind.value, Reason::not_held)).size() == leaving.count(kind.word));
  }
}

TEST_CASE("a refused entry is held if the plan keeps or adopts its file, and a lost file never is") {
  for (const auto& kind : vtmirror::test::every<ActionKind>()) {
    CAPTURE(kind.word);
    const std::vector<Action> beside{planned(kind.value, Reason::held_and_unchanged)};
    const bool is_held = kind.word == "keep" || kind.word == "adopt";
    const auto refused = left_out_of(planned(ActionKind::refuse, Reason::refused_by_checks), beside);
    CHECK(refused[0].is_held == is_held);
    CHECK_FALSE(left_out_of(planned(ActionKind::refuse, Reason::gone_from_disk), beside)[0].is_held);
    const auto other = left_out_of(planned(ActionKind::refuse, Reason::refused_by_checks, "b.zip"), beside);
    CHECK_FALSE(other[0].is_held);
  }
}

TEST_CASE("what does not fit is named with what it needs, what is free for it, and the reserve") {
  auto big = planned(ActionKind::skip, Reason::does_not_fit, "big.zip");
  big.needs = 100;
  big.free = -20;
  const Plan plan{{planned(ActionKind::fetch, Reason::not_held), big, planned(ActionKind::skip, Reason::quarantined)}};
  CHECK(unfit(plan, 50) == std::vector<Unfit>{{"big.zip", 100, -20, 50}});
}
