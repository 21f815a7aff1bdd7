#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"
#include "catalogue/sql.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

namespace vtmirror::test {
namespace {

using Order = core::DeliveryOrder;
using core::Topic;

const core::Cause unreachable{.code = base::Errc::unreachable};

core::Cause cause(std::string detail) { return {.code = base::Errc::forbidden, .detail = std::move(detail)}; }

/// Publishes the file with that number, and records that the manifest of its generation is written.
bool put(catalogue::Catalogue& catalogue, int number) {
  const auto generation = catalogue.publish(file(number));
  return generation && catalogue.keep_written(*generation);
}

/// The next delivery to that channel. The case fails if there is none.
catalogue::Delivery next(const catalogue::Catalogue& catalogue, const std::string& channel, Order order = Order::kept) {
  auto found = catalogue.next_delivery(channel, order).value();
  REQUIRE(found);
  return *found;
}

TEST_CASE("a publication is queued with its generation for each channel that subscribes to it, and for no other") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"mail", {Topic::warning}}, {"hook", {Topic::published}}, {"webhook", every_topic}}));
  REQUIRE(put(catalogue, 1));
  const auto all = catalogue.deliveries().value();
  REQUIRE(all.size() == 2);
  CHECK(all[0].channel == "hook");
  CHECK(all[1].channel == "webhook");
  CHECK(all[0].notice == all[1].notice);
  auto expected = core::published_notice(file(1), 1);
  expected.id = all[0].notice.id;
  CHECK(all[0].notice == expected);
  CHECK(expected.id.size() == 32);
  CHECK_FALSE(catalogue.next_delivery("mail", Order::by_due).value());
}

TEST_CASE("channels that are stored already are not written again, so that a full disk cannot refuse them") {
  const TemporaryDirectory directory;
  const auto path = (directory / "catalogue.db").string();
  auto catalogue = opened(path);
  const auto written = [&path] { return std::filesystem::file_size(path + "-wal"); };
  REQUIRE(catalogue.set_channels({{"mail", {Topic::warning}}, {"hook", every_topic}}));
  const auto before = written();
  CHECK(catalogue.set_channels({{"hook", every_topic}, {"mail", {Topic::warning}}}));
  CHECK(written() == before);
  CHECK(catalogue.set_channels({{"hook", every_topic}, {"mail", {Topic::cycle}}}));
  CHECK(written() > before);
  REQUIRE(catalogue.finish_cycle(finished(catalogue.begin_cycle(at(0)).value(), 2), {notice(2)}));
  CHECK(catalogue.next_delivery("mail", Order::by_due).value());
}

TEST_CASE(
    "a notice waits until the generation that it is about is on the shelf, and other notices do not wait for it") {
  auto catalogue = opened(":memory:");
  for (const auto order : {Order::kept, Order::newest, Order::by_due}) {
    CAPTURE(static_cast<int>(order));
    catalogue = opened(":memory:");
    REQUIRE(catalogue.set_channels({{"hook", every_topic}}));
    const auto first = catalogue.publish(file(1)).value();
    CHECK_FALSE(catalogue.next_delivery("hook", order).value());
    REQUIRE(catalogue.finish_cycle(finished(catalogue.begin_cycle(at(0)).value(), 2), {notice(2)}));
    CHECK(next(catalogue, "hook", order).notice.code == "cycle");
    REQUIRE(catalogue.keep_delivered("hook", next(catalogue, "hook", order).notice.id, Order::kept, at(3)));
    CHECK_FALSE(catalogue.next_delivery("hook", order).value());
    CHECK(catalogue.deliveries().value().size() == 1);
    const auto second = catalogue.publish(file(3)).value();
    REQUIRE(catalogue.keep_written(first));
    CHECK(next(catalogue, "hook", order).notice.at == at(1));
    REQUIRE(catalogue.keep_delivered("hook", next(catalogue, "hook", order).notice.id, Order::kept, at(4)));
    CHECK_FALSE(catalogue.next_delivery("hook", order).value());
    REQUIRE(catalogue.keep_written(second));
    CHECK(next(catalogue, "hook", order).notice.at == at(3));
  }
}

TEST_CASE("the outbox is woken when a generation is on the shelf, once") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"hook", every_topic}}));
  REQUIRE(catalogue.publish(file(1)));
  int woken = 0;
  catalogue.on_queued([&woken] { ++woken; });
  REQUIRE(catalogue.keep_written(1));
  CHECK(woken == 1);
  REQUIRE(catalogue.keep_written(1));
  CHECK(woken == 1);
}

