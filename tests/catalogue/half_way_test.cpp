#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"
#include "catalogue/sql.hpp"
#include "support/repository.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace vtmirror::test {
namespace {

void remember_something(catalogue::Catalogue& catalogue) {
  REQUIRE(catalogue.keep_listing(listing({listed(1), listed(2), listed(3)}), at(0)));
  REQUIRE(catalogue.keep_key_use(at(0)));
  REQUIRE(catalogue.set_channels({{"webhook", every_topic}}));
  REQUIRE(catalogue.publish(file(2)));
  REQUIRE(catalogue.publish(file(3)));
  REQUIRE(catalogue.keep_quarantined(quarantined(1)));
  REQUIRE(catalogue.keep_partial(partial(1)));
  REQUIRE(catalogue.keep_partial(partial(2)));
  REQUIRE(catalogue.begin_cycle(at(0)));
  REQUIRE(catalogue.keep_problems({{.code = core::ProblemCode::late_delta, .since = at(0)}}));
  REQUIRE(catalogue.keep_credential("fine", at(0)));
  REQUIRE(catalogue.keep_credential("refused", at(0)));
  REQUIRE(catalogue.keep_refused("refused", at(0), {.detail = "wrong"}));
  REQUIRE(catalogue.keep_warning("refused", {day(90), 30}, at(0)));
  REQUIRE(catalogue.keep_rotation_begun("refused", at(0)));
  REQUIRE(catalogue.keep_unfit({unfit(4)}));
}

const core::RotationEnd in_use{core::RotationOutcome::in_use};
const core::RotationEnd postponed{core::RotationOutcome::postponed, {.code = base::Errc::io, .detail = "no room"}};

void remember_a_loss(catalogue::Catalogue& catalogue) {
  remember_something(catalogue);
  REQUIRE(catalogue.keep_condition(delta_name(2), core::Condition::lost));
}

const std::string without_etag = delta_name(7);

void remember_a_file_without_etag(catalogue::Catalogue& catalogue) {
  auto adopted = file(7);
  adopted.etag.clear();
  REQUIRE(catalogue.publish(adopted));
}

core::Offer offer() {
  const auto record = file(3);
  core::Offer offer{.action = core::LoadAction::append, .why = {.reason = core::LoadReason::more}};
  offer.files = {{record.kind, record.name, record.date, record.size, record.sha256, 2}};
  offer.after = {.session = "s", .generation = 2, .start = day(1), .deltas = offer.files};
  return offer;
}

void remember_an_offer(catalogue::Catalogue& catalogue) {
  remember_something(catalogue);
  REQUIRE(catalogue.keep_asked("warehouse", at(3)));
  REQUIRE(catalogue.keep_offer("warehouse", offer(), at(4)));
}

/// A catalogue of a mirror in which no file was ever public.
void remember_an_empty_mirror(catalogue::Catalogue& catalogue) { REQUIRE(catalogue.keep_key_use(at(0))); }

struct Call {
  std::string name;                                 ///< of the function, and what is special about the call
  std::function<bool(catalogue::Catalogue&)> make;  ///< true when it reported success
  void (*prepare)(catalogue::Catalogue&) = remember_something;
};

/// Every call that writes, on a catalogue that remembers something everywhere.
std::vector<Call> calls() {
  return {
      {"keep_listing",
       [](auto& c) {
         return c.keep_listing(listing({listed(5), listed(6)}), at(5)).has_value();
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
      {"keep_found_connections",
       [](auto& c) {
         return c.keep_found_connections("store.example", {8, 100}, at(9)).has_value();
       }},
      {"publish", [](auto& c) { return c.publish(file(1)).has_value(); }},
      {"publish over an older version",
       [](auto& c) {
         auto newer = file(2);
         newer.sha256 = "another digest";
         return c.publish(newer).has_value();
       }},
      {"publish the bytes that were lost", [](auto& c) { return c.publish(file(2)).has_value(); }, remember_a_loss},
      {"keep_changed", [](auto& c) { return c.keep_changed(delta_name(2)).has_value(); }},
      {"keep_probed", [](auto& c) { return c.keep_probed(delta_name(2), at(9)).has_value(); }},
      {"keep_etag", [](auto& c) { return c.keep_etag(without_etag, "\"new\"").has_value(); },
       remember_a_file_without_etag},
      {"keep_condition", [](auto& c) { return c.keep_condition(delta_name(2), core::Condition::damaged).has_value(); }},
      {"keep_reading of a damaged file",
       [](auto& c) {
         return c.keep_reading(file(2, 1), at(9), core::Condition::damaged, {.detail = "wrong"}).has_value();
       }},
      {"keep_reading of a file that is whole again",
       [](auto& c) { return c.keep_reading(file(2, 1), at(9), core::Condition::whole).has_value(); }, remember_a_loss},
      {"begin_check", [](auto& c) { return c.begin_check(delta_name(2), 1002, at(9)).has_value(); }},
      {"end_check", [](auto& c) { return c.end_check(delta_name(2)).has_value(); },
       [](auto& c) { REQUIRE(c.begin_check(delta_name(2), 1002, at(9))); }},
      {"keep_unfit",
       [](auto& c) {
         return c.keep_unfit({unfit(3), unfit(4)}).has_value();
       }},
      {"edition", [](auto& c) { return c.edition().has_value(); }},
      {"settle", [](auto& c) { return c.settle("other words", at(9)).has_value(); }},
      {"keep_written", [](auto& c) { return c.keep_written(2).has_value(); }},
      {"remove",
       [](auto& c) {
         return c.remove({delta_name(1), delta_name(2)}, at(9)).has_value();
       }},
      {"take_back", [](auto& c) { return c.take_back(delta_name(2), at(10)).has_value(); },
       [](auto& c) {
         REQUIRE(c.publish(file(2)));
         REQUIRE(c.remove({delta_name(2)}, at(9)));
       }},
      {"keep_gone", [](auto& c) { return c.keep_gone({delta_name(2)}).has_value(); },
       [](auto& c) {
         REQUIRE(c.publish(file(2)));
         REQUIRE(c.remove({delta_name(2)}, at(9)));
       }},
      {"keep_quarantined", [](auto& c) { return c.keep_quarantined(quarantined(1)).has_value(); }},
      {"forget_quarantined", [](auto& c) { return c.forget_quarantined(quarantined(1).name).has_value(); },
       [](auto& c) { REQUIRE(c.keep_quarantined(quarantined(1))); }},
      {"begin_cycle", [](auto& c) { return c.begin_cycle(at(9)).has_value(); }},
      {"finish_cycle",
       [](auto& c) {
         return c.finish_cycle(finished(1, 2), {notice(1), notice(2)}).has_value();
       }},
      {"set_channels",
       [](auto& c) {
         return c.set_channels({{"mail", {core::Topic::cycle}}}).has_value();
       }},
      {"announce_chain",
       [](auto& c) {
         const core::Chain chain{.files = {{core::Kind::delta, delta_name(2), day(2), 1002, "digest", 1}}};
         return c.announce_chain(chain, "settled words", at(9)).has_value();
       },
       [](auto& c) {
         remember_something(c);
         REQUIRE(c.settle("settled words", at(8)));
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
      {"keep_problems",
       [](auto& c) {
         return c.keep_problems({{.code = core::ProblemCode::low_space, .since = at(4)}}, {notice(3)}).has_value();
       }},
      {"keep_credential", [](auto& c) { return c.keep_credential("new", at(5)).has_value(); }},
      {"keep_refused", [](auto& c) { return c.keep_refused("fine", at(5), {.detail = "expired"}).has_value(); }},
      {"keep_accepted", [](auto& c) { return c.keep_accepted("refused").has_value(); }},
      {"keep_warning",
       [](auto& c) {
         return c.keep_warning("fine", {day(90), 14}, at(5), {notice(4)}).has_value();
       }},
      {"keep_rotation_begun", [](auto& c) { return c.keep_rotation_begun("fine", at(5)).has_value(); }},
      {"keep_rotation_end", [](auto& c) { return c.keep_rotation_end("refused", in_use, {notice(5)}).has_value(); }},
      {"keep_rotation_end of one that never began",
       [](auto& c) { return c.keep_rotation_end("refused", postponed, {notice(6)}).has_value(); }},
      {"keep_asked", [](auto& c) { return c.keep_asked("warehouse", at(5)).has_value(); }, remember_an_offer},
      {"keep_up_to_date", [](auto& c) { return c.keep_up_to_date("warehouse", at(5)).has_value(); }, remember_an_offer},
      {"keep_offer", [](auto& c) { return c.keep_offer("warehouse", offer(), at(5)).has_value(); }, remember_an_offer},
      {"renew_offer", [](auto& c) { return c.renew_offer("warehouse", at(5)).has_value(); }, remember_an_offer},
      {"correct_times", [](auto& c) { return c.correct_times(at(1)).has_value(); }, remember_an_offer},
      {"drop_offer", [](auto& c) { return c.drop_offer("warehouse").has_value(); }, remember_an_offer},
      {"acknowledge",
       [](auto& c) {
         const auto ticket = c.consumer("warehouse").value()->ticket;
         return c.acknowledge("warehouse", ticket, at(5)).has_value();
       },
       remember_an_offer},
      {"forget", [](auto& c) { return c.forget("warehouse", {notice(7)}).has_value(); }, remember_an_offer},
      {"restore",
       [](auto& c) {
         return c.restore({"s", 42, at(7), {file(1), file(2)}, {day(3)}}).has_value();
       },
       remember_an_empty_mirror},
  };
}

/// The functions of the catalogue's roles that change something, as their headers declare them.
std::set<std::string> declared_calls() {
  std::set<std::string> names;
  for (const auto& header : std::filesystem::directory_iterator(repository() / "include/vtmirror/catalogue")) {
    std::ifstream lines(header.path());
    std::string code;
    for (std::string line; std::getline(lines, line);) code += line.substr(0, line.find("//")) + ' ';
    if (code.find(": Role {") == std::string::npos) continue;
    const std::regex function(R"(base::Result<[^;(]*> (\w+)\([^;]*\)\s*;)");
    for (std::sregex_iterator at(code.begin(), code.end(), function), end; at != end; ++at) names.insert((*at)[1]);
  }
  return names;
}

TEST_CASE("every call that changes the catalogue is tried here") {
  std::set<std::string> tried;
  for (const auto& call : calls()) tried.insert(call.name.substr(0, call.name.find(' ')));
  CHECK(tried == declared_calls());
}

/// The table with one row, which every new catalogue has.
const std::string state_table = "mirror_state";

/// All tables but those whose rows come with the catalogue and never change.
std::vector<std::string> tables_of(catalogue::SqliteDriver& fresh) {
  std::vector<std::string> tables;
  for (const auto& table :
       column(fresh, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"))
    if (table == state_table || column(fresh, "SELECT '1' FROM " + table).empty()) tables.push_back(table);
  return tables;
}

/// A text for each row, with all its columns.
std::vector<std::string> rows_of(catalogue::SqliteDriver& driver, const std::string& table) {
  std::string row;
  for (const auto& name : column(driver, "SELECT name FROM pragma_table_info('" + table + "')"))
    row.append(row.empty() ? "" : " || '|' || ").append("quote(").append(name).append(")");
  return column(driver, "SELECT " + row + " FROM " + table);
}

/// Every row of every table.
std::string everything(catalogue::SqliteDriver& driver, const std::vector<std::string>& tables) {
  std::string text;
  for (const auto& table : tables)
    for (const auto& row : rows_of(driver, table)) text.append(table).append(" ").append(row).append("\n");
  return text;
}

/// A trigger that refuses the writes of one kind to one table: `when` is "BEFORE INSERT" and the like.
std::string sabotage(const std::string& when, const std::string& table) {
  return "CREATE TRIGGER sabotage " + when + " ON " + table + " BEGIN SELECT RAISE(ABORT, 'sabotage'); END";
}

void empty(catalogue::SqliteDriver& driver, const std::vector<std::string>& tables) {
  std::string statements = "PRAGMA foreign_keys = OFF;";
  for (const auto& table : tables) statements += "DELETE FROM " + table + ';';
  statements += "INSERT INTO " + state_table + " (id, session, generation, at) VALUES (1, '', 0, 0);";
  REQUIRE(driver.script(statements + "PRAGMA foreign_keys = ON"));
}

TEST_CASE("a call that fails at any of its steps has changed nothing") {
  int failures = 0;
  for (const auto& call : calls()) {
    const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
    const auto path = (directory / "catalogue.db").string();
    auto catalogue = opened(path);
    const auto saboteur = connected(path);
    const auto tables = tables_of(*saboteur);
    call.prepare(catalogue);
    auto before = everything(*saboteur, tables);
    int failures_here = 0;
    for (const auto& table : tables) {
      for (const std::string when :
           {"BEFORE INSERT", "AFTER INSERT", "BEFORE UPDATE", "AFTER UPDATE", "BEFORE DELETE", "AFTER DELETE"}) {
        CAPTURE(call.name);
        CAPTURE(when);
        CAPTURE(table);
        const auto known = shown(catalogue);
        REQUIRE(saboteur->script(sabotage(when, table)));
        const bool succeeded = call.make(catalogue);
        REQUIRE(saboteur->script("DROP TRIGGER sabotage"));
        if (!succeeded) {
          ++failures_here;
          // Nothing has changed, for other connections or for the catalogue's own.
          REQUIRE(everything(*saboteur, tables) == before);
          REQUIRE(shown(catalogue) == known);
          continue;
        }
        // The call does not change this table in this way, so it succeeded: prepare it anew.
        empty(*saboteur, tables);
        call.prepare(catalogue);
        before = everything(*saboteur, tables);
        REQUIRE(shown(catalogue) == known);
      }
    }
    CHECK_MESSAGE(failures_here >= 2, call.name);
    CHECK_MESSAGE(call.make(catalogue), call.name);
    CHECK_MESSAGE(everything(*saboteur, tables) != before, call.name);
    failures += failures_here;
  }
  CHECK(failures > 40);
}

}  // namespace
}  // namespace vtmirror::test
