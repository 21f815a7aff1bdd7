#include "vtmirror/wiring/channels.hpp"

#include "support/every.hpp"
#include "support/silent_journal.hpp"
#include "support/variables.hpp"

#include <boost/asio/thread_pool.hpp>

#include <doctest/doctest.h>

#include <time.h>

#include <algorithm>
#include <cstdlib>

namespace vtmirror::wiring {
namespace {

struct Names {
  /// Of the channels that these settings make, in their order.
  std::vector<std::string> operator()(const settings::Config& config) {
    const auto http = channel_http(loop, stop, config);
    REQUIRE(http);
    std::vector<std::string> names;
    for (const auto& channel : make_channels({loop.get_executor(), pool.get_executor(), **http, journal, stop}, config))
      names.push_back(channel->name());
    return names;
  }
  boost::asio::io_context loop;
  boost::asio::thread_pool pool{1};
  ports::Stop stop;
  test::SilentJournal journal;
};

/// Of this process, for a scope.
class MachineZone {
 public:
  explicit MachineZone(const char* name) {
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~MachineZone() {
    ::unsetenv("TZ");
    ::tzset();
  }
  MachineZone(const MachineZone&) = delete;
  MachineZone& operator=(const MachineZone&) = delete;
};

settings::Hook hook(settings::Texts command) { return {.on = {"published"}, .command = std::move(command)}; }

TEST_CASE("without settings there are no channels") {
  Names names;
  CHECK(names({}).empty());
}

TEST_CASE("each address is a channel of its own, once, and webhook, heartbeat and hooks follow") {
  Names names;
  settings::Config config;
  config.notify.mail_to = {"ops@fleet.example", "boss@fleet.example", "ops@fleet.example"};
  config.notify.webhook = "http://hooks.example/T0KEN";
  config.notify.heartbeat = "https://ping.example/T0KEN";
  config.hooks = {hook({"/usr/local/bin/load", "S3CRET"})};
  const auto all = names(config);
  REQUIRE(all.size() == 5);
  CHECK(all[0] == "mail to boss@fleet.example");
  CHECK(all[1] == "mail to ops@fleet.example");
  CHECK(all[2] == "webhook");
  CHECK(all[3] == "heartbeat");
  CHECK(all[4].starts_with("hook load "));
  for (const auto& name : all) {
    CHECK(name.find("T0KEN") == std::string::npos);
    CHECK(name.find("S3CRET") == std::string::npos);
  }
}

TEST_CASE("a hook is known by its command, wherever it stands in the settings and whatever its time is") {
  Names names;
  settings::Config config;
  config.hooks = {hook({"/bin/load", "a"}), hook({"/bin/load", "b"})};
  auto before = names(config);
  CHECK(before[0] != before[1]);
  std::swap(config.hooks[0], config.hooks[1]);
  config.hooks[0].timeout = std::chrono::seconds(5);
  auto after = names(config);
  std::reverse(after.begin(), after.end());
  CHECK(after == before);
}

TEST_CASE("the unit says how long a hook may continue after the stop, and a time that is none is a mistake") {
  const auto grace = [](const std::string& text) {
    return hook_grace(test::environment_of({{"VTMIRROR_HOOK_GRACE", text}}));
  };
  CHECK(hook_grace(test::environment_of({})).value() == std::chrono::seconds(0));
  CHECK(grace("").value() == std::chrono::seconds(0));
  CHECK(grace("80s").value() == std::chrono::seconds(80));
  CHECK(grace("30m").value() == std::chrono::minutes(30));
  const auto wrong = grace("30min");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == base::Errc::config);
  CHECK(wrong.error().detail == R"(VTMIRROR_HOOK_GRACE: must be a duration ("80s", "30m"), not "30min")");
}

TEST_CASE("each part of the channels' settings is made into channels") {
  Names names;
  settings::Config config;
  config.notify.mail_to = {"ops@fleet.example", "boss@fleet.example"};
  config.notify.webhook = "https://hooks.example/T0KEN";
  config.notify.heartbeat = "https://ping.example/T0KEN";
  config.hooks = {hook({"/bin/load"})};
  const auto settings = channel_settings(config);
  // A new member does not compile before it is counted here.
  const auto& [mail, webhook, heartbeat, hooks] = settings;
  const auto parts = mail.size() + std::size_t{webhook.has_value()} + std::size_t{heartbeat.has_value()} + hooks.size();
  CHECK(parts == 5);
  CHECK(names(config).size() == parts);
}

TEST_CASE("mail shows times by the machine's clock, as the log and the status do, with its offset") {
  const MachineZone athens("Europe/Athens");
  settings::Config config;
  config.notify.mail_to = {"ops@fleet.example"};
  config.schedule.time_zone = "Asia/Tokyo";
  const auto mail = channel_settings(config).mail;
  REQUIRE(mail.size() == 1);
  REQUIRE(mail[0].times.show);
  CHECK(mail[0].times.show(base::parse_time("2026-11-18T08:07:12Z").value()) == "2026-11-18 10:07:12 +02:00");
}

TEST_CASE("two hooks with one command are two channels") {
  Names names;
  settings::Config config;
  config.hooks = {hook({"/bin/load", "a"}), hook({"/bin/load", "a"})};
  const auto all = names(config);
  CHECK(all[1] == all[0] + " #2");
}

TEST_CASE("a hook gets the events it subscribes to, mail gets only warnings, and the heartbeat cycles") {
  Names names;
  settings::Config config;
  config.notify.mail_to = {"ops@fleet.example"};
  config.notify.heartbeat = "https://ping.example/";
  config.hooks = {hook({"/bin/load"})};
  config.hooks[0].on = {"warning", "cycle"};
  const auto http = channel_http(names.loop, names.stop, config);
  REQUIRE(http);
  const auto all =
      make_channels({names.loop.get_executor(), names.pool.get_executor(), **http, names.journal, names.stop}, config);
  using Topics = std::vector<core::Topic>;
  REQUIRE(all.size() == 3);
  CHECK(all[0]->topics() == Topics{core::Topic::warning});
  CHECK(all[1]->topics() == Topics{core::Topic::cycle});
  CHECK(all[2]->topics() == Topics{core::Topic::cycle, core::Topic::warning});
}

TEST_CASE("a webhook whose format is for people gets warnings alone, with this host's name") {
  Names names;
  settings::Config config;
  config.notify.webhook = "https://hooks.example/";
  for (const auto& [word, format] :
       {std::pair("slack", notify::WebhookFormat::slack), std::pair("teams", notify::WebhookFormat::teams)}) {
    config.notify.webhook_format = word;
    const auto settings = channel_settings(config);
    CHECK(settings.webhook->format == format);
    CHECK_FALSE(settings.webhook->host.empty());
    const auto http = channel_http(names.loop, names.stop, config);
    REQUIRE(http);
    const auto all = make_channels(
        {names.loop.get_executor(), names.pool.get_executor(), **http, names.journal, names.stop}, config);
    CHECK(all.at(0)->topics() == std::vector<core::Topic>{core::Topic::warning});
  }
}

TEST_CASE("a hook that names no event gets the chain, and the webhook gets every event") {
  Names names;
  settings::Config config;
  config.notify.webhook = "https://hooks.example/";
  config.hooks.push_back({.command = {"/bin/load"}});
  const auto http = channel_http(names.loop, names.stop, config);
  REQUIRE(http);
  const auto all =
      make_channels({names.loop.get_executor(), names.pool.get_executor(), **http, names.journal, names.stop}, config);
  using Topics = std::vector<core::Topic>;
  REQUIRE(all.size() == 2);
  Topics every;
  for (const auto& topic : test::every<core::Topic>())
    if (topic.value != core::Topic::test) every.push_back(topic.value);
  CHECK(all[0]->topics() == every);
  CHECK(all[1]->topics() == Topics{core::Topic::chain});
}

}  // namespace
}  // namespace vtmirror::wiring