TEST_CASE("an event without subscribers leaves no record") {
  auto catalogue = opened(":memory:");
  REQUIRE(put(catalogue, 1));
  REQUIRE(catalogue.set_channels({{"mail", {Topic::warning}}}));
  REQUIRE(put(catalogue, 2));
  CHECK(catalogue.deliveries().value().empty());
}

TEST_CASE("a cycle's end is queued in the transaction that records it, or not at all") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"heartbeat", {Topic::cycle}}}));
  const auto id = catalogue.begin_cycle(at(0)).value();
  CHECK_FALSE(catalogue.finish_cycle(finished(id + 1, 1), {notice(1)}));
  CHECK(catalogue.deliveries().value().empty());
  REQUIRE(catalogue.finish_cycle(finished(id, 1), {notice(1), notice(2)}));
  const auto all = catalogue.deliveries().value();
  REQUIRE(all.size() == 2);
  CHECK(all[0].notice.message == notice(1).message);
  CHECK(all[0].notice.id != all[1].notice.id);
}

TEST_CASE("a delivery that failed comes again with the same notice, later, and with the reason") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"webhook", every_topic}}));
  REQUIRE(put(catalogue, 1));
  const auto first = next(catalogue, "webhook");
  CHECK(first.attempts == 0);
  CHECK(first.due == at(1));
  REQUIRE(catalogue.keep_undelivered("webhook", first.notice.id, at(50), cause("HTTP 500")));
  const auto second = next(catalogue, "webhook");
  CHECK(second.notice == first.notice);
  CHECK(second.attempts == 1);
  CHECK(second.due == at(50));
  CHECK(second.cause == cause("HTTP 500"));
}

TEST_CASE("a failing notice holds up its channel where the order is kept, and nowhere else") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"hook", {Topic::published}}, {"webhook", {Topic::published}}}));
  REQUIRE(put(catalogue, 1));
  REQUIRE(put(catalogue, 2));
  const auto first = next(catalogue, "hook").notice;
  REQUIRE(catalogue.keep_undelivered("hook", first.id, at(50), cause("exit status 1")));
  REQUIRE(catalogue.keep_undelivered("webhook", first.id, at(50), cause("HTTP 400")));
  CHECK(next(catalogue, "hook", Order::kept).notice == first);
  CHECK(next(catalogue, "webhook", Order::by_due).notice.at == at(2));
}

/// Delivers all notices of a channel in the order in which they are due, and returns their messages.
std::vector<std::string> logged(catalogue::Catalogue& catalogue, const std::string& channel, int minute) {
  std::vector<std::string> messages;
  while (const auto delivery = catalogue.next_delivery(channel, Order::by_due).value()) {
    messages.push_back(delivery->notice.message);
    REQUIRE(catalogue.keep_delivered(channel, delivery->notice.id, Order::by_due, at(minute)));
  }
  return messages;
}

core::Notice notice_of(const std::string& code, core::Stage stage, int minute) {
  core::Notice notice{.topic = Topic::warning, .code = code, .stage = stage};
  notice.message = (stage == core::Stage::over ? "over: " : "") + code + ' ' + std::to_string(minute);
  notice.at = at(minute);
  return notice;
}

TEST_CASE("the end of a problem is never sent before its beginning, and another problem does not wait for it") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"webhook", {Topic::warning}}}));
  const auto begin = [&](const std::string& code, int minute) {
    const core::Problem problem{core::problem_code(code).value(), at(minute)};
    REQUIRE(catalogue.keep_problems({problem}, {notice_of(code, core::Stage::began, minute)}));
  };
  const auto end = [&](const std::string& code, int minute) {
    REQUIRE(catalogue.keep_problems({}, {notice_of(code, core::Stage::over, minute)}));
  };
  begin("low_space", 1);
  REQUIRE(catalogue.keep_undelivered("webhook", next(catalogue, "webhook").notice.id, at(500), unreachable));
  SUBCASE("over while the channel is down") {
    end("low_space", 2);
    CHECK(logged(catalogue, "webhook", 9) == std::vector<std::string>{"low_space 1", "over: low_space 2"});
  }
  SUBCASE("over, and the beginning fails once more") {
    end("low_space", 2);
    REQUIRE(catalogue.keep_undelivered("webhook", next(catalogue, "webhook").notice.id, at(600), unreachable));
    begin("late_delta", 3);
    CHECK(next(catalogue, "webhook", Order::by_due).notice.code == "late_delta");
    CHECK(logged(catalogue, "webhook", 9) ==
          std::vector<std::string>{"late_delta 3", "low_space 1", "over: low_space 2"});
  }
  SUBCASE("over and there again") {
    end("low_space", 2);
    begin("low_space", 3);
    CHECK(logged(catalogue, "webhook", 9) ==
          std::vector<std::string>{"low_space 1", "over: low_space 2", "low_space 3"});
  }
}

