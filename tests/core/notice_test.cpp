#include "vtmirror/core/notice.hpp"

#include <doctest/doctest.h>

#include <random>

namespace vtmirror::test {
namespace {

base::Time at(int second) {
  return base::Time{std::chrono::sys_days{std::chrono::year{2026} / 11 / 18}} + std::chrono::hours{8} +
         std::chrono::seconds{second};
}

core::FileRecord delta() {
  return {.kind = core::Kind::delta,
          .name = "v1/public/delta/delta-light-vehicle_18-11-2026.zip",
          .date = std::chrono::year{2026} / 11 / 18,
          .size = 95'800'000,
          .sha256 = "abc",
          .etag = "\"tag\"",
          .published_at = at(5)};
}

TEST_CASE("the notice of a published file has its name, date, size, digest and generation") {
  auto notice = core::published_notice(delta(), 42);
  notice.id = "4711";
  CHECK(
      core::notice_json(notice) ==
      R"j({"schema":1,"id":"4711","event":"published","code":"published","level":"info","at":"2026-11-18T08:00:05Z",)j"
      R"j("message":"delta 18 Nov is published (95.8 MB, generation 42)",)j"
      R"j("file":"v1/public/delta/delta-light-vehicle_18-11-2026.zip","kind":"delta","date":"2026-11-18",)j"
      R"j("bytes":95800000,"sha256":"abc","generation":42})j");
}

TEST_CASE("any notice is read back from its JSON as it was") {
  std::mt19937 dice(7);
  const auto roll = [&dice](unsigned sides) { return static_cast<int>(dice() % sides); };
  const std::string texts[] = {"", "plain", "a \"quoted\" one\nwith a second line", "ünïcödé", std::string("a\0b", 3)};
  for (int round = 0; round < 200; ++round) {
    core::Notice notice;
    notice.topic = static_cast<core::Topic>(roll(4));
    notice.urgency = static_cast<core::Urgency>(roll(3));
    notice.stage = static_cast<core::Stage>(roll(3));
    notice.code = texts[roll(5)];
    notice.message = texts[roll(5)];
    notice.id = texts[roll(5)];
    notice.at = at(roll(1'000'000));
    if (roll(2) == 0) notice.fields.push_back({"reason", texts[roll(5)]});
    if (roll(2) == 0) notice.fields.push_back({"bytes", std::int64_t{roll(1000)} - 500});
    const auto read = core::parse_notice(core::notice_json(notice));
    REQUIRE(read);
    CHECK(*read == notice);
  }
}

TEST_CASE("a field never takes the place of the notice's own keys") {
  core::Notice notice{.topic = core::Topic::warning, .code = "late_delta"};
  notice.fields = {{"event", "published"}, {"at", "never"}};
  const auto read = core::parse_notice(core::notice_json(notice));
  REQUIRE(read);
  CHECK(read->topic == core::Topic::warning);
  CHECK(read->fields.empty());
}

TEST_CASE("the pause before the next attempt grows from a minute to six hours, and then stays the same") {
  std::chrono::seconds before{};
  for (int failed = 1; failed < 100; ++failed) {
    const auto pause = core::delivery_pause(failed, std::nullopt);
    CHECK(pause >= before);
    CHECK(pause <= std::chrono::hours(6));
    before = pause;
  }
  CHECK(core::delivery_pause(1, std::nullopt) == std::chrono::minutes(1));
  CHECK(before == std::chrono::hours(6));
}

TEST_CASE("a receiver that asks for a longer pause gets it, within the longest") {
  CHECK(core::delivery_pause(1, std::chrono::minutes(30)) == std::chrono::minutes(30));
  CHECK(core::delivery_pause(4, std::chrono::seconds(1)) == core::delivery_pause(4, std::nullopt));
  CHECK(core::delivery_pause(1, std::chrono::hours(1000)) == std::chrono::hours(6));
}

TEST_CASE("a text that is not a notice is refused with the reason") {
  for (const char* text : {"", "[]", "{}", R"({"event":"lunch","level":"info","at":"2026-11-18T08:00:05Z"})",
                           R"({"event":"cycle","level":"loud","at":"2026-11-18T08:00:05Z"})",
                           R"({"event":"cycle","level":"info","stage":"half","at":"2026-11-18T08:00:05Z"})",
                           R"({"event":"cycle","level":"info","at":"yesterday"})"}) {
    CAPTURE(text);
    const auto read = core::parse_notice(text);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == base::Errc::protocol);
  }
}

}  // namespace
}  // namespace vtmirror::test
