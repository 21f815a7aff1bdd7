// The daemon's own loop with a secret that ends: warnings, refusals and rotations over days, restarts and long pauses.
#include "simulation/process.hpp"
#include "support/memory_secrets.hpp"
#include "support/scripted_service.hpp"
#include "support/silent_journal.hpp"
#include "support/upstream.hpp"
#include "support/utc.hpp"
#include "vtmirror/report/sentence.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using ports::EventKind;

namespace {

/// Issuer, listing, and /credentials, which returns one new secret after another.
class Service : public ScriptedService {
 public:
  using ScriptedService::ScriptedService;
  int asked = 0;
  std::function<base::Result<ports::Response>()> credentials_script;

  boost::asio::awaitable<base::Result<ports::Response>> exchange(ports::Request request) override {
    if (request.method == "PUT") co_return new_secret(request);
    auto answer = co_await ScriptedService::exchange(std::move(request));
    co_return answer;
  }

 private:
  base::Result<ports::Response> new_secret(const ports::Request& request) {
    if (connect_script)
      if (const auto failed = connect_script(request)) return *failed;
    if (request.sending) request.sending();
    ++asked;
    if (credentials_script) return credentials_script();
    return ports::Response{.status = 200,
                           .body = R"({"clientSecret":"new-)" + std::to_string(asked) + "\"}",
                           .content_type = "application/json"};
  }
};

/// Keeps the notices that people would get.
class Mailbox : public ports::Channel {
 public:
  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::kept; }
  boost::asio::awaitable<base::Result<std::string>> deliver(core::Notice notice) override {
    logged.push_back(notice.code + ": " + notice.message);
    co_return "taken";
  }
  long count(const std::string& words) const {
    return std::count_if(logged.begin(), logged.end(),
                         [&](const auto& each) { return each.find(words) != std::string::npos; });
  }
  std::vector<std::string> logged;

 private:
  std::string name_ = "mail";
  std::vector<core::Topic> topics_{core::Topic::warning};
};

/// Counts how often the daemon says that the secret changed.
class Reader : public agent::Watcher {
 public:
  void state_changed() override {}
  void cycle_ended() override {}
  void secret_changed() override { ++changes; }
  int changes = 0;
};

const base::Time start = std::chrono::sys_days(day(0)) + 7h;

struct Life {
  Life() {
    settings.service.base_url = "https://api.example";
    settings.service.token_url = "https://issuer.example/token";
    settings.health.zone = std::make_shared<Utc>();
    settings.health.credentials.secret_fingerprint = "first";
    settings.health.credentials.key_fingerprint = "key";
    settings.rotation.service = settings.service;
    settings.secrets = secrets;
    service.files[file_name(core::Kind::bulk, 0)] = {core::Kind::bulk, base::iso8601(day(0)), 500, 7};
    list_today();
  }

  void expires_in(int days) {
    settings.health.credentials.secret_expires_on = base::Date(std::chrono::sys_days(day(0)) + std::chrono::days(days));
  }
  /// Lists today's delta, so that today's cycle is complete.
  void list_today() {
    service.files[file_name(core::Kind::delta, number)] = {core::Kind::delta, base::iso8601(day(number)), 500, 7};
  }

  void begin() {
    const Surroundings around{clock, dice, service, storage, journal, reader, {mail}};
    auto remembered = std::move(catalogue);
    catalogue.reset();
    if (!remembered) remembered = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value();
    process.emplace(around, std::move(*remembered), settings);
    process->settle();
  }
  void end() {
    catalogue = process->stop();
    process.reset();
  }
  void restart() {
    end();
    begin();
  }
  void kill() {
    catalogue = process->kill();
    process.reset();
    begin();
  }
  void reload() {
    process->daemon().use(settings);
    process->settle();
  }
  void run_until(base::Time when) { process->live_until(when); }
  void live(int days) {
    for (int i = 0; i < days; ++i) {
      ++number;
      list_today();
      run_until(std::chrono::sys_days(day(number)) + 12h);
    }
  }
  /// The machine is off for that many days.
  void pause(int days) {
    end();
    number += days;
    list_today();
    clock.go_to(std::chrono::sys_days(day(number)) + 12h);
    begin();
  }
  long warnings() const { return journal.count(EventKind::secret_warned); }
  const core::DaemonState& state() { return process->daemon().state(); }
  const core::Problem* problem(core::ProblemCode code) {
    for (const auto& each : state().problems)
      if (each.code == code) return &each;
    return nullptr;
  }
  void refuse_secret() {
    service.token_script = [](int) {
      return ports::Response{.status = 401, .body = R"({"error":"invalid_client","error_description":"expired keys"})"};
    };
  }

