#include "simulation/process.hpp"
#include "support/scripted_service.hpp"
#include "support/silent_journal.hpp"
#include "support/temporary_directory.hpp"
#include "support/upstream.hpp"
#include "support/utc.hpp"
#include "vtmirror/report/sentence.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <map>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;

namespace {

class Unwatched : public agent::Watcher {
 public:
  void state_changed() override {}
  void cycle_ended() override { ++cycles; }
  int cycles = 0;
};

/// Refuses every notice while `deaf` is set. Keeps the others as "late_delta began" or "cycle single".
class Ear : public ports::Channel {
 public:
  explicit Ear(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::by_due; }
  boost::asio::awaitable<base::Result<std::string>> deliver(core::Notice notice) override {
    if (deaf) co_return base::Error{base::Errc::forbidden, "HTTP 404 from hooks.example"};
    heard.push_back(notice.code + ' ' + std::string(core::name(notice.stage)));
    co_return "taken";
  }
  long count(const std::string& what) const { return std::count(heard.begin(), heard.end(), what); }

  bool deaf = false;
  std::vector<std::string> heard;

 private:
  std::string name_;
  std::vector<core::Topic> topics_{core::Topic::cycle, core::Topic::warning};
};

/// A Sunday, an hour before the daily cycle, with everything but today's delta listed.
struct Sunday {
  explicit Sunday(std::string path = ":memory:")
      : settings{.health = {.zone = std::make_shared<Utc>()}}, catalogue(std::move(path)) {
    settings.service.base_url = "https://api.example";
    settings.service.token_url = "https://issuer.example/token";
    list(core::Kind::bulk, 0);
    list(core::Kind::delta, -1);
    start();
  }

  void list(core::Kind kind, int number) {
    service.files[file_name(kind, number)] = {kind, base::iso8601(day(number)), 500, 7};
  }
  void start() { begin(catalogue::Catalogue::open(catalogue, catalogue::Access::read_write).value()); }
  /// The next process knows what this one has recorded.
  void restart() {
    auto remembered = process->stop();
    process.reset();
    begin(std::move(remembered));
  }
  void begin(catalogue::Catalogue remembered) {
    const Surroundings around{clock, dice, service, storage, journal, watcher, {webhook, mail}};
    process.emplace(around, std::move(remembered), settings);
    process->settle();
  }
  void run_until(base::Time end) { process->live_until(end); }
  base::Time at(base::Milliseconds since_midnight) const { return std::chrono::sys_days(day(0)) + since_midnight; }
  const core::DaemonState& state() { return process->daemon().state(); }

