// The desk that answers consumers: the same answer until it is acknowledged, with its bytes kept, for the lease.
#include "vtmirror/agent/consumers.hpp"

#include "agent/consumer_upkeep.hpp"
#include "agent/off_loop.hpp"
#include "support/agent_rig.hpp"
#include "vtmirror/report/consumers.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

using agent::NextFiles;
using boost::asio::awaitable;
using core::Acknowledgement;
using core::LoadAction;
using std::chrono::days;
using std::chrono::hours;

struct Rig : AgentRig {
  Rig() {
    settings.policy.keep_cycles = 1;
    list_wednesday(*this, 60'000, 5'000);
    REQUIRE(cycle());
  }

  /// A process that answers one question.
  template <class Value>
  base::Result<Value> ask(const std::function<awaitable<base::Result<Value>>(agent::ConsumerDesk&)>& question) {
    std::optional<agent::ConsumerDesk> desk;
    return with_ports<Value>([&](agent::Ports ports) {
      desk.emplace(ports, settings.consumers);
      return question(*desk);
    });
  }
  /// A process that tends the consumers.
  base::Result<void> tend() {
    std::optional<agent::CatalogueCalls> calls;
    return with_ports<void>([&](agent::Ports ports) {
      calls.emplace(ports.catalogue);
      return agent::tend_consumers(ports, *calls, settings.consumers);
    });
  }
  template <class Value>
  base::Result<Value> with_ports(const std::function<awaitable<base::Result<Value>>(agent::Ports)>& work) {
    ports::Stop stop;
    boost::asio::io_context loop;
    boost::asio::thread_pool pool(2);
    agent::CatalogueStrand strand(pool, catalogue);
    std::optional<base::Result<Value>> answer;
    auto task = work({loop.get_executor(), clock, dice, service, storage.partials(), storage.shelf(), journal, stop,
                      strand, pool, pool, pool});
    boost::asio::co_spawn(loop, keep(std::move(task), answer), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    loop.run();
    pool.join();
    return std::move(*answer);
  }
  template <class Value>
  static awaitable<void> keep(awaitable<base::Result<Value>> work, std::optional<base::Result<Value>>& answer) {
    answer = co_await std::move(work);
  }

  NextFiles next(const std::string& name = "warehouse") {
    return ask<NextFiles>([&](agent::ConsumerDesk& desk) { return desk.next(name); }).value();
  }
  NextFiles look(const std::string& name = "warehouse") {
    return ask<NextFiles>([&](agent::ConsumerDesk& desk) { return desk.preview(name); }).value();
  }
  Acknowledgement acknowledge(const std::string& ticket) {
    return ask<Acknowledgement>([&](agent::ConsumerDesk& desk) { return desk.acknowledge("warehouse", ticket); })
        .value();
  }
  report::ConsumerStatus only_consumer() { return report::consumer_statuses(catalogue).value().at(0); }
  /// The consumer has loaded everything; a day later one more delta comes. Returns when.
  base::Time gets_a_delta_once_it_has_all() {
    CHECK(acknowledge(next().ticket) == Acknowledgement::done);
    clock.advance(days(1));
    list_delta(19);
    REQUIRE(cycle());
    return clock.now();
  }
  /// A process that reads a file of the mirror again, as `verify` does.
  core::Verdict read_again(const std::string& name) {
    std::optional<core::Verdict> verdict;
    const auto file = catalogue.file(name).value().value();
    in_process([&](agent::Agent& agent) { return read(agent, file, verdict); });
    return verdict.value();
  }
  static awaitable<void> read(agent::Agent& agent, core::FileRecord file, std::optional<core::Verdict>& verdict) {
    agent::Reading reading;
    const auto finding = co_await agent.read_again(std::move(file), reading);
    if (finding) verdict = finding->verdict;
  }
  /// A second name shares its bytes with the public one.
  void damage_lent(const std::string& name) {
    storage.published.at(name)[777] ^= 1;
    for (auto& [consumer, files] : storage.lent)
      if (files.contains(name)) files.at(name) = storage.published.at(name);
  }
  void list_delta(int day, int version = 1, std::int64_t size = 5'000) {
    list(delta_name(day), core::Kind::delta, "2026-11-" + std::to_string(day), size, version);
  }
};

std::vector<base::Date> dates_of(const NextFiles& answer) {
  std::vector<base::Date> dates;
  for (const auto& file : answer.offer.files) dates.push_back(file.date);
  return dates;
}

}  // namespace