TEST_CASE("a notice goes with its last delivery") {
  const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
  const auto path = (directory / "catalogue.db").string();
  auto catalogue = opened(path);
  REQUIRE(catalogue.set_channels({{"hook", {Topic::published}}, {"webhook", {Topic::published}}}));
  REQUIRE(put(catalogue, 1));
  const auto id = next(catalogue, "hook").notice.id;
  const auto database = connected(path, catalogue::Access::read_only);
  const auto notices = [&database] { return column(*database, "SELECT id FROM notice").size(); };
  REQUIRE(catalogue.keep_delivered("hook", id, Order::kept, at(9)));
  CHECK(notices() == 1);
  REQUIRE(catalogue.keep_delivered("hook", id, Order::kept, at(9)));
  CHECK(next(catalogue, "webhook").notice.id == id);
  REQUIRE(catalogue.keep_delivered("webhook", id, Order::kept, at(9)));
  CHECK(notices() == 0);
  CHECK(catalogue.deliveries().value().empty());
}

TEST_CASE("if only the newest notice counts, it is sent first and the older ones are dropped with it") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"heartbeat", every_topic}, {"webhook", every_topic}}));
  for (int number = 1; number <= 3; ++number) REQUIRE(put(catalogue, number));
  const auto newest = next(catalogue, "heartbeat", Order::newest).notice;
  CHECK(newest.at == at(3));
  REQUIRE(put(catalogue, 4));
  REQUIRE(catalogue.keep_delivered("heartbeat", newest.id, Order::newest, at(9)));
  CHECK(next(catalogue, "heartbeat", Order::newest).notice.at == at(4));
  CHECK(catalogue.deliveries().value().size() == 5);
}

TEST_CASE("the callback for notices is called after they are committed, and at no other time") {
  auto catalogue = opened(":memory:");
  std::size_t seen = 0;
  catalogue.on_queued([&] { seen += catalogue.deliveries().value().size(); });
  REQUIRE(put(catalogue, 1));
  REQUIRE(catalogue.set_channels({{"webhook", {Topic::cycle}}}));
  REQUIRE(put(catalogue, 2));
  const auto id = catalogue.begin_cycle(at(0)).value();
  CHECK_FALSE(catalogue.finish_cycle(finished(id + 1, 1), {notice(1)}));
  CHECK(seen == 0);
  REQUIRE(catalogue.finish_cycle(finished(id, 1), {notice(1)}));
  CHECK(seen == 1);
}

TEST_CASE("a channel that works again is tried at once with whatever waits for it, and no other channel is") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"webhook", every_topic}, {"hook", every_topic}}));
  for (int number = 1; number <= 3; ++number) REQUIRE(put(catalogue, number));
  for (const auto& delivery : catalogue.deliveries().value()) {
    REQUIRE(catalogue.keep_undelivered(delivery.channel, delivery.notice.id, at(500), unreachable));
  }
  REQUIRE(catalogue.keep_delivered("webhook", next(catalogue, "webhook").notice.id, Order::kept, at(60)));
  for (const auto& delivery : catalogue.deliveries().value())
    CHECK(delivery.due == (delivery.channel == "webhook" ? at(60) : at(500)));
}