  SimulatedClock clock{std::chrono::sys_days(day(0)) + 7h};
  LoadedDice dice;
  ScriptedService service{clock};
  MemoryStorage storage;
  SilentJournal journal;
  Unwatched watcher;
  agent::DaemonSettings settings;
  std::shared_ptr<Ear> webhook = std::make_shared<Ear>("webhook");
  std::shared_ptr<Ear> mail = std::make_shared<Ear>("mail");
  std::string catalogue;
  std::optional<Process> process;
};

/// Runs SQL in a catalogue over a connection of its own, as another program would.
void run_sql(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

}  // namespace

TEST_CASE("a daemon that was never asked before makes up for the day at once, and waits for the next") {
  Sunday sunday;
  CHECK(sunday.watcher.cycles == 1);
  CHECK(sunday.state().state == core::State::idle);
  CHECK(sunday.state().next_wake == sunday.at(8h + 150s));
  sunday.run_until(sunday.at(8h));
  CHECK(sunday.watcher.cycles == 1);
}

TEST_CASE("the manifest's stamps follow the daemon's schedule") {
  Sunday sunday;
  CHECK(sunday.storage.manifest->next_check == sunday.at(8h + 150s));
  CHECK(sunday.storage.manifest->stale_after == sunday.at(14h));
  sunday.run_until(sunday.at(8h + 150s));
  CHECK(sunday.storage.manifest->next_check == sunday.at(8h + 150s + 10min));
  CHECK(sunday.storage.manifest->stale_after == sunday.at(14h));
  sunday.list(core::Kind::delta, 0);
  sunday.run_until(sunday.at(20h));
  CHECK(sunday.storage.manifest->next_check == sunday.state().next_wake);
  CHECK(sunday.storage.manifest->stale_after == sunday.at(38h));
}

TEST_CASE("a cycle that is asked for begins at once, and once") {
  Sunday sunday;
  CHECK(sunday.process->daemon().ask_for_cycle() == 2);
  CHECK(sunday.process->daemon().ask_for_cycle() == 2);
  sunday.process->settle();
  CHECK(sunday.watcher.cycles == 2);
}

TEST_CASE("new settings are tried at once where the last cycle failed") {
  Sunday sunday;
  sunday.service.token_script = [](int) {
    return ports::Response{.status = 400, .body = R"({"error":"unauthorized_client"})"};
  };
  sunday.run_until(sunday.at(20h));
  const int cycles = sunday.watcher.cycles;
  REQUIRE(sunday.state().problems.size() == 1);
  REQUIRE(sunday.state().state == core::State::idle);
  sunday.list(core::Kind::delta, 0);
  sunday.service.token_script = {};
  sunday.process->daemon().use(sunday.settings);
  sunday.process->settle();
  CHECK(sunday.watcher.cycles == cycles + 1);
  CHECK(sunday.state().problems.empty());
  sunday.process->daemon().use(sunday.settings);
  sunday.process->settle();
  CHECK(sunday.watcher.cycles == cycles + 1);
}

TEST_CASE("a cycle whose beginning cannot be recorded has failed: it is a problem, and tried again after a pause") {
  const TemporaryDirectory directory;
  Sunday sunday((directory / "catalogue.db").string());
  sunday.list(core::Kind::delta, 0);
  run_sql(sunday.catalogue,
          "CREATE TRIGGER full BEFORE INSERT ON cycle BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END");
  sunday.process->kill_after = 1000;
  sunday.run_until(sunday.at(8h + 150s));
  REQUIRE_FALSE(sunday.process->to_be_killed());
  CHECK(sunday.watcher.cycles == 2);
  CHECK(sunday.state().state == core::State::waiting);
  CHECK(sunday.state().next_wake == sunday.at(8h + 150s + 10min));
  REQUIRE(sunday.state().problems.size() == 1);
  CHECK(report::sentence(sunday.state().problems[0]).find("database or disk is full") != std::string::npos);

  sunday.run_until(sunday.at(9h));
  CHECK(sunday.watcher.cycles == 4);
  run_sql(sunday.catalogue, "DROP TRIGGER full");
  sunday.run_until(sunday.at(12h));
  CHECK(sunday.watcher.cycles == 5);
  CHECK(sunday.state().state == core::State::idle);
  CHECK(sunday.state().problems.empty());
}

TEST_CASE("the next process retries a failed cycle at once, but not in a series of crashes") {
  const TemporaryDirectory directory;
  Sunday sunday((directory / "catalogue.db").string());
  sunday.service.token_script = [](int) {
    return ports::Response{.status = 400, .body = R"({"error":"unauthorized_client"})"};
  };
  sunday.run_until(sunday.at(20h));
  REQUIRE(sunday.state().state == core::State::idle);
  const auto restart = [&sunday] {
    sunday.process.reset();
    sunday.start();
  };
  int cycles = sunday.watcher.cycles;
  restart();
  CHECK(sunday.watcher.cycles == cycles + 1);
  restart();
  CHECK(sunday.watcher.cycles == cycles + 1);
  sunday.list(core::Kind::delta, 0);
  sunday.service.token_script = {};
  sunday.run_until(sunday.at(20h + 2min));
  restart();
  CHECK(sunday.watcher.cycles == cycles + 2);
  CHECK(sunday.state().problems.empty());
  sunday.run_until(sunday.at(20h + 4min));
  restart();
  CHECK(sunday.watcher.cycles == cycles + 2);
}

TEST_CASE("a daemon that is started long after the day's time tries again after a bad answer") {
  const TemporaryDirectory directory;
  Sunday sunday((directory / "catalogue.db").string());
  sunday.process.reset();
  sunday.list(core::Kind::delta, 0);
  sunday.clock.go_to(sunday.at(15h));
  sunday.service.listing_script = [](int) -> ports::Response { return {.status = 200, .body = "<html>"}; };
  sunday.start();
  CHECK(sunday.state().state == core::State::waiting);
  CHECK(sunday.state().next_wake == sunday.at(15h + 10min));
  sunday.service.listing_script = {};
  sunday.run_until(sunday.at(15h + 11min));
  CHECK(sunday.state().state == core::State::idle);
  CHECK(sunday.state().problems.empty());
  CHECK(sunday.storage.published.contains(file_name(core::Kind::delta, 0)));
}

TEST_CASE("a bulk download that fails after more than the time for tries is tried again on the same day") {
  Sunday sunday;
  const auto bulk = file_name(core::Kind::bulk, 0);
  sunday.list(core::Kind::delta, 0);
  sunday.service.files[bulk].size = 600;
  sunday.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name != bulk || sunday.clock.now() > sunday.at(16h + 20min)) return;
    sunday.clock.suspend_until(sunday.at(16h));
    answer = ScriptedService::refusal(404);
  };
  sunday.run_until(sunday.at(19h));
  CHECK(sunday.storage.published.at(bulk).size() == 600);
  CHECK(sunday.state().problems.empty());
}