TEST_CASE("an answer is the same until it is acknowledged, and the next one follows it") {
  Rig rig;
  const auto first = rig.next();
  CHECK(first.offer.action == LoadAction::reload);
  CHECK(first.offer.files.size() == 5);
  CHECK(first.paths.size() == 5);
  CHECK_FALSE(first.ticket.empty());
  rig.list_delta(19);
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  const auto again = rig.next();
  CHECK(again.ticket == first.ticket);
  CHECK(again.offer == first.offer);
  CHECK(again.paths == first.paths);
  CHECK(rig.acknowledge(first.ticket) == Acknowledgement::done);
  const auto second = rig.next();
  CHECK(second.offer.action == LoadAction::append);
  CHECK(second.offer.files.size() == 1);
  CHECK(second.ticket != first.ticket);
  CHECK(rig.acknowledge(first.ticket) == Acknowledgement::repeated);
  CHECK(rig.acknowledge(second.ticket) == Acknowledgement::done);
  const auto none = rig.next();
  CHECK(none.offer.action == LoadAction::none);
  CHECK(none.ticket == second.ticket);
  CHECK(none.paths.empty());
}

TEST_CASE(
    "what is replaced or pruned stays as it was offered for the lease, and is given back with the acknowledgement") {
  Rig rig;
  const auto first = rig.next();
  const auto offered = rig.storage.lent.at("warehouse");
  // The delta of the 18th is replaced, and a week later the whole chain is pruned.
  rig.list_delta(18, 2, 6'000);
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.published.at(delta_name(18)) != offered.at(delta_name(18)));
  CHECK(rig.storage.lent.at("warehouse") == offered);
  CHECK(rig.next().ticket == first.ticket);
  CHECK(rig.acknowledge(first.ticket) == Acknowledgement::done);
  CHECK(rig.storage.lent.empty());
  const auto second = rig.next();
  CHECK(second.offer.action == LoadAction::reload);
  CHECK(second.offer.why.reason == core::LoadReason::replaced);
}

TEST_CASE("after the lease nothing is kept, and an answer that does not hold any more is renewed") {
  Rig rig;
  const auto first = rig.next();
  rig.list_delta(18, 2, 6'000);
  rig.clock.advance(days(6));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.lent.size() == 1);
  rig.clock.advance(days(2));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.lent.empty());
  const auto second = rig.next();
  CHECK(second.ticket != first.ticket);
  CHECK(dates_of(second) == dates_of(first));
  CHECK(rig.acknowledge(first.ticket) == Acknowledgement::unknown_ticket);
  CHECK(rig.acknowledge(second.ticket) == Acknowledgement::done);
}

TEST_CASE("an answer that is given again is kept for another lease, also when its files have been replaced") {
  Rig rig;
  const auto first = rig.next();
  rig.list_delta(18, 2, 6'000);
  rig.clock.advance(days(6));
  REQUIRE(rig.cycle());
  CHECK(rig.next().ticket == first.ticket);
  rig.clock.advance(days(6));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.lent.size() == 1);
  rig.clock.advance(days(2));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.lent.empty());
}

TEST_CASE("without hard links an offered file that another edition replaces makes another answer") {
  Rig rig;
  rig.storage.has_hard_links = false;
  const auto first = rig.next();
  CHECK(first.paths.at(4) == delta_name(18));
  CHECK(rig.next().ticket == first.ticket);
  rig.list_delta(18, 2);
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  const auto second = rig.next();
  CHECK(second.ticket != first.ticket);
  CHECK(second.offer != first.offer);
}

TEST_CASE("second names that somebody removed are given again with the answer") {
  Rig rig;
  const auto first = rig.next();
  const auto offered = rig.storage.lent.at("warehouse");
  SUBCASE("all of them") { rig.storage.lent.clear(); }
  SUBCASE("one of them") { rig.storage.lent.at("warehouse").erase(delta_name(18)); }
  CHECK(rig.look().offer == first.offer);
  const auto again = rig.next();
  CHECK(again.ticket == first.ticket);
  CHECK(again.paths == first.paths);
  CHECK(rig.storage.lent.at("warehouse") == offered);
}

