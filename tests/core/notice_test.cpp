#include "vtmirror/core/notice.hpp"

#include "support/every.hpp"

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

core::Held held(core::Kind kind, int day, const std::string& digest = "abc") {
  core::Held file{.kind = kind, .name = {}, .date = std::chrono::year{2026} / 11 / day, .size = 100, .sha256 = digest};
  const std::string word(core::name(kind));
  file.name = "v1/public/" + word + '/' + word + "-light-vehicle_" + std::to_string(day) + "-11-2026.zip";
  return file;
}

TEST_CASE(
    "the notice of a chain names its edition, whether it is complete, and the files that changed, in load order") {
  const std::vector before{held(core::Kind::bulk, 15), held(core::Kind::delta, 15), held(core::Kind::delta, 16)};
  core::Chain now{.files = {before[0], held(core::Kind::delta, 15, "new"), held(core::Kind::delta, 17)}};
  now.through = now.files.back().date;
  auto notice = core::chain_notice(before, now, {.session = "6f0c", .generation = 43}, at(5));
  notice.id = "4711";
  CHECK(core::notice_json(notice) ==
        R"j({"schema":1,"id":"4711","event":"chain","code":"chain","level":"info","at":"2026-11-18T08:00:05Z",)j"
        R"j("message":"the chain to load ends with delta 17 Nov and is not complete (generation 43): )j"
        R"j(delta 17 Nov added, delta 15 Nov replaced, delta 16 Nov removed","session":"6f0c","generation":43,)j"
        R"j("complete":false,"through":"2026-11-17","added":["v1/public/delta/delta-light-vehicle_17-11-2026.zip"],)j"
        R"j("replaced":["v1/public/delta/delta-light-vehicle_15-11-2026.zip"],)j"
        R"j("removed":["v1/public/delta/delta-light-vehicle_16-11-2026.zip"]})j");
}

TEST_CASE("the notice of a chain that lost its bulk file has no day, and says that there is nothing to load") {
  const std::vector before{held(core::Kind::bulk, 15)};
  const auto notice = core::chain_notice(before, {}, {.session = "6f0c", .generation = 44}, at(5));
  CHECK(notice.message == "no files to load (generation 44): bulk 15 Nov removed");
  CHECK(core::notice_json(notice).find(R"("through":null)") != std::string::npos);
}

core::ChainNews any_news(const auto& roll) {
  core::ChainNews news{.session = "s" + std::to_string(roll(9)), .generation = roll(9), .complete = roll(2) == 0};
  if (roll(2) == 0) news.through = std::chrono::year{2026} / 11 / (1 + roll(28));
  for (auto* names : {&news.added, &news.replaced, &news.removed})
    for (int n = roll(3); n > 0; --n) names->push_back("v1/" + std::to_string(roll(99)));
  return news;
}

TEST_CASE("every topic has its own name, and all but that of a test can be subscribed to") {
  std::vector<core::Topic> all(core::subscribable.begin(), core::subscribable.end());
  all.push_back(core::Topic::test);
  const auto topics = every<core::Topic>();
  REQUIRE(all.size() == topics.size());
  for (std::size_t i = 0; i < topics.size(); ++i) {
    CHECK(all[i] == topics[i].value);
    CHECK(core::name(topics[i].value) == topics[i].word);
    CHECK(core::topic_of(topics[i].word) == topics[i].value);
  }
  CHECK_FALSE(core::topic_of("warnings"));
}

TEST_CASE("any notice is read back from its JSON as it was") {
  std::mt19937 dice(7);
  const auto roll = [&dice](unsigned sides) { return static_cast<int>(dice() % sides); };
  const std::string texts[] = {"", "plain", "a \"quoted\" one\nwith a second line", "ünïcödé", std::string("a\0b", 3)};
  for (int round = 0; round < 200; ++round) {
    core::Notice notice;
    const auto topics = every<core::Topic>();
    notice.topic = topics[static_cast<std::size_t>(roll(topics.size()))].value;
    notice.urgency = static_cast<core::Urgency>(roll(3));
    notice.stage = static_cast<core::Stage>(roll(3));
    notice.code = texts[roll(5)];
    notice.message = texts[roll(5)];
    notice.id = texts[roll(5)];
    notice.at = at(roll(1'000'000));
    const bool of_chain = notice.topic == core::Topic::chain;
    if (of_chain) notice.chain = any_news(roll);
    if (!of_chain && roll(2) == 0) notice.fields.push_back({"reason", texts[roll(5)]});
    if (!of_chain && roll(2) == 0) notice.fields.push_back({"bytes", std::int64_t{roll(1000)} - 500});
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
