#include "catalogue/made.hpp"
#include "catalogue/sql.hpp"
#include "support/every.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

namespace vtmirror::test {
namespace {

TEST_CASE("problems are kept over restarts, by their codes, with their beginnings") {
  const TemporaryDirectory directory;
  const auto path = (directory / "catalogue.db").string();
  const std::vector<core::Problem> problems{
      {.code = core::ProblemCode::late_delta,
       .since = at(3),
       .cause = {.subject = "2026-11-18", .detail = "it's \"late\""}},
      {.code = core::ProblemCode::low_space,
       .since = at(1),
       .cause = {.code = base::Errc::no_space,
                 .subject = "a.zip",
                 .detail = "full",
                 .status = 507,
                 .fields = {{"needed", std::int64_t{40} << 30}, {"words", "\"quoted\"; --"}}},
       .files = 4}};
  {
    auto catalogue = opened(path);
    CHECK(catalogue.problems().value().empty());
    REQUIRE(catalogue.keep_problems({problems[1], problems[0]}));
  }
  auto again = opened(path);
  CHECK(again.problems().value() == problems);
  REQUIRE(again.keep_problems({problems[0]}));
  CHECK(again.problems().value() == std::vector{problems[0]});
}

TEST_CASE("a problem and its notices are stored together, or neither is") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"mail", {core::Topic::warning}}}));
  const core::Problem problem{core::ProblemCode::low_space, at(1), {.detail = "full"}};
  const core::Notice notice{.topic = core::Topic::warning, .code = "low_space", .stage = core::Stage::began};
  CHECK_FALSE(catalogue.keep_problems({problem, problem}, {notice}));
  CHECK(catalogue.deliveries().value().empty());
  REQUIRE(catalogue.keep_problems({problem}, {notice}));
  CHECK(catalogue.deliveries().value().size() == 1);
}

TEST_CASE("a problem that another version stored is left out, and removed with the next ones") {
  const TemporaryDirectory directory;
  const auto path = (directory / "catalogue.db").string();
  const core::Problem known{core::ProblemCode::low_space, at(1), {.detail = "full"}};
  {
    auto catalogue = opened(path);
    REQUIRE(catalogue.keep_problems({known}));
  }
  REQUIRE(connected(path)->script("INSERT INTO problem (code, since, files) VALUES ('of_a_newer_version', 1, 1)"));
  {
    auto catalogue = opened(path);
    CHECK(catalogue.problems().value() == std::vector{known});
    REQUIRE(catalogue.keep_problems({known}));
  }
  CHECK(column(*connected(path), "SELECT code FROM problem") == std::vector<std::string>{"low_space"});
}

TEST_CASE("two problems of one code are refused, and what was kept stays") {
  auto catalogue = opened(":memory:");
  const core::Problem problem{core::ProblemCode::low_space, at(1), {.detail = "full"}};
  REQUIRE(catalogue.keep_problems({problem}));
  CHECK_FALSE(catalogue.keep_problems({problem, problem}));
  CHECK(catalogue.problems().value() == std::vector{problem});
}

TEST_CASE("the problems of a cycle stay until a later cycle judges them again") {
  auto catalogue = opened(":memory:");
  using core::FailureKind;
  std::vector<core::Failure> failures;
  for (const auto& kind : every<FailureKind>())
    failures.push_back({kind.value,
                        {.code = base::Errc::integrity,
                         .subject = "file " + std::to_string(failures.size()),
                         .detail = "wrong",
                         .status = 200,
                         .fields = {{"free", std::int64_t{7}}}}});
  failures.push_back({FailureKind::other, {.detail = "of no file"}});
  auto cycle = finished(catalogue.begin_cycle(at(0)).value(), 1);
  cycle.failures = failures;
  REQUIRE(catalogue.finish_cycle(cycle));
  CHECK(catalogue.failures().value() == failures);
  REQUIRE(catalogue.finish_cycle(finished(catalogue.begin_cycle(at(5)).value(), 2)));
  CHECK(catalogue.failures().value() == failures);
  cycle = finished(catalogue.begin_cycle(at(9)).value(), 3);
  cycle.failures.emplace();
  REQUIRE(catalogue.finish_cycle(cycle));
  CHECK(catalogue.failures().value().empty());
}

TEST_CASE("the first cycle is when the mirror began") {
  auto catalogue = opened(":memory:");
  CHECK_FALSE(catalogue.first_cycle().value());
  REQUIRE(catalogue.begin_cycle(at(7)));
  REQUIRE(catalogue.begin_cycle(at(3)));
  CHECK(catalogue.first_cycle().value() == at(7));
}

}  // namespace
}  // namespace vtmirror::test