TEST_CASE("corrected settings and a restart are tried at once, and the same settings are not") {
  const TemporaryDirectory directory;
  Sunday sunday((directory / "catalogue.db").string());
  sunday.list(core::Kind::delta, 0);
  sunday.settings.cycle.fingerprint = "wrong";
  sunday.process.reset();
  sunday.service.token_script = [](int) {
    return ports::Response{.status = 400, .body = R"({"error":"unauthorized_client"})"};
  };
  sunday.clock.go_to(sunday.at(9h));
  sunday.start();
  const auto restart = [&sunday] {
    sunday.process.reset();
    sunday.start();
  };
  REQUIRE(sunday.state().problems.size() == 1);
  const int cycles = sunday.watcher.cycles;
  sunday.run_until(sunday.clock.now() + 20s);
  restart();
  CHECK(sunday.watcher.cycles == cycles);
  sunday.service.token_script = {};
  sunday.settings.cycle.fingerprint = "right";
  const auto alarms = sunday.journal.count(ports::EventKind::problem_began);
  restart();
  CHECK(sunday.watcher.cycles == cycles + 1);
  CHECK(sunday.state().problems.empty());
  CHECK(sunday.journal.count(ports::EventKind::problem_began) == alarms);
  restart();
  CHECK(sunday.watcher.cycles == cycles + 1);
}

TEST_CASE("the wait that the service asked for survives a restart, unless it is another service that is asked") {
  const TemporaryDirectory directory;
  Sunday sunday((directory / "catalogue.db").string());
  sunday.settings.cycle.fingerprint = "before";
  sunday.process.reset();
  sunday.start();
  sunday.service.listing_script = [](int) -> ports::Response {
    return {.status = 429, .retry_after = std::chrono::hours(3)};
  };
  sunday.run_until(sunday.at(8h + 3min));
  REQUIRE(sunday.state().next_wake == sunday.at(11h + 150s));
  const auto asked = sunday.service.listings;
  const auto restart = [&sunday] {
    sunday.process.reset();
    sunday.start();
  };
  sunday.run_until(sunday.at(9h));
  restart();
  CHECK(sunday.state().next_wake == sunday.at(11h + 150s));
  sunday.settings.cycle.fingerprint = "after";
  restart();
  sunday.process->daemon().use(sunday.settings);
  sunday.process->settle();
  CHECK(sunday.state().next_wake == sunday.at(11h + 150s));
  CHECK(sunday.service.listings == asked);
  sunday.service.listing_script = {};
  sunday.settings.service.base_url = "https://other.example";
  sunday.settings.cycle.fingerprint = "other";
  restart();
  CHECK(sunday.service.listings == asked + 1);
}