  int number = 0;  ///< of the day
  SimulatedClock clock{start};
  LoadedDice dice;
  Service service{clock};
  MemoryStorage storage;
  SilentJournal journal;
  Reader reader;
  std::shared_ptr<Mailbox> mail = std::make_shared<Mailbox>();
  std::shared_ptr<MemorySecrets> secrets = std::make_shared<MemorySecrets>();
  agent::DaemonSettings settings;
  std::optional<catalogue::Catalogue> catalogue;
  std::optional<Process> process;
};

}  // namespace

TEST_CASE("warnings come at 30 and at 14 days, once each, over restarts and kills") {
  Life life;
  life.expires_in(32);
  life.begin();
  life.live(1);
  CHECK(life.warnings() == 0);
  CHECK(life.problem(core::ProblemCode::secret_expires) == nullptr);
  life.live(1);
  CHECK(life.warnings() == 1);
  CHECK(life.problem(core::ProblemCode::secret_expires) != nullptr);
  life.restart();
  life.kill();
  life.live(15);
  CHECK(life.warnings() == 1);
  CHECK(life.state().secret.warned == std::vector{30});
  life.live(1);
  CHECK(life.warnings() == 2);
  life.kill();
  life.live(5);
  CHECK(life.warnings() == 2);
  CHECK(life.state().secret.warned == std::vector{30, 14});
  CHECK(life.state().secret.days_left == 9);
}

TEST_CASE("a daemon that was off from day 31 to day 13 gives the 14-day warning, and not both") {
  Life life;
  life.expires_in(31);
  life.begin();
  life.pause(18);
  CHECK(life.warnings() == 1);
  CHECK(life.state().secret.warned == std::vector{14});
  life.live(13);
  CHECK(life.warnings() == 1);
}

TEST_CASE("the day's change is met within a minute, without a cycle") {
  Life life;
  life.expires_in(31);
  life.begin();
  life.run_until(std::chrono::sys_days(day(1)) - 1s);
  CHECK(life.warnings() == 0);
  life.run_until(std::chrono::sys_days(day(1)) + 1min);
  CHECK(life.warnings() == 1);
}

TEST_CASE("without other facts, the expiry is two years after the first day, and marked as an estimate") {
  Life life;
  life.begin();
  CHECK(life.state().secret.estimated);
  CHECK(life.state().secret.expires_on == core::two_years_after(day(0)));
  life.pause(3);
  CHECK(life.state().secret.expires_on == core::two_years_after(day(0)));
  life.pause(710);
  CHECK(life.warnings() == 1);
  CHECK(life.journal.events.size() > 0);
}

TEST_CASE("after the day of expiry it is an error, which says what helps") {
  Life life;
  life.expires_in(1);
  life.begin();
  life.live(1);
  CHECK(life.problem(core::ProblemCode::secret_expired) == nullptr);
  CHECK(life.problem(core::ProblemCode::secret_expires) != nullptr);
  life.refuse_secret();
  life.end();
  life.begin();
  life.live(1);
  REQUIRE(life.problem(core::ProblemCode::secret_refused) != nullptr);
  CHECK(report::sentence(*life.problem(core::ProblemCode::secret_refused)).find("expired keys") != std::string::npos);
  CHECK(report::remedy(*life.problem(core::ProblemCode::secret_refused)).find("ask the service's support") !=
        std::string_view::npos);
  CHECK(life.problem(core::ProblemCode::secret_expires) == nullptr);
}

