// The daemon reads held files again: by itself, and when it is asked to.
#include "simulation/process.hpp"
#include "support/scripted_service.hpp"
#include "support/silent_journal.hpp"
#include "support/upstream.hpp"
#include "support/utc.hpp"
#include "vtmirror/agent/verification.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;

namespace {

struct Watcher : agent::Watcher {
  void state_changed() override {}
  void cycle_ended() override { ++cycles; }
  void verified(std::int64_t number, const core::VerificationReport& report, const base::Result<void>& ended) override {
    numbers.push_back(number);
    reports.push_back(report);
    CHECK(ended);
  }
  int cycles = 0;
  std::vector<std::int64_t> numbers;
  std::vector<core::VerificationReport> reports;
};

/// Keeps the notices that it receives, as "damaged_file began".
class Ear : public ports::Channel {
 public:
  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::by_due; }
  boost::asio::awaitable<base::Result<std::string>> deliver(core::Notice notice) override {
    heard.push_back(notice.code + ' ' + std::string(core::name(notice.stage)));
    co_return "taken";
  }
  long count(const std::string& what) const { return std::count(heard.begin(), heard.end(), what); }
  std::vector<std::string> heard;

 private:
  std::string name_ = "webhook";
  std::vector<core::Topic> topics_{core::Topic::warning};
};

/// A mirror that holds a bulk file and some deltas since a Sunday morning, and a service that lists nothing new.
struct Site {
  explicit Site(std::chrono::seconds scrub = std::chrono::days(9))
      : settings{.health = {.zone = std::make_shared<Utc>()}} {
    settings.service.base_url = "https://api.example";
    settings.service.token_url = "https://issuer.example/token";
    settings.cycle.check = {.zip = true, .digest = true};
    settings.scrub = scrub;
    list(core::Kind::bulk, 0);
    for (int number = 0; number < 4; ++number) list(core::Kind::delta, number);
    start();
    CHECK(storage.published.size() == 5);
  }
  void list(core::Kind kind, int number) {
    service.files[file_name(kind, number)] = {kind, base::iso8601(day(number)), 500, 7};
  }
  void start() {
    const Surroundings around{clock, dice, service, storage, journal, watcher, {ear}};
    process.emplace(around, empty_catalogue(), settings);
    process->settle();
  }
  void run_until(int number, base::Milliseconds since_midnight) {
    process->live_until(std::chrono::sys_days(day(number)) + since_midnight);
  }
  core::FileRecord record(const std::string& name) const { return process->catalogue().file(name).value().value(); }
  bool is_named(const std::string& name) const {
    return std::ranges::find(storage.sums, name, &core::Held::name) != storage.sums.end();
  }
  bool has_problem() const {
    const auto& problems = process->daemon().state().problems;
    return std::ranges::find(problems, core::ProblemCode::damaged_file, &core::Problem::code) != problems.end();
  }
  bool is_whole(const std::string& name) const { return MemoryStorage::whole(storage.published.at(name)); }
  void rot(const std::string& name) { storage.published.at(name)[100] ^= 1; }

  SimulatedClock clock{std::chrono::sys_days(day(0)) + 9h};
  LoadedDice dice;
  ScriptedService service{clock};
  MemoryStorage storage;
  SilentJournal journal;
  Watcher watcher;
  agent::DaemonSettings settings;
  std::shared_ptr<Ear> ear = std::make_shared<Ear>();
  mutable std::optional<Process> process;
};

const std::string second = file_name(core::Kind::delta, 1);

}  // namespace

TEST_CASE("a daemon reads every held file again within mirror.scrub, at night") {
  Site site;
  const auto published = site.record(second).published_at;
  site.run_until(6, 0h);
  CHECK(site.record(second).read_at == published);
  site.run_until(9, 9h);
  for (const auto& [name, bytes] : site.storage.published) {
    const auto read = site.record(name).read_at;
    CHECK(read > published);
    const auto hour = read - std::chrono::floor<std::chrono::days>(read);
    CHECK(hour >= 1h);
    CHECK(hour < 6h);
  }
  CHECK(site.journal.count(ports::EventKind::damage_found) == 0);
}

TEST_CASE("a daemon with mirror.scrub = 0 reads nothing again") {
  Site site(0s);
  const auto published = site.record(second).published_at;
  site.run_until(60, 9h);
  CHECK(site.record(second).read_at == published);
}

TEST_CASE("a daemon whose clock was months ahead for a while reads held files again") {
  Site site;
  site.run_until(1, 12h);
  site.clock.skew = std::chrono::days(90);
  site.run_until(3, 12h);
  CHECK(site.record(second).read_at > site.clock.world());
  site.clock.skew = 0ms;
  site.run_until(14, 9h);
  CHECK(site.record(second).read_at < site.clock.world());
}

TEST_CASE("a reload changes how often a daemon reads held files again") {
  Site site(0s);
  const auto published = site.record(second).published_at;
  site.run_until(20, 9h);
  CHECK(site.record(second).read_at == published);
  site.settings.scrub = std::chrono::days(9);
  site.process->daemon().use(site.settings);
  site.run_until(29, 9h);
  CHECK(site.record(second).read_at > published);
}