TEST_CASE("refused settings are a problem at once, and until a reload succeeds") {
  Sunday sunday;
  sunday.process->daemon().refuse({.code = base::Errc::config, .subject = "vtmirror.toml", .detail = "line 3"});
  sunday.process->settle();
  REQUIRE(sunday.state().problems.size() == 1);
  CHECK(sunday.state().problems[0].code == core::ProblemCode::settings_refused);
  CHECK(sunday.mail->count("settings_refused began") == 1);
  sunday.run_until(sunday.at(9h));
  CHECK(sunday.mail->count("settings_refused began") == 1);
  sunday.process->daemon().use(sunday.settings);
  sunday.process->settle();
  CHECK(sunday.state().problems.empty());
  CHECK(sunday.mail->count("settings_refused over") == 1);
}

TEST_CASE("a bulk file that is damaged in the store is fetched twice a day, not twice in every try of the day") {
  Sunday sunday;
  const auto bulk = file_name(core::Kind::bulk, 0);
  int sent = 0;
  sunday.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name != bulk || answer.body.empty()) return;
    if (request.range.begin == 0) ++sent;
    answer.body.back() ^= 1;
  };
  sunday.service.files[bulk].size = 600;
  sunday.run_until(sunday.at(20h));
  CHECK(sunday.watcher.cycles > 5);
  CHECK(sent == 2);
  CHECK(sunday.state().problems.front().code == core::ProblemCode::quarantined_file);
  sunday.process->daemon().ask_for_cycle();
  sunday.process->settle();
  CHECK(sent == 4);
  sunday.run_until(sunday.at(24h + 20h));
  CHECK(sent == 6);
  CHECK(sunday.state().problems.front().code == core::ProblemCode::quarantined_file);
}

TEST_CASE("a bulk file that was damaged is fetched by the day's next try when it is listed with another size") {
  Sunday sunday;
  const auto bulk = file_name(core::Kind::bulk, 0);
  sunday.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == bulk && !answer.body.empty()) answer.body.back() ^= 1;
  };
  sunday.service.files[bulk].size = 600;
  sunday.run_until(sunday.at(9h));
  REQUIRE(sunday.state().problems.front().code == core::ProblemCode::quarantined_file);
  sunday.service.store_script = {};
  sunday.service.files[bulk].size = 601;
  sunday.run_until(sunday.at(11h));
  CHECK(sunday.storage.published.at(bulk).size() == 601);
}

TEST_CASE("a file that is lost and no longer listed is a problem, for which the day's cycle is not repeated") {
  Sunday sunday;
  sunday.list(core::Kind::delta, 0);
  sunday.run_until(sunday.at(9h));
  const auto cycles = sunday.watcher.cycles;
  const auto lost = file_name(core::Kind::delta, -1);
  REQUIRE(sunday.storage.published.erase(lost) == 1);
  sunday.service.files.erase(lost);
  sunday.list(core::Kind::delta, 1);
  sunday.run_until(sunday.at(24h + 20h));
  CHECK(sunday.watcher.cycles == cycles + 1);
  CHECK(sunday.state().state == core::State::idle);
  REQUIRE(sunday.state().problems.size() == 1);
  CHECK(sunday.state().problems.front().code == core::ProblemCode::damaged_file);
  CHECK(sunday.storage.published.contains(file_name(core::Kind::delta, 1)));
}

TEST_CASE("new settings hold for the next wake-up") {
  Sunday sunday;
  auto later = sunday.settings;
  later.health.schedule.at = 10h;
  later.health.schedule.splay = 0ms;
  sunday.process->daemon().use(later);
  sunday.process->settle();
  CHECK(sunday.state().next_wake == sunday.at(10h));
}

TEST_CASE("the stop signal ends a daemon that sleeps") {
  Sunday sunday;
  REQUIRE_FALSE(sunday.process->ended().has_value());
  static_cast<void>(sunday.process->stop());
  REQUIRE(sunday.process->ended().has_value());
  CHECK(sunday.process->ended()->has_value());
  CHECK(sunday.state().state == core::State::stopping);
}

