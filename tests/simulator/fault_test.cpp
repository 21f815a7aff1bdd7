#include "simulator/fault.hpp"

#include "simulator/script.hpp"

#include <doctest/doctest.h>

namespace vtmirror::simulator {
namespace {

FaultList faults(const std::string& list) {
  const auto script = merge({}, "{\"faults\":" + list + "}");
  REQUIRE_MESSAGE(script, script.error().detail);
  return FaultList(script->faults);
}

// Which of `count` like requests meet a fault: "..x".
std::string met(FaultList& list, int count, At at = At::store, std::string_view path = "/v1/delta.zip") {
  std::string seen;
  for (int i = 0; i < count; ++i) seen += list.next(at, path) ? 'x' : '.';
  return seen;
}

TEST_CASE("a fault affects one request unless its script says otherwise") {
  FaultList list = faults(R"([{"at":"store","status":503}])");
  CHECK(met(list, 3) == "x..");
}

TEST_CASE("a fault lets some requests pass, then affects its number of requests and no more") {
  FaultList list = faults(R"([{"at":"store","status":503,"skip":2,"times":3}])");
  CHECK(met(list, 7) == "..xxx..");
}

TEST_CASE("a fault with times 0 never ends") {
  FaultList list = faults(R"([{"at":"store","status":503,"skip":1,"times":0}])");
  CHECK(met(list, 6) == ".xxxxx");
}

TEST_CASE("a fault keeps to its host and to the paths that it matches") {
  FaultList list = faults(R"([{"at":"store","match":"delta","times":0,"close":true}])");
  CHECK(met(list, 1, At::api) == ".");
  CHECK(met(list, 1, At::store, "/v1/bulk.zip") == ".");
  CHECK(met(list, 1) == "x");
}

TEST_CASE("faults come in the order of the script, each after the other is used up") {
  FaultList list = faults(R"([{"status":500},{"status":503}])");
  CHECK(list.next(At::api, "/")->status == 500);
  CHECK(list.next(At::api, "/")->status == 503);
  CHECK_FALSE(list.next(At::api, "/"));
}

TEST_CASE("a fault that is misspelt, or of a wrong type, or without an effect is refused") {
  for (const char* fault :
       {R"({"stauts":503})", R"({"status":"503"})", R"({"at":"stor","status":1})", R"({"at":"store"})", R"({"rate":0})",
        R"({"cut_after":-1})", R"({"headers":[],"status":503})", "7"}) {
    INFO(fault);
    CHECK_FALSE(merge({}, std::string("{\"faults\":[") + fault + "]}"));
  }
}

TEST_CASE("a status comes with its body and its headers") {
  FaultList list =
      faults(R"([{"status":503,"headers":{"Retry-After":"1"},"body":"{}","content_type":"application/json"}])");
  const auto answer = replacement(*list.next(At::api, "/"));
  REQUIRE(answer);
  CHECK(answer->status == 503);
  CHECK(answer->text == "{}");
  CHECK(answer->headers == Headers{{"Content-Type", "application/json"}, {"Retry-After", "1"}});
}

TEST_CASE("a fault of the delivery leaves the answer itself alone") {
  FaultList list = faults(R"([{"cut_after":10,"rate":1000,"delay_ms":5}])");
  const auto fault = list.next(At::store, "/");
  CHECK_FALSE(replacement(*fault));
  Answer answer = text_answer(200, "text/plain", "hello");
  misbehave(*fault, answer);
  CHECK(answer.text == "hello");
  CHECK(answer.delivery.cut_after == 10);
  CHECK(answer.delivery.rate == 1000);
  CHECK(answer.delivery.delay == std::chrono::milliseconds(5));
  CHECK(answer.fault == "delay_ms+cut_after+rate");
}

TEST_CASE("a script changes what it names and keeps the rest") {
  const auto first = merge({}, R"({"delta_bytes":5000,"absent":["2026-11-17"],"listing_raw":"{"})");
  REQUIRE(first);
  const auto second = merge(*first, R"({"absent":[],"listing_raw":null,"deflated":"all"})");
  REQUIRE(second);
  CHECK(second->delta_bytes == 5000);
  CHECK(second->absent.empty());
  CHECK_FALSE(second->listing_raw);
  CHECK(second->deflated == Deflated::all);
}

TEST_CASE("a script with an unknown member, or that is no object, is refused") {
  for (const char* text : {"", "[]", "{", R"({"bulk_byte":1})", R"({"deflated":"most"})", R"({"absent":"2026-11-17"})",
                           R"({"extra_entries":{"bulks":[]}})"}) {
    INFO(text);
    CHECK_FALSE(merge({}, text));
  }
}

}  // namespace
}  // namespace vtmirror::simulator
