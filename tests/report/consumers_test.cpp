#include "vtmirror/report/consumers.hpp"

#include "support/daemon_status.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace vtmirror;
using core::LoadReason;

namespace {

const std::string delta = "v1/public/delta/year=2026/month=11/day=17/delta-light-vehicle_17-11-2026.zip";

report::NextAnswer answer() {
  report::NextAnswer answer{.consumer = "warehouse"};
  answer.edition = {.session = "6f0c", .generation = 44};
  answer.offer.action = core::LoadAction::append;
  answer.offer.why = {.reason = LoadReason::more, .day = test::date("2026-11-16"), .count = 1};
  answer.offer.files = {{core::Kind::delta, delta, test::date("2026-11-17"), 5, std::string(64, 'a'), 43}};
  answer.offer.through = test::date("2026-11-17");
  answer.offer.after.generation = 43;
  answer.ticket = "43-7";
  answer.paths = {"/srv/mirror/" + delta};
  return answer;
}

report::ConsumerStatus warehouse() {
  report::ConsumerStatus status{.name = "warehouse"};
  status.created = test::instant("2026-11-01T08:00:00Z");
  status.asked = test::instant("2026-11-18T08:10:00Z");
  status.acknowledged = "42-6";
  status.acknowledged_at = test::instant("2026-11-16T08:10:00Z");
  status.through = test::date("2026-11-16");
  status.behind_since = test::instant("2026-11-17T08:05:00Z");
  status.files = 2;
  status.bytes = 1000;
  status.ticket = "43-7";
  status.offered_at = test::instant("2026-11-17T08:10:00Z");
  return status;
}

}  // namespace

TEST_CASE("an answer to a consumer is written in the order of the manual") {
  CHECK(report::next_json(answer()) ==
        R"({"schema":1,"session":"6f0c","consumer":"warehouse","generation":43,"ticket":"43-7","action":"append",)"
        R"("why":"1 delta since 16 Nov","files":[{"path":"/srv/mirror/)" +
            delta + R"(","name":")" + delta + R"(","kind":"delta","date":"2026-11-17","size":5,"sha256":")" +
            std::string(64, 'a') + R"("}],"through":"2026-11-17","assumes_absent":[]})" + "\n");
}

TEST_CASE("an answer without files has the generation of the mirror, and may have no ticket") {
  report::NextAnswer none{.consumer = "warehouse"};
  none.edition = {.session = "6f0c", .generation = 44};
  CHECK(report::next_json(none) ==
        R"({"schema":1,"session":"6f0c","consumer":"warehouse","generation":44,"ticket":null,"action":"none",)"
        R"("why":"everything is loaded","files":[],"through":null,"assumes_absent":[]})"
        "\n");
}

TEST_CASE("an answer as text has the reason, a path a line, and what to run then") {
  CHECK(report::next_text(report::next_json(answer())).value() ==
        "append: 1 delta since 16 Nov\n/srv/mirror/" + delta + "\nWhen they are loaded: vtmirror ack warehouse 43-7\n");
  auto preview = answer();
  preview.ticket.clear();
  CHECK(report::next_text(report::next_json(preview)).value() ==
        "append: 1 delta since 16 Nov\n/srv/mirror/" + delta +
            "\nThis is a preview: only root and the daemon's user get a ticket.\n");
  CHECK(report::next_text("[]").has_error());
  CHECK(report::next_text("{\"action\": 1}").has_error());
}

TEST_CASE("each reason reads as a sentence that names the file or the day") {
  const auto words = [](LoadReason reason) {
    return report::sentence({.reason = reason,
                             .file = delta,
                             .day = test::date("2026-11-14"),
                             .count = 31,
                             .missing = core::MissingReason::quarantined});
  };
  CHECK(words(LoadReason::nothing_new) == "everything is loaded");
  CHECK(words(LoadReason::more) == "31 deltas since 14 Nov");
  CHECK(words(LoadReason::late) == "delta 17 Nov was listed late; load it and the later deltas again");
  CHECK(words(LoadReason::first) == "nothing was acknowledged yet");
  CHECK(words(LoadReason::other_session) == "the mirror has a new session: its catalogue was rebuilt");
  CHECK(words(LoadReason::replaced) == "delta 17 Nov was replaced by another edition after it was loaded");
  CHECK(words(LoadReason::misplaced) == "delta 17 Nov is no longer where it was in the load order");
  CHECK(words(LoadReason::gap) == "the deltas do not join on: the latest edition of delta 17 Nov is not held");
  CHECK(report::sentence({.reason = LoadReason::gap, .day = test::date("2026-11-14")}) ==
        "the deltas do not join on: no listing covered 14 Nov");
  CHECK(words(LoadReason::was_not_absent) == "a delta of 14 Nov was listed after all");
  CHECK(words(LoadReason::assumes_absent) ==
        "the deltas would rest on the absence of a delta of 14 Nov (consumers.strict)");
  CHECK(words(LoadReason::due) == "the last bulk load was 31 days ago (consumers.reload_every)");
  CHECK(words(LoadReason::nothing_held) == "no bulk file is held yet");
  CHECK(words(LoadReason::missing) == "delta 17 Nov is missing: quarantined");
  CHECK(words(LoadReason::not_known) == "no listing has covered 14 Nov yet");
}