TEST_CASE("a delta that is not listed is waited for, then a problem, and over on the next day") {
  Sunday sunday;
  sunday.run_until(sunday.at(9h));
  CHECK(sunday.state().state == core::State::waiting);
  CHECK(sunday.state().problems.empty());
  sunday.run_until(sunday.at(15h));
  CHECK(sunday.state().state == core::State::idle);
  REQUIRE(sunday.state().problems.size() == 1);
  CHECK(sunday.state().problems[0].code == core::ProblemCode::late_delta);
  CHECK(sunday.journal.count(ports::EventKind::problem_began) == 1);
  sunday.list(core::Kind::delta, 0);
  sunday.list(core::Kind::delta, 1);
  sunday.run_until(sunday.at(33h));
  CHECK(sunday.state().problems.empty());
  CHECK(sunday.journal.count(ports::EventKind::problem_over) == 1);
  CHECK(sunday.storage.published.contains(file_name(core::Kind::delta, 1)));
}

TEST_CASE("a channel that fails for a day is a problem, is reported to the others, and is over once it delivers") {
  Sunday sunday;
  sunday.list(core::Kind::delta, 0);
  sunday.list(core::Kind::delta, 1);
  sunday.list(core::Kind::delta, 2);
  sunday.webhook->deaf = true;
  sunday.run_until(sunday.at(30h));
  CHECK(sunday.state().problems.empty());
  sunday.run_until(sunday.at(34h));
  REQUIRE(sunday.state().problems.size() == 1);
  const auto& problem = sunday.state().problems[0];
  CHECK(problem.code == core::ProblemCode::channel_failing);
  CHECK(report::sentence(problem).starts_with("webhook could not deliver "));
  CHECK(report::sentence(problem).ends_with(": HTTP 404 from hooks.example"));
  CHECK(sunday.mail->count("channel_failing began") == 1);
  sunday.webhook->deaf = false;
  sunday.run_until(sunday.at(41h));
  CHECK(sunday.state().problems.empty());
  CHECK(sunday.mail->count("channel_failing over") == 1);
  CHECK(sunday.webhook->count("channel_failing began") == 1);
  CHECK(sunday.webhook->count("channel_failing over") == 1);
}

TEST_CASE("a service that asks to be left alone for hours is not asked in between, except by a person") {
  Sunday sunday;
  sunday.service.listing_script = [](int) -> ports::Response {
    return {.status = 429, .retry_after = std::chrono::hours(3)};
  };
  sunday.run_until(sunday.at(8h + 3min));
  REQUIRE(sunday.watcher.cycles == 2);
  const auto asked = sunday.service.listings;
  CHECK(sunday.state().next_wake == sunday.at(11h + 150s));
  sunday.run_until(sunday.at(11h));
  CHECK(sunday.service.listings == asked);
  sunday.process->daemon().ask_for_cycle();
  sunday.process->settle();
  CHECK(sunday.service.listings == asked + 1);
  sunday.service.listing_script = {};
  sunday.run_until(sunday.at(14h - 1min));
  CHECK(sunday.watcher.cycles == 3);
  sunday.run_until(sunday.at(14h + 1min));
  CHECK(sunday.watcher.cycles == 4);
}

TEST_CASE(
    "a store's wait holds back the day's next try, but neither the next day's nor the one for a delta not listed") {
  Sunday sunday;
  const auto yesterdays = file_name(core::Kind::delta, -1);
  const auto todays = file_name(core::Kind::delta, 0);
  sunday.service.files[yesterdays].size = 700;
  sunday.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name != yesterdays && request.name != todays) return;
    answer = ScriptedService::refusal(503);
    answer.head.retry_after = std::chrono::hours(2);
  };
  sunday.process->daemon().ask_for_cycle();
  sunday.process->settle();
  REQUIRE(sunday.watcher.cycles == 2);
  // It is of the day before.
  CHECK(sunday.state().next_wake == sunday.at(8h + 5min));
  sunday.run_until(sunday.at(8h + 6min));
  REQUIRE(sunday.watcher.cycles == 3);
  // Today's delta is not listed.
  CHECK(*sunday.state().next_wake < sunday.at(8h + 30min));
  sunday.list(core::Kind::delta, 0);
  sunday.run_until(*sunday.state().next_wake + 1min);
  const auto ended = sunday.clock.now() - 1min;
  CHECK(*sunday.state().next_wake >= ended + 2h);
  CHECK(*sunday.state().next_wake < ended + 2h + 1min);
  const auto cycles = sunday.watcher.cycles;
  sunday.run_until(ended + 1h + 59min);
  CHECK(sunday.watcher.cycles == cycles);
  sunday.service.store_script = {};
  sunday.run_until(ended + 2h + 2min);
  CHECK(sunday.watcher.cycles == cycles + 1);
  CHECK(sunday.state().problems.empty());
}

