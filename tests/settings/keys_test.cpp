#include "settings/keys.hpp"
#include "settings/spell.hpp"
#include "vtmirror/settings/load.hpp"

#include <doctest/doctest.h>

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
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  std::ostringstream text;
  text << std::ifstream(root / "etc/vtmirror/vtmirror.toml").rdbuf();
  return text.str();
}

std::string path_of(const Key<Config>& key) { return std::string(key.table) + '.' + std::string(key.name); }

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
    CAPTURE(path_of(key));
    CHECK(read.given.contains(path_of(key)));
    CHECK(spelled(key, read.config) == spelled(key, defaults));
  }
  CHECK(read.config.hooks.empty());
}

TEST_CASE("the shipped file has its keys in the table's order") {
  const auto read = read_config(shipped_file());
  Position last;
  for (const auto& key : config_keys()) {
    CAPTURE(path_of(key));
    const auto at = read.given.at(path_of(key));
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
  CHECK(read.config.hooks[0] == Hook{{"published"}, {"/usr/local/bin/load-mirror"}, std::chrono::hours(1)});
}

TEST_CASE("the defaults are those that the manual promises") {
  Config defaults;
  const std::vector<std::pair<std::string, std::string>> promised{
      {"service.base_url", R"("")"},
      {"service.listing_path", R"("/v1/trade/vehicles/bulk-download")"},
      {"service.credentials_path", R"("/v1/trade/credentials")"},
      {"service.credentials_method", R"("PUT")"},
      {"service.credentials_key_property", R"("cloudApiKeyValue")"},
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
      {"mirror.digest", R"("sha256")"},
      {"download.parallel_files", "3"},
      {"download.connections", "0"},
      {"download.rate_limit", R"("0")"},
      {"download.stall_timeout", R"("30s")"},
      {"download.attempts", "8"},
      {"control.socket", R"("/run/vtmirror/control.sock")"},
      {"control.group", R"("vtmirror")"},
      {"control.metrics", R"("")"},
      {"notify.mail_to", "[]"},
      {"notify.sendmail", R"("/usr/sbin/sendmail")"},
  };
  for (const auto& promise : promised) {
    const auto& path = promise.first;
    CAPTURE(path);
    bool found = false;
    for (const auto& key : config_keys()) {
      if (path_of(key) != path) continue;
      found = true;
      CHECK(spelled(key, defaults) == promise.second);
    }
    CHECK(found);
  }
}

TEST_CASE("no key stands twice in the table, and each says what it is for") {
  std::set<std::string> seen;
  for (const auto& key : config_keys()) {
    CHECK(seen.insert(path_of(key)).second);
    CHECK_FALSE(key.about.empty());
  }
}

}  // namespace
}  // namespace vtmirror::settings
