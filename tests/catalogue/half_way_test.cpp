#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"
#include "catalogue/sql.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace vtmirror::test {
namespace {

struct Call {
  std::string name;
  std::function<bool(catalogue::Catalogue&)> make;  ///< true when it reported success
};

/// Every call that writes, on a catalogue that remembers something everywhere.
std::vector<Call> calls() {
  return {
      {"keep_listing",
       [](auto& c) {
         return c.keep_listing({listed(5), listed(6)}, at(5)).has_value();
       }},
      {"keep_key_use", [](auto& c) { return c.keep_key_use(at(5)).has_value(); }},
      {"keep_partial", [](auto& c) { return c.keep_partial(partial(5)).has_value(); }},
      {"keep_partial again",
       [](auto& c) {
         auto again = partial(1);
         again.durable = core::RangeSet(std::vector<core::Range>{{7, 9}});
         again.etag = "\"other\"";
         return c.keep_partial(again).has_value();
       }},
      {"keep_durable",
       [](auto& c) {
         return c.keep_durable(delta_name(1), core::RangeSet(std::vector<core::Range>{{0, 150}, {400, 500}}))
             .has_value();
       }},
      {"forget_partial", [](auto& c) { return c.forget_partial(delta_name(1)).has_value(); }},
      {"publish", [](auto& c) { return c.publish(file(1)).has_value(); }},
      {"publish over an older version", [](auto& c) { return c.publish(file(2)).has_value(); }},
      {"remove", [](auto& c) { return c.remove(delta_name(2), at(9)).has_value(); }},
      {"keep_quarantined", [](auto& c) { return c.keep_quarantined(quarantined(1)).has_value(); }},
      {"begin_cycle", [](auto& c) { return c.begin_cycle(at(9)).has_value(); }},
      {"finish_cycle",
       [](auto& c) {
         return c.finish_cycle(finished(1, 2), {notice(1), notice(2)}).has_value();
       }},
      {"set_channels",
       [](auto& c) {
         return c.set_channels({{"mail", {core::Topic::cycle}}}).has_value();
       }},
      {"keep_delivered",
       [](auto& c) {
         const auto delivery = c.deliveries().value().front();
         return c.keep_delivered(delivery.channel, delivery.notice.id, core::DeliveryOrder::kept, at(-9)).has_value();
       }},
      {"keep_undelivered",
       [](auto& c) {
         const auto delivery = c.deliveries().value().front();
         return c
             .keep_undelivered(delivery.channel, delivery.notice.id, at(99),
                               {.code = base::Errc::http_status, .status = 500})
             .has_value();
       }},
  };
}

void remember_something(catalogue::Catalogue& catalogue) {
  REQUIRE(catalogue.keep_listing({listed(1), listed(2), listed(3)}, at(0)));
  REQUIRE(catalogue.keep_key_use(at(0)));
  REQUIRE(catalogue.set_channels({{"webhook", every_topic}}));
  REQUIRE(catalogue.publish(file(2)));
  REQUIRE(catalogue.publish(file(3)));
  REQUIRE(catalogue.keep_quarantined(quarantined(1)));
  REQUIRE(catalogue.keep_partial(partial(1)));
  REQUIRE(catalogue.keep_partial(partial(2)));
  REQUIRE(catalogue.begin_cycle(at(0)));
}

const std::vector<std::string> tables{"listing",    "listed", "version", "change",  "partial", "partial_range",
                                      "quarantine", "cycle",  "key_use", "channel", "notice",  "delivery"};

TEST_CASE("a call that fails at any of its steps has changed nothing") {
  int failures = 0;
  for (const auto& call : calls()) {
    const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
    const auto path = (directory / "catalogue.db").string();
    auto catalogue = opened(path);
    remember_something(catalogue);
    const auto saboteur = connected(path);
    const auto before = shown(catalogue);
    int failures_here = 0;
    for (const auto& table : tables) {
      for (const std::string when :
           {"BEFORE INSERT", "AFTER INSERT", "BEFORE UPDATE", "AFTER UPDATE", "BEFORE DELETE", "AFTER DELETE"}) {
        CAPTURE(call.name);
        CAPTURE(when);
        CAPTURE(table);
        REQUIRE(saboteur->script("CREATE TRIGGER sabotage " + when + " ON " + table +
                                 " BEGIN SELECT RAISE(ABORT, 'sabotage'); END"));
        const bool succeeded = call.make(catalogue);
        REQUIRE(saboteur->script("DROP TRIGGER sabotage"));
        if (succeeded) {  // it does not touch this table in this way: begin anew
          REQUIRE(saboteur->script(
              "DELETE FROM partial; DELETE FROM quarantine; DELETE FROM change; DELETE FROM version; "
              "DELETE FROM cycle; DELETE FROM listed; DELETE FROM listing; DELETE FROM key_use; DELETE "
              "FROM delivery; DELETE FROM notice"));
          remember_something(catalogue);
        } else {
          ++failures_here;
        }
        REQUIRE(shown(catalogue) == before);
      }
    }
    CHECK_MESSAGE(failures_here >= 2, call.name);
    CHECK_MESSAGE(call.make(catalogue), call.name);
    CHECK_MESSAGE(shown(catalogue) != before, call.name);
    failures += failures_here;
  }
  CHECK(failures > 40);
}

}  // namespace
}  // namespace vtmirror::test