TEST_CASE("a service that asks to be left alone for a year is asked on the next day") {
  Sunday sunday;
  sunday.service.listing_script = [](int) -> ports::Response {
    return {.status = 503, .retry_after = std::chrono::hours(24 * 366)};
  };
  sunday.run_until(sunday.at(8h + 3min));
  REQUIRE(sunday.watcher.cycles == 2);
  sunday.run_until(sunday.at(24h));
  CHECK(sunday.watcher.cycles == 2);
  sunday.run_until(sunday.at(32h + 3min));
  CHECK(sunday.watcher.cycles == 3);
}

namespace {

/// A Sunday on which the bulk file is replaced by one that takes hours, at one byte a second.
struct LongSunday : Sunday {
  explicit LongSunday(int bytes) {
    settings.cycle.rate.bytes_a_second = 1;
    process->daemon().use(settings);
    process->settle();
    service.files[bulk].size = bytes;
    service.store_script = [this](const StoreRequest& request, StoreAnswer&) {
      asked.emplace(request.name, clock.now());
    };
  }
  bool has(core::ProblemCode code) {
    const auto& problems = state().problems;
    return std::ranges::find(problems, code, &core::Problem::code) != problems.end();
  }

  const std::string bulk = file_name(core::Kind::bulk, 0);
  std::map<std::string, base::Time> asked;  ///< when each file was first requested
};

}  // namespace

TEST_CASE("a delta that is listed during a long download is downloaded beside it, in the same cycle") {
  LongSunday sunday(20000);
  const auto delta = file_name(core::Kind::delta, 0);
  sunday.run_until(sunday.at(8h + 5min));
  REQUIRE(sunday.state().state == core::State::syncing);
  const auto cycles = sunday.watcher.cycles;
  sunday.list(core::Kind::delta, 0);
  sunday.run_until(sunday.at(8h + 13min));
  REQUIRE(sunday.asked.contains(delta));
  CHECK(sunday.asked.at(delta) <= sunday.at(8h + 12min + 30s));
  CHECK(sunday.state().state == core::State::syncing);
  CHECK(sunday.process->daemon().progress()->files == 2);
  const auto listings = sunday.service.listings;
  sunday.run_until(sunday.at(9h));
  CHECK(sunday.service.listings <= listings + 12);  // only to renew links, since the delta is listed
  sunday.run_until(sunday.at(20h));
  CHECK(sunday.watcher.cycles == cycles + 1);
  CHECK(sunday.state().state == core::State::idle);
  CHECK(sunday.state().problems.empty());
  CHECK(sunday.storage.published.at(sunday.bulk).size() == 20000);
  CHECK(sunday.storage.published.contains(delta));
}

TEST_CASE("the next day's delta does not wait for a download that began on the day before") {
  LongSunday sunday(110000);
  sunday.list(core::Kind::delta, 0);
  sunday.run_until(sunday.at(24h + 7h + 59min));
  REQUIRE(sunday.state().state == core::State::syncing);
  sunday.list(core::Kind::delta, 1);
  sunday.run_until(sunday.at(24h + 8h + 6min));
  REQUIRE(sunday.asked.contains(file_name(core::Kind::delta, 1)));
  CHECK(sunday.state().state == core::State::syncing);
}

TEST_CASE("a delta that does not come is a problem in time, also while a long download runs") {
  LongSunday sunday(60000);
  sunday.run_until(sunday.at(13h));
  CHECK_FALSE(sunday.has(core::ProblemCode::late_delta));
  sunday.run_until(sunday.at(14h + 15min));
  REQUIRE(sunday.state().state == core::State::syncing);
  CHECK(sunday.has(core::ProblemCode::late_delta));
  CHECK(sunday.mail->count("late_delta began") == 1);
}

