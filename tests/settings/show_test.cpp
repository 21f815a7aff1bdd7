#include "vtmirror/settings/show.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/settings/keys.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::settings {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST_CASE("the printed settings can be read back and give the same") {
  const std::string given = R"([service]
base_url = "https://api.example"
token_url = "https://login.example/t"
scope = "a\\b\"c/.default"
[credentials]
client_id = "me"
warn_days = [60, 7]
secret_expires_on = 2027-03-01
[schedule]
splay = "0s"
retry = "90s"
[mirror]
reserve = "1500MB"
[download]
rate_limit = "20MB/s"
[[hook]]
on = ["cycle", "warning"]
command = ["/bin/echo", "two words"]
timeout = "2d"
)";
  const auto first = read_config(given);
  REQUIRE(first.mistakes.empty());
  const auto shown = show_config(first.config, first.given);
  const auto second = read_config(shown);
  CHECK(second.mistakes.empty());
  // Everything stands in the file now, so that nothing is marked as a default any more: compare by the values alone.
  CHECK(show_config(second.config, {}) == show_config(first.config, {}));
  REQUIRE(second.config.hooks.size() == 1);
  CHECK(second.config.hooks[0] ==
        Hook{.on = {"cycle", "warning"}, .command = {"/bin/echo", "***"}, .timeout = std::chrono::hours(48)});
  CHECK(second.config.credentials.secret_expires_on == first.config.credentials.secret_expires_on);
}

TEST_CASE("a key that the file does not set is marked as a default") {
  const auto read = read_config("[download]\nattempts = 8\n");
  const auto shown = show_config(read.config, read.given);
  CHECK(has_line(shown, "attempts = 8"));
  CHECK(shown.find("parallel_files = 3 ") != std::string::npos);
  CHECK(shown.find("# default") != std::string::npos);
}

TEST_CASE("of a key with a mistake only the name is shown, and the others as they are") {
  const auto read = read_config(
      "[mirror]\nstate_directory = \"/srv/vt\"\ndirectory = \"vt\"\nkeep_cycles = \"geheim\"\nkeep = 1\n"
      "[[hook]]\non = [\"never\"]\ncommand = [\"/bin/true\"]\n"
      "[[hook]]\non = [\"published\"]\ncommand = []\n");
  REQUIRE(read.mistakes.size() > 3);
  const auto shown = show_config(read.config, read.given, read.mistakes);
  CHECK(has_line(shown, "state_directory = \"/srv/vt\""));
  CHECK(has_line(shown, "# directory has a mistake"));
  CHECK(has_line(shown, "# keep_cycles has a mistake"));
  CHECK(has_line(shown, "# on has a mistake"));
  CHECK(has_line(shown, "command = [\"/bin/true\"]"));
  CHECK(has_line(shown, "on = [\"published\"]"));
  CHECK(has_line(shown, "# command has a mistake"));
  CHECK(shown.find("geheim") == std::string::npos);
  const auto whole = show_config(read.config, {}, {{{}, "mirror", "must be a table: [mirror]"}});
  CHECK(has_line(whole, "# state_directory has a mistake"));
}

TEST_CASE("addresses that open a door are masked") {
  Config config;
  config.service.proxy = "http://me:geheim@proxy.example:3128";
  config.notify.webhook = "https://hooks.example/services/T0/geheim";
  config.notify.heartbeat = "https://ping.example?id=geheim";
  const auto shown = show_config(config, {});
  CHECK(shown.find("geheim") == std::string::npos);
  CHECK(shown.find("http://***@proxy.example:3128") != std::string::npos);
  CHECK(shown.find("https://hooks.example/***") != std::string::npos);
}

TEST_CASE("of a hook's command only the program is shown, and how many arguments it has") {
  Config config;
  config.hooks.push_back(
      {.command = {"/usr/bin/curl", "-H", "Authorization: Bearer geheim", "https://h.example/geheim"}});
  config.hooks.push_back({.command = {"/usr/local/bin/load-mirror"}});
  const auto shown = show_config(config, {});
  CHECK(shown.find("geheim") == std::string::npos);
  CHECK(shown.find("command = [\"/usr/bin/curl\", \"***\", \"***\", \"***\"]") != std::string::npos);
  CHECK(has_line(shown, "command = [\"/usr/local/bin/load-mirror\"]"));
}

TEST_CASE("an address without anything to hide is shown as it is") {
  CHECK(masked("") == "");
  CHECK(masked("http://proxy.example:3128") == "http://proxy.example:3128");
  CHECK(masked("http://proxy.example:3128/") == "http://proxy.example:3128/");
  CHECK(masked("no address") == "***");
}

TEST_CASE("sizes and durations are spelled in the largest unit that keeps them exact") {
  CHECK(spell(Size{0}) == "\"0\"");
  CHECK(spell(Size{1023}) == "\"1023B\"");
  CHECK(spell(Size{std::int64_t{2} << 30}) == "\"2GiB\"");
  CHECK(spell(Size{20'000'000}) == "\"20MB\"");
  CHECK(spell(std::chrono::seconds(5400)) == "\"90m\"");
  for (std::int64_t bytes = 1; bytes < (std::int64_t{1} << 50); bytes = bytes * 3 + bytes % 1000) {
    const auto text = spell(Size{bytes});
    const auto back = base::parse_size(text.substr(1, text.size() - 2));
    REQUIRE(back.has_value());
    CHECK(*back == bytes);
  }
}

}  // namespace
}  // namespace vtmirror::settings