TEST_CASE("an answer whose second names somebody removed is another one once a file was replaced") {
  Rig rig;
  const auto first = rig.next();
  rig.list_delta(18, 2);
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  rig.storage.lent.clear();
  CHECK(rig.look().ticket.empty());
  const auto second = rig.next();
  CHECK(second.ticket != first.ticket);
  CHECK(second.paths == first.paths);
  CHECK(rig.storage.lent.at("warehouse").at(delta_name(18)) == rig.storage.published.at(delta_name(18)));
}

TEST_CASE("names that were given for an answer that was not recorded count for no other one") {
  Rig rig;
  const auto first = rig.next();
  rig.clock.advance(days(9));
  rig.list_delta(18, 2, 6'000);
  REQUIRE(rig.cycle());
  // Of the same size as the edition that was offered.
  rig.list_delta(18, 3);
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  rig.storage.lending = [&, lent = 0]() mutable {
    if (++lent == 1) REQUIRE(rig.catalogue.keep_condition(delta_name(15), core::Condition::lost));
    if (lent == 2) REQUIRE(rig.catalogue.keep_condition(delta_name(15), core::Condition::whole));
  };
  const auto second = rig.next();
  CHECK(second.ticket != first.ticket);
  CHECK(second.offer.files != first.offer.files);
}

TEST_CASE("while its files are kept, an answer is the same by a clock that is months ahead") {
  Rig rig;
  rig.service.its_clock = [right = rig.clock.now()] { return right; };
  const auto first = rig.next();
  rig.list_delta(18, 2);
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  const auto right = rig.clock.now();
  rig.clock.advance(days(200));
  CHECK(rig.look().offer == first.offer);
  CHECK(rig.next().ticket == first.ticket);
  rig.clock.advance(right - rig.clock.now());
  CHECK(rig.next().ticket == first.ticket);
}

TEST_CASE("a consumer that loads for longer than the lease may still acknowledge, if it has not asked again") {
  Rig rig;
  const auto first = rig.next();
  rig.clock.advance(days(9));
  REQUIRE(rig.cycle());
  CHECK(rig.acknowledge(first.ticket) == Acknowledgement::done);
}

TEST_CASE("after the lease an answer that still holds keeps its ticket, and its files are kept again") {
  Rig rig;
  const auto first = rig.next();
  rig.clock.advance(days(8));
  const auto before_the_cycle = rig.next();
  CHECK(before_the_cycle.ticket == first.ticket);
  rig.clock.advance(days(6));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.lent.size() == 1);
  CHECK(rig.next().ticket == first.ticket);
}

TEST_CASE("a publication between an answer and its record makes another answer") {
  Rig rig;
  int lent = 0;
  rig.storage.lending = [&] {
    if (++lent > 1) return;
    // As the publisher records it before it replaces the bytes.
    REQUIRE(rig.catalogue.keep_condition(delta_name(18), core::Condition::lost));
  };
  const auto answer = rig.next();
  CHECK(lent == 2);
  CHECK(answer.offer.files.size() == 4);
}

TEST_CASE("somebody who may change nothing sees what is next, and leaves no trace") {
  Rig rig;
  const auto preview = rig.look();
  CHECK(preview.offer.action == LoadAction::reload);
  CHECK(preview.ticket.empty());
  CHECK(rig.catalogue.consumers().value().empty());
  CHECK(rig.storage.lent["warehouse"].empty());
  const auto given = rig.next();
  CHECK(rig.look().ticket.empty());
  CHECK(rig.look().paths == given.paths);
}

TEST_CASE("a consumer that has not asked for long is dropped with a warning, and nothing is kept for it") {
  Rig rig;
  REQUIRE(rig.catalogue.set_channels({{"mail", {core::Topic::warning}}}));
  const auto first = rig.next();
  rig.clock.advance(days(89));
  REQUIRE(rig.cycle());
  CHECK(rig.catalogue.consumers().value().size() == 1);
  rig.clock.advance(days(2));
  REQUIRE(rig.cycle());
  CHECK(rig.catalogue.consumers().value().empty());
  CHECK(rig.journal.count(ports::EventKind::consumer_forgotten) == 1);
  const auto waiting = rig.catalogue.deliveries().value();
  const auto warnings = std::ranges::count(waiting, "consumer_forgotten",
                                           [](const catalogue::Delivery& each) { return each.notice.code; });
  CHECK(warnings == 1);
  CHECK(rig.storage.lent.empty());
  CHECK(rig.acknowledge(first.ticket) == Acknowledgement::unknown_consumer);
  CHECK(rig.next().offer.why.reason == core::LoadReason::first);
}