TEST_CASE("settings are taken and refused while a long download runs, and a stop ends it") {
  LongSunday sunday(40000);
  sunday.list(core::Kind::delta, 0);
  sunday.run_until(sunday.at(9h));
  sunday.process->daemon().refuse({.code = base::Errc::config, .subject = "vtmirror.toml", .detail = "line 3"});
  sunday.process->settle();
  CHECK(sunday.has(core::ProblemCode::settings_refused));
  auto later = sunday.settings;
  later.health.schedule.at = 10h;
  later.health.schedule.splay = 0ms;
  sunday.process->daemon().use(later);
  sunday.process->settle();
  CHECK(sunday.state().problems.empty());
  REQUIRE(sunday.state().state == core::State::syncing);
  CHECK(sunday.process->daemon().progress() != nullptr);
  const auto cycles = sunday.watcher.cycles;
  static_cast<void>(sunday.process->stop());
  CHECK(sunday.watcher.cycles == cycles + 1);
  CHECK(sunday.state().state == core::State::stopping);
}

TEST_CASE("a cycle that fails with settings that were corrected meanwhile is followed by one with the new settings") {
  LongSunday sunday(600);
  const auto delta = file_name(core::Kind::delta, 0);
  sunday.list(core::Kind::delta, 0);
  sunday.service.files[delta].size = 20000;
  sunday.settings.cycle.fingerprint = "wrong";
  sunday.process->daemon().use(sunday.settings);
  sunday.process->settle();
  const auto cycles = sunday.watcher.cycles;
  sunday.service.store_script = [&sunday, cycles](const StoreRequest& request, StoreAnswer& answer) {
    const bool corrected = sunday.watcher.cycles > cycles;
    if (request.name == sunday.bulk && !corrected) answer = ScriptedService::refusal(403, "<Code>AccessDenied</Code>");
  };
  sunday.run_until(sunday.at(10h));
  REQUIRE(sunday.state().state == core::State::syncing);
  sunday.settings.cycle.fingerprint = "right";
  sunday.settings.cycle.rate.bytes_a_second = 0;
  sunday.process->daemon().use(sunday.settings);
  while (sunday.watcher.cycles == cycles && sunday.clock.now() < sunday.at(20h))
    sunday.run_until(sunday.clock.now() + 1min);
  CHECK(sunday.watcher.cycles == cycles + 2);
  CHECK(sunday.journal.count(ports::EventKind::problem_began) == 0);
  CHECK(sunday.storage.published.at(sunday.bulk).size() == 600);
  CHECK(sunday.storage.published.at(delta).size() == 20000);
}

TEST_CASE("a new rate limit holds at once, also for the download that runs") {
  LongSunday sunday(40000);
  sunday.list(core::Kind::delta, 0);
  sunday.run_until(sunday.at(9h));
  REQUIRE(sunday.state().state == core::State::syncing);
  sunday.settings.cycle.rate.bytes_a_second = 1000;
  sunday.process->daemon().use(sunday.settings);
  sunday.run_until(sunday.at(9h + 10min));
  CHECK(sunday.state().state == core::State::idle);
  CHECK(sunday.storage.published.at(sunday.bulk).size() == 40000);
}

TEST_CASE("a wait that the service asks for during a long download is kept to after its end") {
  LongSunday sunday(20000);
  sunday.run_until(sunday.at(8h + 5min));
  REQUIRE(sunday.state().state == core::State::syncing);
  sunday.service.listing_script = [](int) -> ports::Response {
    return {.status = 429, .retry_after = std::chrono::hours(5)};
  };
  sunday.run_until(sunday.at(8h + 15min));
  const auto listings = sunday.service.listings;
  sunday.settings.cycle.rate.bytes_a_second = 0;
  sunday.process->daemon().use(sunday.settings);
  sunday.run_until(sunday.at(8h + 30min));
  REQUIRE(sunday.state().state != core::State::syncing);
  CHECK(sunday.state().next_wake >= sunday.at(13h));
  sunday.run_until(sunday.at(12h));
  CHECK(sunday.service.listings == listings);
}

