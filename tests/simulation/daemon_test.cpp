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

/// Takes nothing while it is deaf, and remembers what it was told: "late_delta began", "cycle single".
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

/// A Sunday, an hour before the day's time, with everything but today's delta listed.
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
  void start() {
    const Surroundings around{clock, dice, service, storage, journal, watcher, {webhook, mail}};
    process.emplace(around, catalogue::Catalogue::open(catalogue, catalogue::Access::read_write).value(), settings);
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

/// Somebody else's connection to a catalogue.
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
  sunday.process->daemon().take(sunday.settings);
  sunday.process->settle();
  CHECK(sunday.watcher.cycles == cycles + 1);
  CHECK(sunday.state().problems.empty());
  sunday.process->daemon().take(sunday.settings);
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

TEST_CASE("new settings hold for the next wake-up") {
  Sunday sunday;
  auto later = sunday.settings;
  later.health.schedule.at = 10h;
  later.health.schedule.splay = 0ms;
  sunday.process->daemon().take(later);
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
  CHECK(report::sentence(problem).ends_with(": forbidden: HTTP 404 from hooks.example"));
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