TEST_CASE("a consumer that asks while the silent ones are dropped stays") {
  Rig rig;
  for (const auto* name : {"archive", "lake", "warehouse"}) static_cast<void>(rig.next(name));
  rig.clock.advance(days(91));
  const auto in_the_middle = [&](const auto& call) {
    rig.journal.heard = [&rig, call](const ports::Event& event) {
      if (event.kind != ports::EventKind::consumer_forgotten) return;
      CHECK(call(rig.catalogue, rig.clock.now()).has_value());
      rig.journal.heard = {};
    };
  };
  SUBCASE("and was answered") {
    in_the_middle([](catalogue::Consumers& c, base::Time now) { return c.keep_asked("lake", now); });
  }
  SUBCASE("and is being answered") {
    in_the_middle([](catalogue::Consumers& c, base::Time now) { return c.renew_offer("lake", now); });
  }
  CHECK(rig.tend().has_value());
  const auto left = rig.catalogue.consumers().value();
  REQUIRE(left.size() == 1);
  CHECK(left.front().name == "lake");
}

TEST_CASE("a clock that is months ahead drops no consumer and takes nothing back from it") {
  Rig rig;
  rig.service.its_clock = [right = rig.clock.now()] { return right; };
  const auto first = rig.next();
  const auto lent = rig.storage.lent;
  SUBCASE("where it is set in the middle of a cycle") {
    rig.clock.advance(days(1));
    rig.list_delta(19);
    rig.service.its_clock = [right = rig.clock.now()] { return right; };
    rig.service.store_script = [&](const StoreRequest&, StoreAnswer&) { rig.clock.start += days(200); };
    CHECK(rig.cycle());
  }
  SUBCASE("where the cycle succeeds") {
    rig.clock.advance(days(200));
    CHECK(rig.cycle());
    const auto names_both_clocks = [](const ports::Event& event) {
      return event.message.find("set the clock") != std::string::npos;
    };
    CHECK(std::ranges::count_if(rig.journal.events, names_both_clocks) == 1);
  }
  SUBCASE("where the service does not answer") {
    rig.clock.advance(days(200));
    rig.service.listing_script = [](int) { return ports::Response{.status = 500}; };
    CHECK_FALSE(rig.cycle());
  }
  CHECK(rig.catalogue.consumers().value().size() == 1);
  CHECK(rig.storage.lent == lent);
  CHECK(rig.acknowledge(first.ticket) == Acknowledgement::done);
}

TEST_CASE("another session makes the answer another one") {
  Rig rig;
  const auto first = rig.next();
  auto fresh = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write);
  REQUIRE(fresh);
  std::swap(rig.catalogue, *fresh);
  rig.clock.advance(std::chrono::seconds(1));  // no catalogue is lost and made anew within one
  rig.storage.manifest.reset();
  rig.storage.published.clear();
  REQUIRE(rig.cycle());
  const auto second = rig.next();
  CHECK(second.offer.action == LoadAction::reload);
  CHECK(second.edition.session != first.edition.session);
  CHECK(second.ticket != first.ticket);
}

TEST_CASE("a consumer that has to wait learns for which file") {
  Rig rig;
  const auto first = rig.next();
  CHECK(rig.acknowledge(first.ticket) == Acknowledgement::done);
  rig.list_delta(19);
  rig.storage.blocked.insert(delta_name(19));
  rig.clock.advance(days(1));
  static_cast<void>(rig.cycle());
  const auto waits = rig.next();
  CHECK(waits.offer.action == LoadAction::wait);
  CHECK(waits.offer.why.file == delta_name(19));
  CHECK(waits.ticket == first.ticket);
}