TEST_CASE("a wait does not outlast its length because the clock is set back") {
  LongSunday sunday(40000);
  sunday.run_until(sunday.at(11h));
  sunday.service.listing_script = [](int) -> ports::Response {
    return {.status = 429, .retry_after = std::chrono::hours(1)};
  };
  const auto listings = sunday.service.listings;
  auto asked = sunday.at(11h);
  while (sunday.service.listings == listings && asked < sunday.at(13h)) sunday.run_until(asked = asked + 1min);
  REQUIRE(sunday.service.listings == listings + 1);
  sunday.clock.skew = -3h;
  sunday.settings.cycle.rate.bytes_a_second = 0;
  sunday.process->daemon().use(sunday.settings);
  sunday.run_until(asked + 30min);
  REQUIRE(sunday.state().state == core::State::waiting);
  CHECK(*sunday.state().next_wake > asked + 30min - 3h);
  CHECK(*sunday.state().next_wake < asked + 1h + 10min - 3h);
}

TEST_CASE("a wait of some minutes that the service asks for is shown, and kept to over a restart") {
  Sunday sunday;
  sunday.service.listing_script = [](int) -> ports::Response {
    return {.status = 429, .retry_after = std::chrono::minutes(40)};
  };
  sunday.run_until(sunday.at(8h + 5min));
  CHECK(sunday.state().state == core::State::waiting);
  REQUIRE(sunday.state().next_wake);
  const auto logged = *sunday.state().next_wake;
  CHECK(logged >= sunday.at(8h + 40min));
  const auto listings = sunday.service.listings;
  sunday.restart();
  sunday.run_until(logged - 1min);
  CHECK(sunday.service.listings == listings);
}

TEST_CASE("of a wait of less than a minute, the next process waits for the rest") {
  Sunday sunday;
  sunday.service.listing_script = [](int) -> ports::Response {
    return {.status = 429, .retry_after = std::chrono::seconds(50)};
  };
  auto now = sunday.at(8h);
  while (sunday.service.listings == 0 && now < sunday.at(8h + 10min)) sunday.run_until(now = now + 1s);
  REQUIRE(sunday.service.listings == 1);
  sunday.run_until(now = now + 3s);
  sunday.restart();
  sunday.run_until(now + 40s);
  CHECK(sunday.service.listings == 1);
  sunday.run_until(now + 3min);
  CHECK(sunday.service.listings > 1);
}

TEST_CASE("a delta for which the store asks to wait is tried again beside the bulk file after that wait") {
  LongSunday sunday(20000);
  const auto delta = file_name(core::Kind::delta, 0);
  sunday.list(core::Kind::delta, 0);
  std::vector<base::Time> tries;
  sunday.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name != delta) return;
    tries.push_back(sunday.clock.now());
    if (tries.size() > 1) return;
    answer = ScriptedService::refusal(503);
    answer.head.retry_after = std::chrono::minutes(90);
  };
  sunday.run_until(sunday.at(8h + 5min));
  REQUIRE(sunday.state().state == core::State::syncing);
  REQUIRE(tries.size() == 1);
  sunday.run_until(sunday.at(11h));
  CHECK(sunday.state().state == core::State::syncing);
  REQUIRE(tries.size() > 1);
  CHECK(tries[1] - tries[0] >= 90min);
}

TEST_CASE("a delta that failed once is tried again beside the bulk file, not after it") {
  LongSunday sunday(20000);
  const auto delta = file_name(core::Kind::delta, 0);
  sunday.list(core::Kind::delta, 0);
  bool came = false;
  sunday.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name != delta) return;
    came = sunday.clock.now() >= sunday.at(8h + 10min);
    if (!came) answer = ScriptedService::refusal(404);
  };
  sunday.run_until(sunday.at(8h + 5min));
  REQUIRE(sunday.state().state == core::State::syncing);
  const auto cycles = sunday.watcher.cycles;
  sunday.run_until(sunday.at(8h + 50min));
  CHECK(sunday.state().state == core::State::syncing);
  CHECK(came);
  sunday.run_until(sunday.at(20h));
  CHECK(sunday.watcher.cycles == cycles + 1);
  CHECK(sunday.storage.published.contains(delta));
  CHECK(sunday.state().problems.empty());
}