TEST_CASE("a refused secret is tried once a day and at every reload, over restarts") {
  Life life;
  life.refuse_secret();
  life.begin();
  const int first = life.service.tokens;
  CHECK(first == 1);
  CHECK(life.problem(core::ProblemCode::secret_refused) != nullptr);
  CHECK(life.problem(core::ProblemCode::cycle_failed) == nullptr);
  life.run_until(start + 40min);
  CHECK(life.service.tokens == 1);
  life.live(5);  // and today's cycle, an hour after the start
  CHECK(life.service.tokens == 7);
  life.restart();
  life.kill();
  CHECK(life.service.tokens == 7);
  CHECK(life.problem(core::ProblemCode::secret_refused) != nullptr);
  life.reload();
  CHECK(life.service.tokens == 8);
  life.process->daemon().ask_for_cycle();
  life.process->settle();
  CHECK(life.service.tokens == 9);
  CHECK(life.service.listings == 0);

  life.service.token_script = {};
  life.reload();
  CHECK(life.service.listings == 1);
  CHECK(life.problem(core::ProblemCode::secret_refused) == nullptr);
}

TEST_CASE("another secret after a refusal is tried at once") {
  Life life;
  life.refuse_secret();
  life.begin();
  const auto alarms = life.journal.count(EventKind::problem_began);
  life.service.token_script = {};
  life.settings.health.credentials.secret_fingerprint = "second";
  life.reload();
  CHECK(life.problem(core::ProblemCode::secret_refused) == nullptr);
  CHECK(life.service.listings == 1);
  CHECK(life.journal.count(EventKind::problem_began) == alarms);
}

TEST_CASE("a revoked key is reported in plain words and tried once a day") {
  Life life;
  life.service.listing_script = [](int) {
    return ports::Response{.status = 403, .body = R"({"errorCode":"MOTH-FB-03","errorMessage":"not recognised"})"};
  };
  life.begin();
  REQUIRE(life.problem(core::ProblemCode::key_revoked) != nullptr);
  CHECK(report::sentence(*life.problem(core::ProblemCode::key_revoked)).find("does not know the API key") !=
        std::string::npos);
  CHECK(life.problem(core::ProblemCode::cycle_failed) == nullptr);
  life.live(3);
  CHECK(life.service.listings == 5);
  life.service.listing_script = {};
  life.live(1);
  CHECK(life.problem(core::ProblemCode::key_revoked) == nullptr);
}

TEST_CASE("a key that was not used for 60 days is warned of while there is time") {
  Life life;
  life.begin();
  life.service.connect_script = [](const ports::Request&) { return base::Error{base::Errc::unreachable, "down"}; };
  life.live(58);
  CHECK(life.problem(core::ProblemCode::key_idle) == nullptr);
  life.live(3);
  REQUIRE(life.problem(core::ProblemCode::key_idle) != nullptr);
  CHECK(report::sentence(*life.problem(core::ProblemCode::key_idle)).find("90 days") != std::string::npos);
  life.service.connect_script = {};
  life.live(1);
  CHECK(life.problem(core::ProblemCode::key_idle) == nullptr);
}

TEST_CASE("a key that never worked is warned of as well, and a new key is not blamed for the one before it") {
  Life life;
  life.service.connect_script = [](const ports::Request&) { return base::Error{base::Errc::unreachable, "down"}; };
  life.begin();
  life.live(59);
  CHECK(life.problem(core::ProblemCode::key_idle) == nullptr);
  life.live(2);
  REQUIRE(life.problem(core::ProblemCode::key_idle) != nullptr);
  CHECK(report::sentence(*life.problem(core::ProblemCode::key_idle)).find("has never been used successfully") !=
        std::string::npos);
  life.settings.health.credentials.key_fingerprint = "another key";
  life.reload();
  CHECK(life.problem(core::ProblemCode::key_idle) == nullptr);
}

TEST_CASE("the daemon rotates at the last warning, once, and has the settings read again") {
  Life life;
  life.settings.health.credentials.auto_rotate = true;
  life.expires_in(20);
  life.begin();
  life.live(5);
  CHECK(life.service.asked == 0);
  life.live(1);
  CHECK(life.service.asked == 1);
  CHECK(life.secrets->kept == "new-1");
  CHECK(life.reader.changes == 1);
  CHECK(life.journal.count(EventKind::secret_changed) == 1);
  life.restart();
  life.live(3);
  CHECK(life.service.asked == 1);
}