TEST_CASE("a refused ticket or consumer is named, with what to do") {
  using core::Acknowledgement;
  CHECK(report::refusal_of(Acknowledgement::done, "warehouse", "43-7").empty());
  CHECK(report::refusal_of(Acknowledgement::repeated, "warehouse", "43-7").empty());
  CHECK(report::refusal_of(Acknowledgement::unknown_consumer, "nobody", "43-7") ==
        "no consumer is called nobody: `vtmirror consumers` lists them");
  CHECK(report::refusal_of(Acknowledgement::unknown_ticket, "warehouse", "43-6") ==
        "43-6 is not the current ticket of warehouse: nothing was acknowledged; run `vtmirror next "
        "warehouse` again");
}

TEST_CASE("the consumers are read as they were written") {
  report::ConsumerStatus fresh{.name = "new"};
  fresh.created = fresh.asked = test::instant("2026-11-18T08:10:00Z");
  const std::vector all{fresh, warehouse()};
  CHECK(report::parse_consumers(report::consumers_json(all)).value() == all);
  CHECK(report::parse_consumers("{}").error().detail == "the answer: consumers is missing");
  CHECK(report::next_text("{}").error().detail == "the answer: action is missing");
}

TEST_CASE("a wait is over when the chain is complete through the day that is waited for") {
  const auto day = test::instant("2026-11-18T00:00:00Z");
  const auto date = std::chrono::floor<std::chrono::days>(day);
  const report::ChainWait over{date, base::Date(date)};
  CHECK(over.is_over());
  CHECK(report::wait_json(over) ==
        "{\"schema\":1,\"day\":\"2026-11-18\",\"complete\":true,\"complete_through\":\"2026-11-18\"}\n");
  const report::ChainWait waits{date, base::previous_day(date)};
  CHECK_FALSE(waits.is_over());
  const auto read = report::parse_wait(report::wait_json(waits)).value();
  CHECK(read.day == waits.day);
  CHECK(read.complete_through == waits.complete_through);
  CHECK_FALSE(report::parse_wait(report::wait_json({date, {}})).value().is_over());
  CHECK(report::parse_wait("{}").error().detail == "the answer: day is missing");
}

TEST_CASE("the table of the consumers says how far behind each is") {
  report::ConsumerStatus fresh{.name = "new"};
  fresh.created = fresh.asked = test::instant("2026-11-18T08:10:00Z");
  CHECK(report::consumers_text({fresh, warehouse()}, 0, test::instant("2026-11-18T09:05:00Z")) ==
        "CONSUMER   LOADED THROUGH  LAG                          ASKED                 TICKET\n"
        "new        nothing         nothing to load yet          2026-11-18T08:10:00Z\n"
        "warehouse  2026-11-16      2 files to load, for 1d 01h  2026-11-18T08:10:00Z  43-7\n");
}

TEST_CASE("a narrow terminal shows every ticket whole, and leaves out what matters less") {
  auto behind = warehouse();
  behind.ticket = "3-443591";
  const auto now = test::instant("2026-11-18T09:05:00Z");
  CHECK(report::consumers_text({behind}, 80, now) ==
        "CONSUMER   LOADED THROUGH  LAG                          TICKET\n"
        "warehouse  2026-11-16      2 files to load, for 1d 01h  3-443591\n");
  CHECK(report::consumers_text({behind}, 30, now) == "CONSUMER   TICKET\nwarehouse  3-443591\n");
  CHECK(report::consumers_text({behind}, 120, now) == report::consumers_text({behind}, 0, now));
}