TEST_CASE(
    "a consumer that was away for weeks loads a bulk file if a day whose absence it assumes has a delta after all") {
  Rig rig;
  rig.settings.policy.keep_cycles = 0;
  const auto load = [&rig](LoadAction action) {
    const auto answer = rig.next();
    CHECK(answer.offer.action == action);
    CHECK(rig.acknowledge(answer.ticket) == Acknowledgement::done);
    return answer.offer;
  };
  const auto begin_week = [&rig](const std::string& date, const std::string& in_name) {
    rig.service.files.clear();
    rig.list("v1/public/bulk/bulk-light-vehicle_" + in_name + ".zip", core::Kind::bulk, date, 60'000);
    rig.list("v1/public/delta/delta-light-vehicle_" + in_name + ".zip", core::Kind::delta, date, 5'000);
    rig.clock.advance(days(7));
    REQUIRE(rig.cycle());
  };
  load(LoadAction::reload);
  rig.clock.advance(days(3));
  rig.list_delta(20);
  rig.list_delta(21);
  REQUIRE(rig.cycle());
  load(LoadAction::append);
  begin_week("2026-11-22", "22-11-2026");
  CHECK(load(LoadAction::append).assumes_absent == std::vector{base::parse_date("2026-11-19").value()});
  rig.list_delta(19);
  REQUIRE(rig.cycle());
  begin_week("2026-11-29", "29-11-2026");
  begin_week("2026-12-06", "06-12-2026");
  begin_week("2026-12-13", "13-12-2026");
  const auto status = rig.only_consumer();
  CHECK(status.files == 2);
  const auto offer = load(LoadAction::reload);
  CHECK(offer.why.reason == core::LoadReason::was_not_absent);
  CHECK(offer.files.size() == 2);
}

TEST_CASE("a consumer stays behind when its files are replaced by those of another chain") {
  Rig rig;
  const auto came = rig.gets_a_delta_once_it_has_all();
  const auto is_behind_since_then = [&] { return rig.only_consumer().behind_since == came; };
  CHECK(is_behind_since_then());
  static_cast<void>(rig.next());
  rig.clock.advance(days(3));
  rig.service.files.clear();
  rig.list("v1/public/bulk/bulk-light-vehicle_22-11-2026.zip", core::Kind::bulk, "2026-11-22", 60'000);
  rig.list_delta(22);
  REQUIRE(rig.cycle());
  CHECK(is_behind_since_then());
}

TEST_CASE("a consumer that had to wait is not behind before it could load") {
  Rig rig;
  CHECK(rig.acknowledge(rig.next().ticket) == Acknowledgement::done);
  rig.list_delta(19);
  rig.list_delta(20);
  rig.storage.blocked.insert(delta_name(19));
  rig.clock.advance(days(2));
  static_cast<void>(rig.cycle());
  rig.clock.advance(days(2));
  CHECK(rig.next().offer.action == LoadAction::wait);
  const auto waited = rig.clock.now();
  rig.storage.blocked.clear();
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  CHECK(rig.only_consumer().files == 2);
  CHECK(rig.only_consumer().behind_since == waited);
  rig.clock.advance(days(1));
  CHECK(rig.next().offer.action == LoadAction::append);
  CHECK(rig.only_consumer().behind_since == waited);
}

TEST_CASE("the word of a consumer counts for the day on which it was offered the files") {
  Rig rig;
  CHECK(rig.acknowledge(rig.next().ticket) == Acknowledgement::done);
  rig.list_delta(19);
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  const auto ticket = rig.next().ticket;
  const auto offered = rig.clock.now();
  rig.clock.advance(days(3));
  // A correction of what it has loaded came meanwhile: it loads all again.
  rig.list_delta(18, 2, 6'000);
  REQUIRE(rig.cycle());
  const auto corrected = rig.clock.now();
  rig.clock.advance(days(3));
  CHECK(rig.acknowledge(ticket) == Acknowledgement::done);
  CHECK(rig.only_consumer().behind_since.value() >= offered);
  CHECK(rig.only_consumer().behind_since.value() <= corrected);
}

TEST_CASE("an offer with a file that a reading found damaged is made anew, with the bytes that were downloaded again") {
  Rig rig;
  const auto first = rig.next();
  const auto offered = rig.storage.lent.at("warehouse");
  rig.damage_lent(delta_name(17));
  CHECK(rig.read_again(delta_name(17)) == core::Verdict::damaged);
  CHECK(rig.storage.lent.empty());
  REQUIRE(rig.cycle());
  const auto second = rig.next();
  // The same editions: a consumer that has loaded them before must not load them twice.
  CHECK(second.ticket == first.ticket);
  CHECK(second.offer == first.offer);
  CHECK(rig.storage.lent.at("warehouse") == offered);
  // It is kept for another lease.
  rig.clock.advance(days(6));
  REQUIRE(rig.cycle());
  CHECK(rig.storage.lent.size() == 1);
}

TEST_CASE("while an offered file is damaged, next says what is missing, and a load of before may be acknowledged") {
  Rig rig;
  const auto first = rig.next();
  rig.damage_lent(delta_name(15));
  CHECK(rig.read_again(delta_name(15)) == core::Verdict::damaged);
  const auto preview = rig.look();
  CHECK(preview.offer.files.size() == 1);
  CHECK_MESSAGE(preview.paths == std::vector<std::string>{bulk_name}, "the second names belong to the first answer");
  CHECK(rig.acknowledge(first.ticket) == Acknowledgement::done);

  Rig other;
  const auto ticket = other.next().ticket;
  other.damage_lent(bulk_name);
  CHECK(other.read_again(bulk_name) == core::Verdict::damaged);
  CHECK(other.next().offer.action == LoadAction::wait);
  REQUIRE(other.cycle());
  const auto anew = other.next();
  CHECK(anew.offer.action == LoadAction::reload);
  CHECK(MemoryStorage::whole(other.storage.lent.at("warehouse").at(bulk_name)));
}

TEST_CASE("damage of a file that a consumer was not offered leaves its offer as it is") {
  Rig rig;
  CHECK(rig.acknowledge(rig.next().ticket) == Acknowledgement::done);
  rig.list_delta(19);
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  const auto offered = rig.next();
  REQUIRE(offered.offer.files.size() == 1);
  rig.damage_lent(delta_name(17));
  CHECK(rig.read_again(delta_name(17)) == core::Verdict::damaged);
  CHECK(rig.storage.lent.size() == 1);
  CHECK(rig.next().ticket == offered.ticket);
}

TEST_CASE("a question that nobody answers does not show that a consumer keeps up") {
  Rig rig;
  const auto came = rig.gets_a_delta_once_it_has_all();
  rig.clock.advance(days(3));
  rig.storage.full = true;
  CHECK(rig.ask<NextFiles>([](agent::ConsumerDesk& desk) { return desk.next("warehouse"); }).has_error());
  CHECK(rig.only_consumer().behind_since == came);
  CHECK(rig.only_consumer().asked < came);
  rig.storage.full = false;
  static_cast<void>(rig.next());
  CHECK(rig.only_consumer().asked == rig.clock.now());
}

TEST_CASE("a bulk load that may have been done before the lease was over is offered again, although deltas would do") {
  Rig rig;
  CHECK(rig.acknowledge(rig.next().ticket) == Acknowledgement::done);
  rig.list_delta(18, 2, 6'000);
  rig.clock.advance(days(1));
  REQUIRE(rig.cycle());
  const auto reload = rig.next();
  CHECK(reload.offer.action == LoadAction::reload);
  // The service lists the first edition again, and the next delta.
  rig.list_delta(18);
  rig.list_delta(19);
  rig.clock.advance(days(9));
  REQUIRE(rig.cycle());
  const auto next = rig.next();
  CHECK(next.ticket != reload.ticket);
  CHECK(next.offer.action == LoadAction::reload);
  CHECK(rig.acknowledge(next.ticket) == Acknowledgement::done);
  CHECK(rig.next().offer.action == LoadAction::none);
}

TEST_CASE("a delta that was offered and replaced after the lease makes a bulk load, for it may have been loaded") {
  for (const bool was_lost : {false, true}) {
    CAPTURE(was_lost);
    Rig rig;
    CHECK(rig.acknowledge(rig.next().ticket) == Acknowledgement::done);
    rig.list_delta(19);
    rig.clock.advance(days(1));
    REQUIRE(rig.cycle());
    const auto offered = rig.next();
    CHECK(offered.offer.action == LoadAction::append);
    rig.list_delta(19, 2, 6'000);
    rig.clock.advance(days(9));
    if (was_lost) {
      rig.storage.blocked.insert(delta_name(19));
      rig.storage.published.erase(delta_name(19));
      static_cast<void>(rig.cycle());
      CHECK(rig.next().offer.action == LoadAction::wait);
      CHECK(rig.acknowledge(offered.ticket) == Acknowledgement::unknown_ticket);
      rig.storage.blocked.clear();
    }
    REQUIRE(rig.cycle());
    const auto next = rig.next();
    CHECK(next.offer.action == LoadAction::reload);
    CHECK(next.offer.why.reason == core::LoadReason::replaced);
    CHECK(rig.acknowledge(next.ticket) == Acknowledgement::done);
  }
}