TEST_CASE("a failed rotation is reported and not repeated, and one that could not begin is tried the next day") {
  Life life;
  life.settings.health.credentials.auto_rotate = true;
  life.expires_in(14);
  life.service.token_script = [](int) { return ports::Response{.status = 400}; };
  life.begin();
  CHECK(life.service.asked == 0);
  CHECK(life.journal.count(EventKind::secret_rotation_failed) == 1);
  life.service.token_script = {};
  life.service.credentials_script = []() -> base::Result<ports::Response> {
    return ports::Response{.status = 412, .body = R"({"errorCode":"PC-01","errorMessage":"limit"})"};
  };
  life.live(1);
  CHECK(life.service.asked == 1);
  CHECK(life.journal.count(EventKind::secret_rotation_failed) == 2);
  life.restart();
  life.live(5);
  CHECK(life.service.asked == 1);
  CHECK(life.journal.count(EventKind::secret_rotation_failed) == 2);
  CHECK(life.reader.changes == 0);
}

TEST_CASE("a request for a new secret that was never sent is made the next day, and is reported once") {
  Life life;
  life.settings.health.credentials.auto_rotate = true;
  life.expires_in(14);
  const auto api_is_down = [](const ports::Request& request) -> std::optional<base::Error> {
    if (request.method != "PUT") return std::nullopt;
    return base::Error{base::Errc::unreachable, "api.example:443 refuses the connection"};
  };
  life.service.connect_script = api_is_down;
  life.begin();
  life.live(2);
  life.restart();
  CHECK(life.service.asked == 0);
  CHECK(life.mail->count("secret_rotation_failed") == 1);
  CHECK(life.mail->count("tried again tomorrow") == 1);
  CHECK(life.journal.count(EventKind::secret_rotation_failed) >= 3);
  life.service.connect_script = {};
  life.live(1);
  CHECK(life.service.asked == 1);
  CHECK(life.secrets->kept == "new-1");
  CHECK(life.mail->count("secret_changed") == 1);
}

TEST_CASE("the reason why a rotation cannot begin is reported once, and its outcome when it could begin") {
  Life life;
  life.settings.health.credentials.auto_rotate = true;
  life.expires_in(14);
  life.service.token_script = [](int) { return ports::Response{.status = 400}; };
  life.begin();
  life.live(3);
  CHECK(life.mail->count("secret_rotation_failed") == 1);
  CHECK(life.service.asked == 0);
  life.service.token_script = {};
  life.live(1);
  CHECK(life.mail->count("secret_changed") == 1);
}

TEST_CASE("a secret that a dead process left unverified is verified at the start, and that is reported") {
  Life life;
  life.secrets->fresh = "left";
  life.begin();
  CHECK(life.secrets->kept == "left");
  CHECK(life.reader.changes == 1);
  CHECK(life.mail->count("secret_changed") == 1);
}

TEST_CASE("a new secret on disk is not reported as lost while it cannot be verified") {
  Life life;
  life.settings.health.credentials.auto_rotate = true;
  life.expires_in(14);
  life.service.credentials_script = [&]() -> base::Result<ports::Response> {
    life.service.token_script = [](int) { return ports::Response{.status = 400}; };
    life.secrets->die_at(2, true);  // once it is on disk
    return ports::Response{.status = 200, .body = R"({"clientSecret":"kept"})", .content_type = "application/json"};
  };
  life.begin();
  life.secrets->restart();
  REQUIRE(life.secrets->fresh == "kept");
  auto remembered = life.process->kill();
  life.process.reset();
  const auto print = life.settings.health.credentials.secret_fingerprint;
  REQUIRE(remembered.keep_rotation_begun(print, life.clock.now()));  // it died before it recorded the outcome
  life.catalogue = std::move(remembered);
  life.begin();
  CHECK(life.mail->count("lost") == 0);
  life.service.token_script = {};
  life.live(1);
  CHECK(life.secrets->kept == "kept");
  CHECK(life.service.asked == 1);
  CHECK(life.mail->count("lost") == 0);
}
