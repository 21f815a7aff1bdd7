// What is remembered of the consumers, and their tickets.
#include "catalogue/made.hpp"
#include "catalogue/sql.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::test {
namespace {

using core::Acknowledgement;

/// A catalogue with two public files, of generation 2, and a consumer.
catalogue::Catalogue with_consumer(const std::string& path = ":memory:") {
  auto catalogue = opened(path);
  REQUIRE(catalogue.publish(file(1)));
  REQUIRE(catalogue.publish(file(2)));
  REQUIRE(catalogue.keep_asked("warehouse", at(5)));
  return catalogue;
}

core::Held held(int number, std::int64_t since) {
  const auto record = file(number);
  return {record.kind, record.name, record.date, record.size, record.sha256, since};
}

core::Offer offer() {
  core::Offer offer{.action = core::LoadAction::reload, .why = {.reason = core::LoadReason::first}};
  offer.files = {held(1, 1), held(2, 2)};
  offer.through = day(2);
  offer.after = {.session = "s", .generation = 2, .start = day(1), .bulk = offer.files.front()};
  return offer;
}

TEST_CASE("a new catalogue knows no consumer") {
  const auto catalogue = opened(":memory:");
  CHECK(catalogue.consumers().value().empty());
  CHECK_FALSE(catalogue.consumer("warehouse").value().has_value());
}

TEST_CASE("a consumer is known from its first question on, and the time of its newest is kept") {
  auto catalogue = with_consumer();
  REQUIRE(catalogue.keep_asked("warehouse", at(9)));
  REQUIRE(catalogue.keep_asked("another", at(7)));
  const auto all = catalogue.consumers().value();
  REQUIRE(all.size() == 2);
  CHECK(all[0].name == "another");
  CHECK(all[1].name == "warehouse");
  CHECK(all[1].created == at(5));
  CHECK(all[1].asked == at(9));
  CHECK(all[1].kept_up == at(5));
  REQUIRE(catalogue.keep_up_to_date("warehouse", at(11)));
  CHECK(catalogue.consumer("warehouse").value()->asked == at(11));
  CHECK(catalogue.consumer("warehouse").value()->kept_up == at(11));
  CHECK(catalogue.keep_up_to_date("nobody", at(11)).has_error());
  CHECK_FALSE(all[1].position.has_value());
  CHECK_FALSE(all[1].offer.has_value());
}

TEST_CASE("an offer stands with its ticket until it is acknowledged, and is the position then") {
  auto catalogue = with_consumer();
  const auto ticket = catalogue.keep_offer("warehouse", offer(), at(6)).value();
  REQUIRE(ticket.has_value());
  CHECK(ticket->starts_with("2-"));
  auto known = catalogue.consumer("warehouse").value();
  REQUIRE(known.has_value());
  CHECK(known->offer == offer());
  CHECK(known->ticket == *ticket);
  CHECK(known->offered_at == at(6));
  CHECK(catalogue.acknowledge("warehouse", *ticket, at(8)).value() == Acknowledgement::done);
  known = catalogue.consumer("warehouse").value();
  CHECK_FALSE(known->offer.has_value());
  CHECK(known->ticket.empty());
  CHECK(known->acknowledged == *ticket);
  CHECK(known->acknowledged_at == at(8));
  CHECK(known->kept_up == at(6));
  REQUIRE(known->position.has_value());
  CHECK(known->position->bulk == offer().after.bulk);
  CHECK(known->position->reloaded.has_value());
}

TEST_CASE("the last ticket may be acknowledged again, and an older or unknown one may not") {
  auto catalogue = with_consumer();
  const auto first = catalogue.keep_offer("warehouse", offer(), at(6)).value().value();
  CHECK(catalogue.acknowledge("warehouse", first, at(7)).value() == Acknowledgement::done);
  CHECK(catalogue.acknowledge("warehouse", first, at(8)).value() == Acknowledgement::repeated);
  CHECK(catalogue.consumer("warehouse").value()->acknowledged_at == at(7));
  const auto second = catalogue.keep_offer("warehouse", offer(), at(9)).value().value();
  CHECK(second != first);
  CHECK(catalogue.acknowledge("warehouse", first, at(9)).value() == Acknowledgement::repeated);
  CHECK(catalogue.acknowledge("warehouse", "2-7", at(9)).value() == Acknowledgement::unknown_ticket);
  CHECK(catalogue.acknowledge("warehouse", "", at(9)).value() == Acknowledgement::unknown_ticket);
  CHECK(catalogue.acknowledge("nobody", second, at(9)).value() == Acknowledgement::unknown_consumer);
  CHECK(catalogue.acknowledge("warehouse", second, at(9)).value() == Acknowledgement::done);
  CHECK(catalogue.acknowledge("warehouse", first, at(9)).value() == Acknowledgement::unknown_ticket);
}

TEST_CASE("no ticket is given twice, to whomever, and a new catalogue does not begin where another one did") {
  auto catalogue = with_consumer();
  REQUIRE(catalogue.keep_asked("another", at(5)));
  const auto one = catalogue.keep_offer("warehouse", offer(), at(6)).value().value();
  const auto two = catalogue.keep_offer("another", offer(), at(6)).value().value();
  CHECK(one != two);
  CHECK(catalogue.forget("warehouse").value());
  REQUIRE(catalogue.keep_asked("warehouse", at(7)));
  const auto three = catalogue.keep_offer("warehouse", offer(), at(7)).value().value();
  CHECK(three != one);
  CHECK(three != two);
  auto later = with_consumer();
  CHECK(later.keep_offer("warehouse", offer(), at(600)).value().value() != one);
}

TEST_CASE("an offer of a file that was replaced, lost or removed meanwhile is not recorded") {
  for (const int what : {0, 1, 2}) {
    CAPTURE(what);
    auto catalogue = with_consumer();
    auto newer = file(2);
    newer.sha256 = "other bytes";
    if (what == 0) REQUIRE(catalogue.publish(newer));
    if (what == 1) REQUIRE(catalogue.keep_condition(delta_name(2), core::Condition::lost));
    if (what == 2) REQUIRE(catalogue.remove({delta_name(2)}, at(6)));
    CHECK_FALSE(catalogue.keep_offer("warehouse", offer(), at(6)).value().has_value());
    CHECK_FALSE(catalogue.consumer("warehouse").value()->offer.has_value());
  }
}

TEST_CASE("nobody is offered anything who is not known") {
  auto catalogue = with_consumer();
  CHECK(catalogue.keep_offer("nobody", offer(), at(6)).has_error());
}

TEST_CASE("an offer is renewed or dropped, and a dropped one stays known and cannot be acknowledged") {
  auto catalogue = with_consumer();
  const auto ticket = catalogue.keep_offer("warehouse", offer(), at(6)).value().value();
  REQUIRE(catalogue.renew_offer("warehouse", at(60)));
  CHECK(catalogue.consumer("warehouse").value()->offered_at == at(60));
  CHECK(catalogue.consumer("warehouse").value()->ticket == ticket);
  REQUIRE(catalogue.drop_offer("warehouse"));
  const auto known = catalogue.consumer("warehouse").value();
  CHECK(known->offer == offer());
  CHECK(known->ticket.empty());
  CHECK_FALSE(known->offered_at.has_value());
  CHECK(catalogue.acknowledge("warehouse", ticket, at(61)).value() == Acknowledgement::unknown_ticket);
}

TEST_CASE("a forgotten consumer is gone, and its notice is queued with that") {
  auto catalogue = with_consumer();
  REQUIRE(catalogue.set_channels({{"mail", {core::Topic::warning}}}));
  auto dropped = notice(1);
  dropped.topic = core::Topic::warning;
  CHECK(catalogue.forget("warehouse", {dropped}).value());
  CHECK(catalogue.consumers().value().empty());
  CHECK(catalogue.deliveries().value().size() == 1);
  CHECK_FALSE(catalogue.forget("warehouse", {dropped}).value());
  CHECK(catalogue.deliveries().value().size() == 1);
}

TEST_CASE("a clock that was set back or was ahead makes no consumer look silent") {
  auto catalogue = with_consumer();
  REQUIRE(catalogue.begin_cycle(at(200)));
  REQUIRE(catalogue.keep_asked("warehouse", at(100)));
  CHECK(catalogue.consumer("warehouse").value()->asked == at(200));
  REQUIRE(catalogue.keep_offer("warehouse", offer(), at(100)).value());
  CHECK(catalogue.consumer("warehouse").value()->offered_at == at(200));
  REQUIRE(catalogue.keep_asked("warehouse", at(900)));
  REQUIRE(catalogue.keep_asked("warehouse", at(300)));
  CHECK(catalogue.consumer("warehouse").value()->asked == at(900));
  REQUIRE(catalogue.correct_times(at(400)));
  CHECK(catalogue.consumer("warehouse").value()->asked == at(400));
  CHECK(catalogue.consumer("warehouse").value()->offered_at == at(200));
}

TEST_CASE("what is asked by a clock that is behind counts from the last time that it was right") {
  auto catalogue = with_consumer();
  REQUIRE(catalogue.correct_times(at(400)));
  REQUIRE(catalogue.begin_cycle(at(200)));  // by a clock that was set back
  REQUIRE(catalogue.keep_asked("warehouse", at(210)));
  CHECK(catalogue.consumer("warehouse").value()->asked == at(400));
  REQUIRE(catalogue.keep_offer("warehouse", offer(), at(210)).value());
  CHECK(catalogue.consumer("warehouse").value()->offered_at == at(400));
  // A clock that was taken for right and was ahead is corrected.
  REQUIRE(catalogue.correct_times(at(900)));
  REQUIRE(catalogue.correct_times(at(500)));
  REQUIRE(catalogue.keep_asked("warehouse", at(510)));
  CHECK(catalogue.consumer("warehouse").value()->asked == at(510));
}

TEST_CASE("a position that cannot be read counts as none") {
  const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
  const auto path = (directory / "catalogue.db").string();
  auto catalogue = with_consumer(path);
  const auto ticket = catalogue.keep_offer("warehouse", offer(), at(6)).value().value();
  REQUIRE(catalogue.acknowledge("warehouse", ticket, at(7)));
  REQUIRE(connected(path)->script("UPDATE consumer SET loaded = '{\"session\": 1'"));
  CHECK_FALSE(catalogue.consumer("warehouse").value()->position.has_value());
}

TEST_CASE("the session and the generation are read as they are") {
  auto catalogue = with_consumer();
  CHECK(catalogue.edition_now().value().generation == 2);
  CHECK(catalogue.edition_now().value().session.empty());
  const auto session = catalogue.edition().value().session;
  CHECK(catalogue.edition_now().value().session == session);
}

}  // namespace
}  // namespace vtmirror::test
