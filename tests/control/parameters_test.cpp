#include "control/parameters.hpp"

#include "control/caller.hpp"
#include "control/daemon.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::control {
namespace {

using Values = std::vector<std::string>;

TEST_CASE("a query is read in one way: names and values decoded, empty parts skipped, repetitions kept") {
  const std::vector<std::pair<std::string, Parameters>> queries{
      {"", {}},
      {"&&", {}},
      {"n=20", {{"n", {"20"}}}},
      {"&n=20&", {{"n", {"20"}}}},
      {"n=", {{"n", {""}}}},
      {"=n", {{"", {"n"}}}},
      {"a=b=c", {{"a", {"b=c"}}}},
      {"name=bulk&rate=1&name=delta%2016%20Nov", {{"name", {"bulk", "delta 16 Nov"}}, {"rate", {"1"}}}},
      {"d%61y=2026%2D11%2d18", {{"day", {"2026-11-18"}}}},
      {"a=x%26b=y", {{"a", {"x&b=y"}}}},
      {"a=1+2", {{"a", {"1+2"}}}},
      {"a=%zz%4", {{"a", {"%zz%4"}}}},
      {"a=1?b=2", {{"a", {"1?b=2"}}}},
  };
  for (const auto& each : queries) {
    CAPTURE(each.first);
    const auto parameters = parameters_of(each.first);
    REQUIRE(parameters.has_value());
    CHECK(*parameters == each.second);
  }
  for (const auto* query : {"n", "a=1&n", "n&a=1", "%3D"}) {
    CAPTURE(query);
    CHECK(parameters_of(query).has_error());
  }
}

TEST_CASE("a parameter that the path does not have, or has twice, is refused by its name") {
  const auto parameters = parameters_of("n=1&n=2&since=7").value();
  CHECK(check_names(parameters, {"n", "since"}).has_value());
  CHECK(check_names(parameters, {"n"}).error().detail == "there is no parameter since; this path has n");
  CHECK(check_names(parameters, {}).error().detail == "there is no parameter n; this path has none");
  CHECK(value_of(parameters, "n").error().detail == "the parameter n is there more than once");
  CHECK(value_of(parameters, "since").value() == "7");
  CHECK_FALSE(value_of(parameters, "day").value().has_value());
}

TEST_CASE("a number keeps its limits, and a day is one of the calendar") {
  const auto parameters = parameters_of("n=20&day=2026-11-18&x=-1&y=2026-02-30").value();
  CHECK(number_of(parameters, "n", 1, 20).value() == 20);
  CHECK(number_of(parameters, "n", 1, 19).error().detail == "n must be a number from 1 to 19");
  CHECK(number_of(parameters, "n", 21, 30).has_error());
  CHECK(number_of(parameters, "x", -5, 5).has_error());
  CHECK_FALSE(number_of(parameters, "none", 1, 2).value().has_value());
  CHECK(day_of(parameters, "day").value() == base::parse_date("2026-11-18").value());
  CHECK(day_of(parameters, "y").error().detail == "y must be a day such as 2026-11-18");
  CHECK_FALSE(day_of(parameters, "none").value().has_value());
}

TEST_CASE("every path reads its query alike") {
  test::Daemon daemon;
  daemon.answers.complete = true;
  test::Caller caller(daemon.path());
  CHECK(caller.get("/v1/history?%6E=2%30&").body == "{\"newest\":20}\n");
  CHECK(caller.get("/v1/next?consumer=ware%68ouse").body == "{\"next\":\"warehouse\",\"kept\":true}\n");
  CHECK(caller.get("/v1/wait?&through=2026%2D11-18&timeout=5").body ==
        "{\"through\":\"2026-11-18\",\"complete\":true}\n");
  const std::array<std::pair<const char*, const char*>, 4> twice{{{"GET", "/v1/history?n=1&n=2"},
                                                                  {"GET", "/v1/next?consumer=a&consumer=b"},
                                                                  {"POST", "/v1/verify?rate=1&rate=2"},
                                                                  {"GET", "/v1/wait?timeout=1&timeout=2"}}};
  for (const auto& each : twice) {
    CAPTURE(each.second);
    CHECK(caller.ask(each.first, each.second).status == 400);
  }
}

}  // namespace
}  // namespace vtmirror::control
