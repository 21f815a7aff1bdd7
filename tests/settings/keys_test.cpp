#include "vtmirror/settings/keys.hpp"
#include "settings/checks.hpp"
#include "support/other_values.hpp"
#include "support/repository.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/settings/show.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace vtmirror::settings {
namespace {

std::string shipped_file() {
  std::ostringstream text;
  text << std::ifstream(test::repository() / "etc/vtmirror/vtmirror.toml").rdbuf();
  return text.str();
}

std::string spelled(const Key<Config>& key, Config& config) {
  return std::visit([&](auto place) { return spell(place(config)); }, key.place);
}

TEST_CASE("the shipped file lacks nothing but what only the operator knows") {
  std::vector<std::string> wrong;
  for (const auto& mistake : read_config(shipped_file()).mistakes) wrong.push_back(mistake.key + ' ' + mistake.what);
  CHECK(wrong == std::vector<std::string>{"service.base_url is required", "service.token_url is required",
                                          "service.scope is required", "credentials.client_id is required"});
}

TEST_CASE("the shipped file holds every key at its default") {
  auto read = read_config(shipped_file());
  Config defaults;
  for (const auto& key : config_keys()) {
    CAPTURE(key.path());
    CHECK(read.given.contains(key.path()));
    CHECK(spelled(key, read.config) == spelled(key, defaults));
  }
  CHECK(read.config.hooks.empty());
}

TEST_CASE("the shipped file has its keys in the table's order") {
  const auto read = read_config(shipped_file());
  Position last;
  for (const auto& key : config_keys()) {
    CAPTURE(key.path());
    const auto at = read.given.at(key.path());
    CHECK(last < at);
    last = at;
  }
}

TEST_CASE("the hook that the shipped file shows is right once its comment is taken off") {
  auto text = shipped_file();
  auto at = text.find("# [[hook]]");
  REQUIRE(at != std::string::npos);
  std::istringstream lines(text.substr(at));
  std::string hook;
  for (std::string line; std::getline(lines, line);) hook += line.substr(2) + '\n';
  const auto read = read_config(hook);
  REQUIRE(read.config.hooks.size() == 1);
  CHECK(read.config.hooks[0] == Hook{{"chain"}, {"/usr/local/bin/load-mirror"}, std::chrono::hours(1)});
}

TEST_CASE("the defaults are those that the manual promises") {
  Config defaults;
  using Promise = std::pair<std::string, std::string>;
  const std::vector<Promise> promised{
      {"service.base_url", R"("")"},
      {"service.listing_path", R"("/v1/trade/vehicles/bulk-download")"},
      {"service.credentials_path", R"("/v1/trade/credentials")"},
      {"service.credentials_method", R"("PUT")"},
      {"service.credentials_key_property", R"("cloudApiKeyValue")"},
      {"service.no_proxy", "[]"},
      {"service.allow_http", "false"},
      {"credentials.secret_expires_on", R"("")"},
      {"credentials.warn_days", "[30, 14]"},
      {"credentials.auto_rotate", "false"},
      {"schedule.at", R"("08:00")"},
      {"schedule.time_zone", R"("Europe/London")"},
      {"schedule.splay", R"("5m")"},
      {"schedule.retry", R"("10m")"},
      {"schedule.give_up", R"("6h")"},
      {"mirror.reserve", R"("2GiB")"},
      {"mirror.keep_cycles", "0"},
      {"mirror.verify", R"("zip")"},
      {"mirror.scrub", R"("30d")"},
      {"mirror.quarantine", R"("14d")"},
      {"mirror.digest", R"("sha256")"},
      {"download.parallel_files", "3"},
      {"download.connections", "0"},
      {"download.connections_max", "32"},
      {"download.rate_limit", R"("0")"},
      {"download.rate_timetable", "[]"},
      {"download.stall_timeout", R"("30s")"},
      {"download.attempts", "8"},
      {"consumers.lease", R"("7d")"},
      {"consumers.reload_every", R"("0s")"},
      {"consumers.strict", "false"},
      {"consumers.forget", R"("90d")"},
      {"control.socket", R"("/run/vtmirror/control.sock")"},
      {"control.group", R"("vtmirror")"},
      {"control.metrics", R"("")"},
      {"control.web", R"("")"},
      {"notify.mail_to", "[]"},
      {"notify.sendmail", R"("/usr/sbin/sendmail")"},
      {"notify.webhook_format", R"("json")"},
  };
  for (const auto& promise : promised) {
    const auto& path = promise.first;
    CAPTURE(path);
    bool found = false;
    for (const auto& key : config_keys()) {
      if (key.path() != path) continue;
      found = true;
      CHECK(spelled(key, defaults) == promise.second);
    }
    CHECK(found);
  }
  for (const auto& key : config_keys()) {
    CAPTURE(key.path());
    const auto value = spelled(key, defaults);
    const bool is_empty = value == R"("")" || value == "[]";
    const bool is_promised = std::ranges::find(promised, key.path(), &Promise::first) != promised.end();
    CHECK((is_empty || is_promised));
  }
}

TEST_CASE("no key stands twice in the table") {
  std::set<std::string> seen;
  for (const auto& key : config_keys()) CHECK(seen.insert(key.path()).second);
}

void put(std::string& place, const std::string& text) { place = text; }
void put(Texts& place, const std::string& text) { place = {text}; }
template <class Value>
void put(Value&, const std::string&) {}

template <class Owner>
bool holds_strings(const Key<Owner>& key) {
  return std::holds_alternative<std::string& (*)(Owner&)>(key.place) ||
         std::holds_alternative<PathOf<Owner>>(key.place) || std::holds_alternative<Texts& (*)(Owner&)>(key.place);
}

template <class Owner>
bool accepts(const Key<Owner>& key, const std::string& text) {
  Owner owner;
  std::visit([&](auto place) { put(place(owner), text); }, key.place);
  return key.mistake == nullptr || key.mistake(owner).empty();
}

/// By its name, or because its check wants an address and accepts one with a secret in it.
template <class Owner>
bool looks_secret(const Key<Owner>& key) {
  if (!holds_strings(key)) return false;
  for (const auto* word : {"secret", "password", "token", "key"})
    if (key.name.ends_with(word)) return true;
  const bool accepts_anything = accepts(key, "me@host.example") || accepts(key, "no address");
  return !accepts_anything &&
         (accepts(key, "https://host.example/?key=geheim") || accepts(key, "https://me:geheim@host.example") ||
          accepts(key, "http://me:geheim@host.example:3128"));
}

TEST_CASE("a key whose value may open a door is masked when it is shown") {
  for (const auto& key : config_keys()) {
    CAPTURE(key.path());
    const bool is_safe = key.shown == Shown::masked || !looks_secret(key);
    CHECK(is_safe);
  }
  for (const auto& key : hook_keys()) {
    CAPTURE(key.path());
    const bool is_safe = key.shown == Shown::masked || !looks_secret(key);
    CHECK(is_safe);
  }
}

TEST_CASE("a key is a path exactly where its check wants an absolute one") {
  for (const auto& key : config_keys()) {
    CAPTURE(key.path());
    Config config;
    config.notify.mail_to = {"me@host.example"};
    std::visit([&](auto place) { put(place(config), "relative/path"); }, key.place);
    const bool wants_a_path =
        holds_strings(key) && key.mistake != nullptr && key.mistake(config) == "must be an absolute path";
    CHECK(wants_a_path == std::holds_alternative<PathOf<Config>>(key.place));
  }
}

Key<Config> made_up(std::string_view name, std::string (*mistake)(const Config&)) {
  return {"notify",        name,   +[](Config& config) -> std::string& { return config.notify.webhook; }, Shown::plain,
          Read::at_reload, mistake};
}

TEST_CASE("what may open a door is found by its name and by the addresses that its check accepts") {
  CHECK(looks_secret(made_up("api_token", nullptr)));
  CHECK(looks_secret(made_up("relay_password", nullptr)));
  CHECK(looks_secret(made_up(
      "relay", +[](const Config& config) { return check::web_address(config.notify.webhook); })));
  CHECK(looks_secret(made_up(
      "relay", +[](const Config& config) { return check::proxy(config.notify.webhook); })));
  CHECK_FALSE(looks_secret(made_up(
      "relay", +[](const Config& config) { return check::required_address(config.notify.webhook, true); })));
  CHECK_FALSE(looks_secret(made_up("token_file", nullptr)));
}

TEST_CASE("nothing of a masked value that may open a door is shown") {
  for (const auto& key : config_keys()) {
    if (key.shown != Shown::masked) continue;
    CAPTURE(key.path());
    Config config;
    for (const auto* text : {"https://me:geheim@host.example/geheim?key=geheim#geheim", "geheim"}) {
      std::visit([&](auto place) { put(place(config), text); }, key.place);
      CHECK(show_config(config, {}).find("geheim") == std::string::npos);
    }
  }
}

TEST_CASE("no mistake quotes a value that is masked when it is shown") {
  for (const auto& key : config_keys()) {
    if (key.shown != Shown::masked || key.mistake == nullptr) continue;
    CAPTURE(key.path());
    int mistakes = 0;
    for (const auto* text : {"geheim", "ftp://host.example/geheim", "https://me:geheim@",
                             "https://host.example/ge heim", "https://host.example:99999/geheim", "//geheim"}) {
      Config config;
      std::visit([&](auto place) { put(place(config), text); }, key.place);
      const auto mistake = key.mistake(config);
      mistakes += mistake.empty() ? 0 : 1;
      CHECK(mistake.find("geheim") == std::string::npos);
    }
    CHECK(mistakes > 0);
  }
}

TEST_CASE("a change needs a restart exactly where only a start reads the key") {
  for (const auto& key : config_keys()) {
    CAPTURE(key.path());
    const Config running;
    Config read;
    REQUIRE(test::change(key, read));
    const auto needed = key.read == Read::at_start ? Texts{key.path()} : Texts{};
    CHECK(keys_needing_restart(running, read) == needed);
  }
}

}  // namespace
}  // namespace vtmirror::settings