TEST_CASE("bit rot that a daemon finds is a problem, an event and a notice, and is downloaded again at once") {
  Site site;
  site.run_until(2, 12h);
  site.rot(second);
  site.run_until(5, 12h);
  CHECK_FALSE(site.has_problem());
  const auto cycles = site.watcher.cycles;
  bool was_withdrawn = false;
  site.journal.heard = [&](const ports::Event& event) {
    if (event.kind == ports::EventKind::fetch_started) was_withdrawn = !site.is_named(second);
  };
  site.run_until(9, 7h);
  CHECK(was_withdrawn);
  CHECK(site.journal.count(ports::EventKind::damage_found) == 1);
  CHECK(site.watcher.cycles > cycles);
  CHECK(site.is_whole(second));
  CHECK(site.is_named(second));
  CHECK_FALSE(site.has_problem());
  CHECK(site.ear->count("damaged_file began") == 1);
  CHECK(site.ear->count("damaged_file over") == 1);
}

TEST_CASE("rot in a file that is not listed any more stays a problem, and causes no storm of cycles") {
  Site site;
  site.run_until(2, 12h);
  site.rot(second);
  site.service.files.erase(second);
  site.run_until(9, 12h);
  CHECK(site.has_problem());
  CHECK_FALSE(site.is_named(second));
  CHECK(site.ear->count("damaged_file began") == 1);
  CHECK(site.journal.count(ports::EventKind::damage_found) == 1);
  site.list(core::Kind::delta, 10);
  site.run_until(10, 23h);
  const auto cycles = site.watcher.cycles;
  site.run_until(11, 7h);
  CHECK(site.watcher.cycles == cycles);
  site.storage.published.at(second)[100] ^= 1;
  REQUIRE(site.process->daemon().ask_for_verification({}).has_value());
  site.process->settle();
  CHECK_FALSE(site.has_problem());
  CHECK(site.is_named(second));
  CHECK(site.ear->count("damaged_file over") == 1);
}

TEST_CASE("one cycle repairs what was found before it began, and no second one follows it") {
  Site site;
  const auto third = file_name(core::Kind::delta, 2);
  site.run_until(2, 12h);
  site.rot(second);
  site.rot(third);
  std::vector<base::Time> began;
  site.journal.heard = [&](const ports::Event& event) {
    if (event.kind == ports::EventKind::cycle_started) began.push_back(site.clock.now());
  };
  for (int number = 4; number < 20; ++number) site.list(core::Kind::delta, number);
  // A machine that slept for weeks: all files are due in its first night.
  site.clock.go_to(std::chrono::sys_days(day(20)) + 2h);
  site.process->live_until(std::chrono::sys_days(day(20)) + 6h);
  CHECK(site.journal.count(ports::EventKind::damage_found) == 2);
  CHECK(site.is_whole(second));
  CHECK(site.is_whole(third));
  // One cycle for the wake-up that was missed, and one for the damage.
  CHECK(began.size() == 2);
}

TEST_CASE("a verification that is asked for reads at once, and its end is reported with its number") {
  Site site;
  site.rot(second);
  CHECK(site.process->daemon().ask_for_verification({.names = {"bulk"}}).value() == 1);
  const auto refused = site.process->daemon().ask_for_verification({});
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == base::Errc::locked);
  CHECK(
      refused.error().detail.starts_with("a verification was asked for already, and begins as soon as no cycle runs"));
  site.process->settle();
  REQUIRE(site.watcher.reports.size() == 1);
  CHECK(core::is_clean(site.watcher.reports[0]));
  CHECK(site.watcher.reports[0].files == 1);
  CHECK(site.process->daemon().verification() == nullptr);

  CHECK(site.process->daemon().ask_for_verification({}).value() == 2);
  site.process->settle();
  REQUIRE(site.watcher.numbers == std::vector<std::int64_t>{1, 2});
  CHECK(site.watcher.reports[1].files == 5);
  REQUIRE(site.watcher.reports[1].findings.size() == 1);
  CHECK(site.watcher.reports[1].findings[0].name == second);
  CHECK(site.is_whole(second));
  CHECK_FALSE(site.has_problem());
}

TEST_CASE("a verification waits for the end of a cycle, and a reload does not lose it") {
  Site site;
  site.process->daemon().ask_for_cycle();
  REQUIRE(site.process->daemon().ask_for_verification({}).has_value());
  site.process->daemon().use(site.settings);
  const auto cycles = site.watcher.cycles;
  site.process->settle();
  CHECK(site.watcher.cycles == cycles + 1);
  REQUIRE(site.watcher.reports.size() == 1);
  CHECK(core::is_clean(site.watcher.reports[0]));
}

TEST_CASE("a stop during a verification is no error, and what was not read is not said to be whole") {
  int stopped_first = 0, stopped_later = 0;
  for (int calls = 0; calls < 12; ++calls) {
    CAPTURE(calls);
    Site site;
    REQUIRE(site.process->daemon().ask_for_verification({}).has_value());
    site.process->kill_after = calls;
    site.process->settle();
    site.process->stop();
    for (const auto& event : site.journal.events) {
      if (event.kind != ports::EventKind::verified) continue;
      CHECK(event.level == ports::Level::info);
      if (event.message == "no file was verified; stopped before 5 files") ++stopped_first;
      if (event.message.find("all are whole; stopped before ") != std::string::npos ||
          event.message.find("it is whole; stopped before ") != std::string::npos) {
        ++stopped_later;
        CHECK(event.message.find("verified 0 files") == std::string::npos);
      }
    }
  }
  CHECK(stopped_first > 0);
  CHECK(stopped_later > 0);
}
