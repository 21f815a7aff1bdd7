// The chain that was announced last, as the catalogue remembers it.
#include "catalogue/made.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace vtmirror::test {
namespace {

core::Held held(int number) {
  return {core::Kind::delta, delta_name(number), day(number), 1000 + number, "digest", number};
}

struct Announced {
  catalogue::Catalogue catalogue = opened(":memory:");
  Announced() { REQUIRE(catalogue.set_channels({{"hook", {core::Topic::chain}}, {"mail", {core::Topic::warning}}})); }

  void settle(const std::string& content) { REQUIRE(catalogue.settle(content, at(1))); }
  void announce(const core::Chain& chain, const std::string& content) {
    REQUIRE(catalogue.announce_chain(chain, content, at(2)));
  }
  std::vector<catalogue::Delivery> waiting() { return catalogue.deliveries().value(); }
};

TEST_CASE("a chain is announced to the channels that subscribe to it, once, and only as the manifest is settled") {
  Announced rig;
  const core::Chain chain{.files = {held(1)}};
  rig.settle("first");
  rig.announce(chain, "first");
  CHECK(rig.waiting().empty());  // nothing was ever published

  REQUIRE(rig.catalogue.publish(file(1)));
  rig.announce(chain, "second");
  CHECK(rig.waiting().empty());  // the manifest does not say so yet
  rig.settle("second");
  rig.announce(chain, "second");
  rig.announce(chain, "second");
  REQUIRE(rig.waiting().size() == 1);
  CHECK(rig.waiting().front().channel == "hook");
  const auto news = rig.waiting().front().notice.chain;
  REQUIRE(news);
  CHECK(news->generation == 1);
  CHECK(news->added == std::vector{delta_name(1)});
  CHECK(news->session == rig.catalogue.edition().value().session);
}

TEST_CASE("the next notice compares with the chain that was announced, and waits for its manifest") {
  Announced rig;
  REQUIRE(rig.catalogue.publish(file(1)));
  rig.settle("first");
  rig.announce({.files = {held(1)}}, "first");
  REQUIRE(rig.catalogue.keep_written(1));
  rig.settle("second");
  auto other = held(1);
  other.sha256 = "another";
  rig.announce({.files = {other, held(2)}}, "second");
  const auto first = rig.catalogue.next_delivery("hook", core::DeliveryOrder::kept).value();
  REQUIRE(first);
  CHECK(first->notice.chain->generation == 1);
  REQUIRE(rig.catalogue.keep_delivered("hook", first->notice.id, core::DeliveryOrder::kept, at(3)));
  CHECK_FALSE(rig.catalogue.next_delivery("hook", core::DeliveryOrder::kept).value());
  REQUIRE(rig.catalogue.keep_written(2));
  const auto second = rig.catalogue.next_delivery("hook", core::DeliveryOrder::kept).value();
  REQUIRE(second);
  CHECK(second->notice.chain->generation == 2);
  CHECK(second->notice.chain->added == std::vector{delta_name(2)});
  CHECK(second->notice.chain->replaced == std::vector{delta_name(1)});
  CHECK(second->notice.chain->removed.empty());
}

TEST_CASE("a chain that an older version announced with a sentence for a cause is not announced again") {
  Announced rig;
  REQUIRE(rig.catalogue.publish(file(1)));
  core::Chain chain{.files = {held(1)}};
  chain.missing = {{core::Kind::delta, delta_name(2), day(2), core::MissingReason::quarantined, core::deadly_check(3)}};
  const auto content = core::content_of(chain, {});
  const auto cause = content.find('{');
  auto older = content;
  older.replace(cause, content.find('\n', cause) - cause, "it ended the program");
  rig.settle(older);
  rig.announce(chain, older);
  REQUIRE(rig.waiting().size() == 1);
  rig.settle(content);
  rig.announce(chain, content);
  CHECK(rig.waiting().size() == 1);
  chain.missing.front().cause = core::deadly_check(4);
  const auto next = core::content_of(chain, {});
  rig.settle(next);
  rig.announce(chain, next);
  CHECK(rig.waiting().size() == 2);
}

TEST_CASE("a version that words the refusal of an entry in another way begins no generation, and announces nothing") {
  Announced rig;
  REQUIRE(rig.catalogue.publish(file(1)));
  core::Chain chain{.files = {held(1)}};
  const auto say = [&](const core::FailedCheck& failed, const std::string& words) {
    chain.missing = {
        {core::Kind::delta, delta_name(2), day(2), core::MissingReason::refused, core::refusal(failed, words)}};
    const auto content = core::content_of(chain, {});
    rig.settle(content);
    rig.announce(chain, content);
    return rig.catalogue.generation().value();
  };
  const core::FailedCheck type{core::EntryCheck::type, "fileSize"};
  // As an older version kept it, and as the next listing does.
  CHECK(say({}, "fileSize: it is not a whole number") == 1);
  CHECK(say(type, "fileSize: it is not a whole number") == 1);
  CHECK(say(type, "fileSize must be a whole number") == 1);
  CHECK(rig.waiting().size() == 1);
  CHECK(say({core::EntryCheck::size, "fileSize"}, "fileSize must be a whole number") == 2);
  CHECK(rig.waiting().size() == 2);
}

TEST_CASE("a chain that is announced to nobody is not announced later to a channel that subscribes then") {
  Announced rig;
  REQUIRE(rig.catalogue.set_channels({}));
  REQUIRE(rig.catalogue.publish(file(1)));
  rig.settle("first");
  rig.announce({.files = {held(1)}}, "first");
  REQUIRE(rig.catalogue.set_channels({{"hook", {core::Topic::chain}}}));
  rig.announce({.files = {held(1)}}, "first");
  CHECK(rig.waiting().empty());
}

TEST_CASE(
    "a catalogue that was rebuilt within its session counts the chain as announced, and one of another does not") {
  for (const auto* session : {"the same", ""}) {
    CAPTURE(session);
    Announced rig;
    REQUIRE(rig.catalogue.restore({session, 42, at(7), {file(1), file(2)}, {}, "what it says"}));
    rig.settle("what it says");
    rig.announce({.files = {held(1)}}, "what it says");
    CHECK(rig.waiting().size() == (*session == '\0' ? 1U : 0U));
  }
}

}  // namespace
}  // namespace vtmirror::test
