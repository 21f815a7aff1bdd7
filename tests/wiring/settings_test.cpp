#include "vtmirror/wiring/agent_settings.hpp"

#include "support/directory.hpp"
#include "support/other_values.hpp"
#include "support/variables.hpp"
#include "vtmirror/settings/keys.hpp"
#include "vtmirror/wiring/channels.hpp"
#include "vtmirror/wiring/machine.hpp"
#include "wiring/daemon_settings.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <tuple>
#include <variant>

namespace vtmirror::wiring {
namespace {

using settings::Config;
using settings::Read;

/// All that a daemon is made of: `machine` and `control` at its start, `daemon` and `channels` at each reload too.
struct Made {
  MachineSettings machine;
  control::ControlSettings control;
  agent::DaemonSettings daemon;
  ChannelSettings channels;
};

auto made_at_start(const Made& made) { return std::tuple(made.machine, made.control); }

std::string text(const std::optional<base::Url>& url) { return url ? url->text() : ""; }
std::string text(const std::optional<notify::WebhookSettings>& webhook) { return webhook ? webhook->url.text() : ""; }
std::optional<notify::WebhookFormat> format(const std::optional<notify::WebhookSettings>& webhook) {
  return webhook ? std::optional(webhook->format) : std::nullopt;
}

/// Names all members of what cannot be compared as a whole, so that one more does not compile without a look at this.
auto made_at_reload(const Made& made) {
  // `secrets` keys the credentials' fingerprints, `rebuilt` looks beside the machine's catalogue, and `clock` is the
  // machine's.
  const auto& [service, cycle, health, rotation, secrets, scrub] = made.daemon;
  const auto& [schedule, zone, rebuilt, credentials, policy, consumers, clock] = health;
  const auto& [mail, webhook, heartbeat, hooks] = made.channels;
  const auto midnight = zone->instant(base::Date(std::chrono::sys_days(std::chrono::days(20'000))), {});
  return std::tuple(service, cycle, rotation, schedule, midnight, credentials, policy, consumers, scrub, mail,
                    text(webhook), format(webhook), text(heartbeat), hooks);
}

bool differ(const Made& a, const Made& b) {
  return made_at_start(a) != made_at_start(b) || made_at_reload(a) != made_at_reload(b);
}

template <class Owner>
std::string lines(std::span<const settings::Key<Owner>> keys, std::string_view table, Owner owner) {
  std::string text;
  for (const auto& key : keys) {
    const auto value = std::visit([&](auto place) { return settings::spell(place(owner)); }, key.place);
    if (key.table == table) text += std::string(key.name) + " = " + value + '\n';
  }
  return text;
}

std::string toml(const Config& config) {
  std::string text;
  for (const auto table : settings::config_tables())
    if (table != "hook") text += '[' + std::string(table) + "]\n" + lines(settings::config_keys(), table, config);
  for (const auto& hook : config.hooks) text += "[[hook]]\n" + lines(settings::hook_keys(), "hook", hook);
  return text;
}

/// The settings of a daemon that uses them all, and the same with one key changed.
class Site {
 public:
  Site() {
    for (const auto* name : {"state", "elsewhere"}) std::filesystem::create_directory(directory_.path(name));
    directory_.write("other", "another one");
    config.service.base_url = "https://api.example";
    config.service.token_url = "https://login.example/token";
    config.service.scope = "https://api.example/.default";
    config.credentials.client_id = "me";
    config.credentials.email = "me@fleet.example";
    config.credentials.client_secret_file = directory_.write("client_secret", "one");
    config.credentials.api_key_file = directory_.write("api_key", "two");
    config.mirror.state_directory = directory_.path("state");
    config.mirror.directory = directory_.path("mirror");
    config.mirror.catalogue = directory_.path("catalogue.db");
    config.notify.mail_to = {"ops@fleet.example"};
    config.notify.webhook = "https://hooks.example/";
    config.hooks.push_back({.command = {"/bin/load"}});
  }

  base::Result<agent::DaemonSettings> daemon(const Config& from) const { return daemon_settings(from, environment_); }
  void write(const std::string& name, const std::string& text) const { directory_.write(name, text); }

  base::Result<Made> made(const Config& from) const {
    auto daemon = daemon_settings(from, environment_);
    if (!daemon) return daemon.error();
    // It is of every key, wherever that goes.
    daemon->cycle.fingerprint.clear();
    return Made{machine_settings(from), control_settings(from), std::move(*daemon), channel_settings(from)};
  }

  /// As the daemon that runs with `config` reads it from its file.
  std::variant<NewSettings, core::Cause> reloaded(const Config& changed) const { return reloaded(toml(changed)); }
  std::variant<NewSettings, core::Cause> reloaded(const std::string& file) const {
    RunOptions options;
    options.config = directory_.write("vtmirror.toml", file);
    return read_again(options, config, environment_);
  }

  struct Change {
    std::string key;
    Read read;
    Config config;
  };
  /// One for each key that there is.
  std::vector<Change> changes() const {
    std::vector<Change> all;
    const auto add = [&](const auto& key, auto owner_of) {
      Change next{key.path(), key.read, config};
      CAPTURE(next.key);
      // A path is of a file, and where that is refused, of a directory.
      const test::Strings paths{directory_.path("other"), directory_.path("elsewhere")};
      CHECK(test::change(key, owner_of(next.config), paths, [&] { return made(next.config).has_value(); }));
      all.push_back(std::move(next));
    };
    for (const auto& key : settings::config_keys()) add(key, [](Config& owner) -> Config& { return owner; });
    for (const auto& key : settings::hook_keys())
      add(key, [](Config& owner) -> settings::Hook& { return owner.hooks.front(); });
    return all;
  }

  Config config;

 private:
  test::Directory directory_;
  settings::Environment environment_ = test::environment_of({});
};

TEST_CASE("the settings and both credentials are known again by their fingerprint") {
  Site site;
  const auto settings = site.daemon(site.config);
  REQUIRE(settings);
  CHECK_FALSE(settings->cycle.fingerprint.empty());
  CHECK(site.daemon(site.config)->cycle.fingerprint == settings->cycle.fingerprint);
  auto other = site.config;
  other.download.stall_timeout += std::chrono::seconds(1);
  CHECK(site.daemon(other)->cycle.fingerprint != settings->cycle.fingerprint);
  other = site.config;
  other.service.proxy = "http://me:one@proxy.example:3128";
  auto corrected = site.config;
  corrected.service.proxy = "http://me:two@proxy.example:3128";
  CHECK(site.daemon(corrected)->cycle.fingerprint != site.daemon(other)->cycle.fingerprint);
  for (const auto* file : {"client_secret", "api_key"}) {
    const auto before = site.daemon(site.config)->cycle.fingerprint;
    site.write(file, "corrected");
    CHECK(site.daemon(site.config)->cycle.fingerprint != before);
  }
}

TEST_CASE("a cycle follows the rules of consumers that the settings have") {
  Site site;
  site.config.consumers.lease = std::chrono::hours(24 * 30);
  site.config.consumers.forget = std::chrono::hours(24 * 400);
  const auto settings = site.daemon(site.config);
  REQUIRE(settings);
  CHECK(settings->cycle.consumers == consumer_rules(site.config));
  CHECK(settings->cycle.consumers == settings->health.consumers);
  CHECK(upkeep_settings(site.config).consumers == consumer_rules(site.config));
}

TEST_CASE("each key changes something of what a daemon is made of") {
  const Site site;
  const auto before = site.made(site.config);
  REQUIRE(before);
  for (const auto& change : site.changes()) {
    const auto after = site.made(change.config);
    CAPTURE(change.key);
    REQUIRE(after);
    CHECK(differ(*before, *after));
  }
  const auto again = site.made(site.config);
  REQUIRE(again);
  CHECK_FALSE(differ(*before, *again));
}

TEST_CASE("a reload brings a changed key to its place, or refuses it by its name") {
  const Site site;
  const auto before = site.made(site.config);
  REQUIRE(before);
  CHECK(std::holds_alternative<NewSettings>(site.reloaded(site.config)));
  for (const auto& change : site.changes()) {
    CAPTURE(change.key);
    const auto read = site.reloaded(change.config);
    if (change.read == Read::at_start) {
      const auto* refusal = std::get_if<core::Cause>(&read);
      REQUIRE(refusal != nullptr);
      CHECK(core::text(*refusal, "restart_1") == change.key);
      continue;
    }
    const auto* settings = std::get_if<NewSettings>(&read);
    REQUIRE(settings != nullptr);
    const auto after = site.made(settings->config);
    REQUIRE(after);
    CHECK(made_at_reload(*after) != made_at_reload(*before));
    // What only a start makes would stay as it is, in silence.
    CHECK(made_at_start(*after) == made_at_start(*before));
  }
}

TEST_CASE("a reload is refused with each mistake, and with an error of the secrets' files") {
  const Site site;
  auto read = site.reloaded("[nonsense]\n[more]\n" + toml(site.config));
  const auto* refusal = std::get_if<core::Cause>(&read);
  REQUIRE(refusal != nullptr);
  CHECK(refusal->code == base::Errc::config);
  CHECK(refusal->subject.ends_with("vtmirror.toml"));
  CHECK(refusal->detail.empty());
  CHECK(refusal->fields.size() == 2);
  CHECK(core::text(*refusal, "mistake_1").starts_with("line 1: nonsense: "));
  CHECK(core::text(*refusal, "mistake_2").starts_with("line 2: more: "));

  site.write("api_key", "");
  read = site.reloaded(site.config);
  refusal = std::get_if<core::Cause>(&read);
  REQUIRE(refusal != nullptr);
  CHECK(refusal->detail.empty());
  CHECK(refusal->fields.size() == 1);
  CHECK(core::text(*refusal, "mistake_1").starts_with("credentials.api_key_file: "));

  site.write("client_secret", "");
  read = site.reloaded(site.config);
  refusal = std::get_if<core::Cause>(&read);
  REQUIRE(refusal != nullptr);
  CHECK(refusal->fields.size() == 2);
  CHECK(core::text(*refusal, "mistake_1").starts_with("credentials.client_secret_file: "));
  CHECK(core::text(*refusal, "mistake_2").starts_with("credentials.api_key_file: "));
}

}  // namespace
}  // namespace vtmirror::wiring