TEST_CASE(
    "a channel counts as failing after several failures over too long a time, until its oldest notice is delivered") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"hook", every_topic}, {"mail", {Topic::warning}}, {"webhook", every_topic}}));
  for (int number = 1; number <= 3; ++number) REQUIRE(put(catalogue, number));
  const auto fail = [&](const std::string& channel, const std::string& detail) {
    const auto id = next(catalogue, channel).notice.id;
    REQUIRE(catalogue.keep_undelivered(channel, id, at(500), cause(detail)));
  };
  const auto failing = [&](int minute) { return catalogue.failing_channels(at(minute)).value(); };
  fail("webhook", "HTTP 404");
  fail("hook", "exit status 1");
  CHECK(failing(100).empty());
  const auto another = next(catalogue, "webhook", Order::by_due).notice;
  CHECK(another.at == at(2));
  REQUIRE(catalogue.keep_undelivered("webhook", another.id, at(500), cause("HTTP 500")));
  using Failing = std::vector<core::FailingChannel>;
  CHECK(failing(100) == Failing{{"webhook", at(1), 3, cause("HTTP 404")}});
  CHECK(failing(1).empty());
  fail("hook", "exit status 2");
  CHECK(failing(100) == Failing{{"hook", at(1), 3, cause("exit status 2")}, {"webhook", at(1), 3, cause("HTTP 404")}});
  REQUIRE(catalogue.keep_delivered("webhook", next(catalogue, "webhook").notice.id, Order::by_due, at(60)));
  REQUIRE(catalogue.set_channels({{"webhook", every_topic}}));
  CHECK(failing(100).empty());
}

TEST_CASE("the notices of a removed channel are dropped, and those of the others stay") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"webhook", every_topic}, {"hook", every_topic}}));
  REQUIRE(put(catalogue, 1));
  REQUIRE(put(catalogue, 2));
  const auto ended = catalogue.set_channels({{"webhook", {Topic::warning}}, {"mail", every_topic}}).value();
  CHECK(ended == std::vector<catalogue::EndedChannel>{{"hook", 2, "", 0}});
  const auto all = catalogue.deliveries().value();
  REQUIRE(all.size() == 2);
  for (const auto& delivery : all) CHECK(delivery.channel == "webhook");
  CHECK(catalogue.set_channels({}).value() == std::vector<catalogue::EndedChannel>{{"webhook", 2, "", 0}});
  CHECK(catalogue.deliveries().value().empty());
}

using Ended = std::vector<catalogue::EndedChannel>;

TEST_CASE("a corrected hook or address gets the notices that waited for the wrong one, if it subscribes to them") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"hook laod 1", every_topic}, {"hook other 2", every_topic}, {"webhook", {}}}));
  REQUIRE(put(catalogue, 1));
  REQUIRE(put(catalogue, 2));
  REQUIRE(catalogue.finish_cycle(finished(catalogue.begin_cycle(at(0)).value(), 3), {notice(3)}));
  const auto first = next(catalogue, "hook laod 1").notice;
  REQUIRE(catalogue.keep_undelivered("hook laod 1", first.id, at(500), cause("cannot be started")));
  const auto ended = catalogue.set_channels({{"hook load 3", {Topic::published}}, {"hook other 2", every_topic}});
  CHECK(ended.value() == Ended{{"hook laod 1", 3, "hook load 3", 2}});
  const auto waiting = next(catalogue, "hook load 3");
  CHECK(waiting.notice == first);
  CHECK(waiting.attempts == 0);
  CHECK(waiting.due == at(1));
  CHECK(waiting.cause == core::Cause{});
  CHECK(catalogue.deliveries().value().size() == 5);
}

TEST_CASE("if it is not clear which channel replaced which, the waiting notices are dropped") {
  auto catalogue = opened(":memory:");
  const auto set = [&](std::initializer_list<const char*> names) {
    std::vector<catalogue::Subscription> channels;
    for (const auto* name : names) channels.push_back({name, every_topic});
    return catalogue.set_channels(channels).value();
  };
  set({"mail to a", "mail to b"});
  REQUIRE(put(catalogue, 1));
  SUBCASE("two for one") { CHECK(set({"mail to b", "mail to c", "mail to d"}) == Ended{{"mail to a", 1, "", 0}}); }
  SUBCASE("one for two") { CHECK(set({"mail to c"}) == Ended{{"mail to a", 1, "", 0}, {"mail to b", 1, "", 0}}); }
  SUBCASE("another kind") { CHECK(set({"mail to b", "hook load 1"}) == Ended{{"mail to a", 1, "", 0}}); }
  SUBCASE("one that was set before") { CHECK(set({"mail to b"}) == Ended{{"mail to a", 1, "", 0}}); }
}

TEST_CASE("no two notices ever have one id, however they come and go") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.set_channels({{"hook", every_topic}}));
  std::set<std::string> ids;
  for (int number = 0; number < 50; ++number) {
    REQUIRE(put(catalogue, number));
    const auto id = next(catalogue, "hook").notice.id;
    CHECK(ids.insert(id).second);
    REQUIRE(catalogue.keep_delivered("hook", id, Order::kept, at(number)));
  }
}

}  // namespace
}  // namespace vtmirror::test
