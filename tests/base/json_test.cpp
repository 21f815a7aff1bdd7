#include "vtmirror/base/json.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using namespace vtmirror::base;

namespace {

std::string fault_of(const JsonObject& object) { return object.fault() ? object.fault()->sentence() : ""; }

/// What a reader says of one document.
std::string fault_in(std::string_view text, const std::function<void(const JsonObject&)>& read) {
  const auto document = parse_json_object(text);
  REQUIRE(document);
  const JsonObject object(*document);
  read(object);
  return fault_of(object);
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST_CASE("members are read with their types, and there is no fault") {
  const auto document = parse_json_object(
      R"({"text":"a","flag":true,"number":-7,"count":3,"at":"2026-11-18T08:07:12Z","day":"2026-11-18",)"
      R"("inner":{"text":"b"},"texts":["x","y"],"counts":[30,7],"days":["2026-11-17"],"list":[{"n":1},{"n":2}]})");
  REQUIRE(document);
  const JsonObject object(*document);
  CHECK(object.text("text") == "a");
  CHECK(object.flag("flag"));
  CHECK(object.integer("number", -10, 10) == -7);
  CHECK(object.count("count") == 3);
  CHECK(iso8601(object.time("at")) == "2026-11-18T08:07:12Z");
  CHECK(iso8601(object.date("day")) == "2026-11-18");
  CHECK(object.object("inner").text("text") == "b");
  CHECK(object.texts("texts") == std::vector<std::string_view>{"x", "y"});
  CHECK(object.counts("counts") == std::vector<int>{30, 7});
  CHECK(object.dates("days") == std::vector<Date>{parse_date("2026-11-17").value()});
  REQUIRE(object.objects("list").size() == 2);
  CHECK(object.objects("list")[1].integer("n") == 2);
  CHECK(object.array("list").size() == 2);
  CHECK_FALSE(object.fault());
}

TEST_CASE("an optional member that is missing or null is nothing, and no fault") {
  for (const auto* text : {"{}", R"({"x":null})"}) {
    CAPTURE(text);
    const auto document = parse_json_object(text);
    REQUIRE(document);
    const JsonObject object(*document);
    CHECK_FALSE(object.optional_text("x"));
    CHECK_FALSE(object.optional_integer("x"));
    CHECK_FALSE(object.optional_time("x"));
    CHECK_FALSE(object.optional_date("x"));
    CHECK_FALSE(object.optional_object("x"));
    CHECK_FALSE(object.fault());
  }
}

TEST_CASE("an optional member that is there is read") {
  const auto document = parse_json_object(
      R"({"text":"","number":0,"at":"2026-11-18T08:07:12Z","day":"2026-11-18","inner":{"deep":{"n":5}}})");
  REQUIRE(document);
  const JsonObject object(*document);
  CHECK(object.optional_text("text") == "");
  CHECK(object.optional_integer("number") == 0);
  CHECK(object.optional_time("at") == object.time("at"));
  CHECK(object.optional_date("day") == object.date("day"));
  const auto inner = object.optional_object("inner");
  REQUIRE(inner);
  CHECK(inner->object("deep").integer("n") == 5);
  CHECK_FALSE(object.fault());
}

TEST_CASE("a member of another type is a fault with its path, and never with its value") {
  struct Row {
    const char* value;
    std::function<void(const JsonObject&)> read;
    std::string fault;
  };
  const std::vector<Row> rows{
      {"7", [](const auto& o) { CHECK(o.text("x").empty()); }, "x is not a string"},
      {"null", [](const auto& o) { CHECK(o.text("x").empty()); }, "x is not a string"},
      {"1", [](const auto& o) { CHECK_FALSE(o.flag("x")); }, "x is not true or false"},
      {"\"5ecret\"", [](const auto& o) { CHECK(o.integer("x") == 0); }, "x is not a whole number"},
      {"2.0", [](const auto& o) { CHECK(o.integer("x") == 0); }, "x is not a whole number"},
      {"1e3", [](const auto& o) { CHECK(o.integer("x") == 0); }, "x is not a whole number"},
      {"-1", [](const auto& o) { CHECK(o.integer("x") == 0); }, "x is not a whole number in its range"},
      {"11", [](const auto& o) { CHECK(o.integer("x", 1, 10) == 0); }, "x is not a whole number in its range"},
      {"18446744073709551615", [](const auto& o) { CHECK(o.integer("x") == 0); },
       "x is not a whole number in its range"},
      {"3000000000", [](const auto& o) { CHECK(o.count("x") == 0); }, "x is not a whole number in its range"},
      {"\"5ecret\"", [](const auto& o) { CHECK(o.time("x") == Time()); }, "x is not a time"},
      {"\"2026-02-30\"", [](const auto& o) { CHECK(o.date("x") == Date()); }, "x is not a day"},
      {"[]", [](const auto& o) { CHECK(o.object("x").text("y").empty()); }, "x is not an object"},
      {"{}", [](const auto& o) { CHECK(o.array("x").empty()); }, "x is not an array"},
      {"[\"a\",1]", [](const auto& o) { CHECK(o.texts("x") == std::vector<std::string_view>{"a"}); },
       "x is not an array of strings"},
      {"[1,-1,2]",
       [](const auto& o) {
         CHECK(o.counts("x") == std::vector<int>{1, 2});
       },
       "x is not an array of whole numbers in their range"},
      {"[\"2026-02-30\",7]", [](const auto& o) { CHECK(o.dates("x").empty()); }, "x is not an array of days"},
      {"[{},1]", [](const auto& o) { CHECK(o.objects("x").size() == 1); }, "x is not an array of objects"},
      {"7", [](const auto& o) { CHECK_FALSE(o.optional_text("x")); }, "x is not a string"},
      {"\"5ecret\"", [](const auto& o) { CHECK_FALSE(o.optional_integer("x")); }, "x is not a whole number"},
      {"\"5ecret\"", [](const auto& o) { CHECK_FALSE(o.optional_time("x")); }, "x is not a time"},
      {"\"5ecret\"", [](const auto& o) { CHECK_FALSE(o.optional_date("x")); }, "x is not a day"},
      {"[]", [](const auto& o) { CHECK_FALSE(o.optional_object("x")); }, "x is not an object"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.value);
    CHECK(fault_in("{\"x\":" + std::string(row.value) + "}", row.read) == row.fault);
  }
}

TEST_CASE("a missing member is a fault that says so") {
  CHECK(fault_in("{}", [](const auto& o) { o.text("x"); }) == "x is missing");
  CHECK(fault_in("{}", [](const auto& o) { o.object("x").text("y"); }) == "x is missing");
  CHECK(fault_in("{}", [](const auto& o) { o.array("x"); }) == "x is missing");
}

TEST_CASE("the path leads to the member, through objects and arrays") {
  CHECK(fault_in(R"({"a":{"b":{"c":1}}})", [](const auto& o) { o.object("a").object("b").text("c"); }) ==
        "a.b.c is not a string");
  CHECK(fault_in(R"({"a":[{"b":1},{"b":"x"}]})", [](const auto& o) {
          for (const auto& each : o.objects("a")) each.integer("b");
        }) == "a[].b is not a whole number");
}

TEST_CASE("the first fault is kept, whichever object of the document met it") {
  CHECK(fault_in(R"({"a":{"b":1},"c":2})", [](const auto& o) {
          o.object("a").text("b");
          o.text("c");
          o.refuse("d", "anything");
        }) == "a.b is not a string");
  CHECK(fault_in(R"({"a":"green"})", [](const auto& o) { o.refuse("a", "a colour that is known"); }) ==
        "a is not a colour that is known");
}

TEST_CASE("a value that is not an object is a fault, and all its members are missing") {
  for (const auto* text : {"[]", "null", "7", "\"x\"", "true"}) {
    CAPTURE(text);
    const auto document = parse_json(text);
    REQUIRE(document);
    const JsonObject object(*document);
    REQUIRE(object.fault());
    CHECK(object.fault()->path.empty());
    CHECK(object.fault()->expected == "an object");
    CHECK(object.text("x").empty());
    CHECK(object.find("x") == nullptr);
    CHECK(parse_json_object(text).error() == Error{Errc::protocol, "is not a JSON object"});
  }
}

TEST_CASE("a text that is no JSON, or nests deeper than allowed, is an error that says which") {
  for (const auto* text : {"", "{", "[1,]", "{} x", "<html>", "nul"}) {
    CAPTURE(text);
    REQUIRE_FALSE(parse_json(text));
    CHECK(parse_json(text).error() == Error{Errc::protocol, "is not readable JSON"});
  }
  CHECK(parse_json(repeated("[", 16) + repeated("]", 16), {.depth = 16}));
  CHECK(parse_json(repeated("[", 17) + repeated("]", 17), {.depth = 16}).error().detail == "nests too deep");
  CHECK(parse_json(repeated("[", 100'000)).error().detail == "nests too deep");
}

TEST_CASE("texts are valid UTF-8 unless any bytes are allowed, and the last of two equal keys counts") {
  CHECK_FALSE(parse_json("\"caf\xe9\""));
  CHECK(parse_json("\"caf\xe9\"", {.any_bytes = true}));
  const auto document = parse_json_object(R"({"a":1,"a":2})");
  REQUIRE(document);
  CHECK(JsonObject(*document).integer("a") == 2);
}

}  // namespace
