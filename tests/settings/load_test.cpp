#include "vtmirror/settings/load.hpp"
#include "support/variables.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace vtmirror::settings {
namespace {

const std::string required = R"([service]
base_url = "https://api.example"
token_url = "https://login.example/tenant/token"
scope = "https://api.example/.default"
[credentials]
client_id = "me"
)";

/// The mistakes of a settings file named "f", as they are printed.
std::vector<std::string> logged(const std::string& toml) {
  std::vector<std::string> lines;
  for (const auto& mistake : read_config(toml).mistakes) lines.push_back(mistake_line("f", mistake));
  return lines;
}

/// The mistakes of one more table after valid settings, as they are printed; line 1 is the table's first line.
std::vector<std::string> mistakes_of(const std::string& table) {
  std::vector<std::string> lines;
  for (auto mistake : read_config(required + table).mistakes) {
    mistake.at.line -= 6;
    lines.push_back(mistake_line("f", mistake));
  }
  return lines;
}

using Lines = std::vector<std::string>;

/// How many of the lines contain that text.
std::ptrdiff_t count_of(const Lines& lines, const std::string& text) {
  return std::count_if(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

bool contains(const Lines& lines, const std::string& wanted) {
  return std::find(lines.begin(), lines.end(), wanted) != lines.end();
}

TEST_CASE("a file with only the required settings is valid") {
  const auto read = read_config(required);
  CHECK(read.mistakes.empty());
  CHECK(read.config.service.base_url == "https://api.example");
  CHECK(read.config.credentials.client_id == "me");
  CHECK(read.given.size() == 4);
}

TEST_CASE("an empty file is reported with every required key") {
  CHECK(logged("") == Lines{"f:1:1: service.base_url: is required", "f:1:1: service.token_url: is required",
                            "f:1:1: service.scope: is required", "f:1:1: credentials.client_id: is required"});
}

TEST_CASE("a missing required key is reported at its table") {
  CHECK(logged("\n\n[service]\nbase_url = \"https://a.example\"\nscope = \"a/.default\"\n[credentials]\nclient_id = "
               "\"me\"\n") == Lines{"f:3:1: service.token_url: is required"});
}

TEST_CASE("an unknown key is reported with the nearest one of its table") {
  CHECK(mistakes_of("[mirror]\nresreve = \"1GB\"\n") ==
        Lines{"f:2:1: mirror.resreve: unknown key, did you mean reserve?"});
  CHECK(mistakes_of("[mirror]\n  zzzzzzzz = 1\n") == Lines{"f:2:3: mirror.zzzzzzzz: unknown key"});
}

TEST_CASE("a key in the wrong table is reported with the table where it belongs") {
  CHECK(mistakes_of("[mirror]\nparallel_files = 3\n") ==
        Lines{"f:2:1: mirror.parallel_files: unknown key, did you mean download.parallel_files?"});
  CHECK(logged("reserve = \"1GB\"\n" + required) == Lines{"f:1:1: reserve: unknown key, did you mean mirror.reserve?"});
}

TEST_CASE("an unknown table is reported with the nearest one") {
  CHECK(mistakes_of("[mirrors]\n") == Lines{"f:1:1: mirrors: unknown table, did you mean mirror?"});
  CHECK(mistakes_of("[[hooks]]\n") == Lines{"f:1:1: hooks: unknown table, did you mean hook?"});
}

TEST_CASE("a value in place of a table, and a table in place of a list of hooks, are mistakes") {
  CHECK(logged("mirror = 3\n" + required) == Lines{"f:1:1: mirror: must be a table: [mirror]"});
  CHECK(mistakes_of("[hook]\ncommand = [\"a\"]\n") == Lines{"f:1:1: hook: must be a list of tables: [[hook]]"});
}

TEST_CASE("a value of the wrong type is reported with the right type") {
  CHECK(mistakes_of("[download]\nattempts = \"8\"\n") ==
        Lines{"f:2:12: download.attempts: must be an integer, not a string"});
  CHECK(mistakes_of("[mirror]\nreserve = 5\n") ==
        Lines{"f:2:11: mirror.reserve: must be a size (\"512MB\", \"2GiB\"), not an integer"});
  CHECK(mistakes_of("[notify]\nmail_to = \"a@b.example\"\n") ==
        Lines{"f:2:11: notify.mail_to: must be a list of strings, not a string"});
  CHECK(mistakes_of("[notify]\nmail_to = [3]\n") ==
        Lines{"f:2:11: notify.mail_to: must be a list of strings, not an integer in it"});
  CHECK(mistakes_of("[schedule]\nat = 08:00:00\n") ==
        Lines{"f:2:6: schedule.at: must be a time of day (\"08:00\"), not a time"});
  CHECK(mistakes_of("[download]\nparallel_files = 1.5\n") ==
        Lines{"f:2:18: download.parallel_files: must be an integer, not a float"});
}

TEST_CASE("a string that cannot be parsed is a mistake") {
  CHECK(mistakes_of("[mirror]\nreserve = \"2XB\"\n") ==
        Lines{"f:2:11: mirror.reserve: \"2XB\" is not a size (\"512MB\", \"2GiB\")"});
  CHECK(mistakes_of("[schedule]\nretry = \"ten\"\n") ==
        Lines{"f:2:9: schedule.retry: \"ten\" is not a duration (\"30s\", \"10m\", \"6h\")"});
  CHECK(mistakes_of("[schedule]\nat = \"24:00\"\n") ==
        Lines{"f:2:6: schedule.at: \"24:00\" is not a time of day (\"08:00\")"});
  CHECK(mistakes_of("[download]\nrate_limit = \"fast\"\n") ==
        Lines{"f:2:14: download.rate_limit: \"fast\" is not a rate (\"20MB/s\", \"0\")"});
  CHECK(mistakes_of("[download]\nrate_limit = \"20\"\n") ==
        Lines{"f:2:14: download.rate_limit: \"20\" is not a rate (\"20MB/s\", \"0\")"});
  for (const auto* period : {"", "5MB/s", "Mon 5", "Mo 5MB/s", "Mon-Fri 8:00-18:00 5MB/s", "Mon 08:00 5MB/s",
                             "Mon 08:00-08:00 5MB/s", "Mon 24:00-08:00 5MB/s", "Mon 08:00-25:00 0", "Mon 1 2 3"}) {
    CAPTURE(period);
    CHECK(mistakes_of("[download]\nrate_timetable = [\"Sat 0\", \"" + std::string(period) + "\"]\n") ==
          Lines{"f:2:18: download.rate_timetable: \"" + std::string(period) +
                "\" is not a period (\"Mon-Fri 08:00-18:00 5MB/s\")"});
  }
}

TEST_CASE("a rate that no line has is a mistake that names the largest one") {
  for (const std::string rate : {"2TB/s", "1000000000001B/s", "9000000000GB/s", "99999999999999999999GB/s"}) {
    CAPTURE(rate);
    CHECK(mistakes_of("[download]\nrate_limit = \"" + rate + "\"\n") ==
          Lines{"f:2:14: download.rate_limit: must be at most \"1TB/s\""});
    CHECK(mistakes_of("[download]\nrate_timetable = [\"Sat " + rate + "\"]\n") ==
          Lines{"f:2:18: download.rate_timetable: each limit in it must be at most \"1TB/s\""});
  }
  CHECK(mistakes_of("[download]\nrate_limit = \"1TB/s\"\n").empty());
  CHECK(mistakes_of("[download]\nrate_limit = \"9e9GB/s\"\n") ==
        Lines{"f:2:14: download.rate_limit: \"9e9GB/s\" is not a rate (\"20MB/s\", \"0\")"});
}

TEST_CASE("a value that is not allowed is a mistake") {
  CHECK(mistakes_of("[schedule]\ntime_zone = \"Europe/Londno\"\n") ==
        Lines{"f:2:13: schedule.time_zone: unknown time zone \"Europe/Londno\" (use an IANA name such as "
              "\"Europe/London\", and install the package tzdata)"});
  CHECK(mistakes_of("[download]\nparallel_files = 0\n") ==
        Lines{"f:2:18: download.parallel_files: must be between 1 and 64"});
  CHECK(mistakes_of("[mirror]\nverify = \"zpi\"\n") ==
        Lines{"f:2:10: mirror.verify: must be \"size\" or \"zip\", did you mean \"zip\"?"});
  CHECK(mistakes_of("[mirror]\nscrub = \"12h\"\n") ==
        Lines{"f:2:9: mirror.scrub: must be \"0\", or at least \"1d\" and at most \"3650d\""});
  CHECK(mistakes_of("[mirror]\nscrub = \"0\"\n").empty());
  CHECK(mistakes_of("[mirror]\ndirectory = \"mirror\"\n") ==
        Lines{"f:2:13: mirror.directory: must be an absolute path"});
  CHECK(mistakes_of("[control]\nmetrics = \"9464\"\n") ==
        Lines{"f:2:11: control.metrics: must be an address and a port (\"127.0.0.1:9464\")"});
  for (const std::string address : {"0.0.0.0:9464", "localhost:9464", "[::]:9464", "127.evil.example:80"}) {
    CHECK(mistakes_of("[control]\nmetrics = \"" + address + "\"\n") ==
          Lines{"f:2:11: control.metrics: must be a loopback address, such as \"127.0.0.1:9464\""});
  }
  CHECK(mistakes_of("[control]\nmetrics = \"[::1]:9464\"\n").empty());
  for (const std::string address : {"9465", "localhost:9465", "127.0.0.1", "127.0.0.1:0", "page.example:80"}) {
    CHECK(mistakes_of("[control]\nweb = \"" + address + "\"\n") ==
          Lines{"f:2:7: control.web: must be an IP address and a port (\"127.0.0.1:9465\")"});
  }
  for (const std::string address : {"127.0.0.1:9465", "[::1]:9465", "0.0.0.0:9465", "192.0.2.7:80"})
    CHECK(mistakes_of("[control]\nweb = \"" + address + "\"\n").empty());
}

TEST_CASE("addresses of the service must be https, or http on loopback where that is allowed") {
  const auto with = [](const std::string& url, const std::string& more) {
    return logged("[service]\nbase_url = \"" + url + "\"\ntoken_url = \"https://a.example\"\nscope = \".default\"\n" +
                  more + "[credentials]\nclient_id = \"me\"\n");
  };
  CHECK(with("http://a.example", "") == Lines{"f:2:12: service.base_url: must be an https address"});
  CHECK(with("ftp://a.example", "allow_http = true\n") == Lines{"f:2:12: service.base_url: must be an https address"});
  CHECK(with("a.example", "") == Lines{"f:2:12: service.base_url: must be an https address"});
  CHECK(with("https://me:secret@a.example", "") ==
        Lines{"f:2:12: service.base_url: must not contain a user or a password"});
  CHECK(with("http://a.example", "allow_http = true\n") ==
        Lines{"f:2:12: service.base_url: plain http is only for loopback hosts: use https"});
  CHECK(with("http://127.0.0.1:8080", "allow_http = true\n").empty());
  CHECK(with("http://[::1]:8080/x", "allow_http = true\n").empty());
  CHECK(with("http://localhost", "allow_http = true\n").empty());
  CHECK(with("http://127.evil.example", "allow_http = true\n").size() == 1);
}

TEST_CASE("an address that no request could go to is a mistake, with its place and what is wrong") {
  struct Row {
    std::string url, why;
  };
  for (const auto& row :
       {Row{"https://api_$x.example", "has no valid host"}, Row{"https://[zz]/", "has no valid host or port"},
        Row{"https://a.example:0", "has no valid port"}, Row{"https://a.example:", "has no valid port"},
        Row{"https://a.example/%zz", "has a misplaced percent sign or bracket"},
        Row{"https://a.example/ b",
            "has a space, a control character or another character that an address cannot contain"}}) {
    CAPTURE(row.url);
    const auto base_url = "[service]\nbase_url = \"" + row.url + "\"\n";
    const auto notify = "[notify]\nwebhook = \"" + row.url + "\"\nheartbeat = \"" + row.url + "\"\n";
    CHECK(contains(logged(base_url), "f:2:12: service.base_url: must be an https address; this one " + row.why));
    CHECK(contains(logged("[service]\ntoken_url = \"" + row.url + "\"\n"),
                   "f:2:13: service.token_url: must be an https address; this one " + row.why));
    CHECK(mistakes_of(notify) ==
          Lines{"f:2:11: notify.webhook: must be an http or https address; this one " + row.why,
                "f:3:13: notify.heartbeat: must be an http or https address; this one " + row.why});
    CHECK(contains(logged("[service]\nproxy = \"" + row.url + "\"\n"),
                   "f:2:9: service.proxy: must be the http address of a proxy (\"http://proxy.example:3128\")"));
  }
  CHECK(contains(logged("[service]\nlisting_path = \"/a|b\"\n"),
                 "f:2:16: service.listing_path: must be a path that begins with /; this one has a space, a control "
                 "character or another character that an address cannot contain"));
}

TEST_CASE("a fragment is never sent, so that an address has none") {
  CHECK(contains(logged("[service]\nbase_url = \"https://a.example/#b\"\n"),
                 "f:2:12: service.base_url: must not contain a fragment (#)"));
  CHECK(mistakes_of("[notify]\nwebhook = \"https://a.example/#b\"\n") ==
        Lines{"f:2:11: notify.webhook: must not contain a fragment (#)"});
}

TEST_CASE("a proxy has a host and a port, and nothing behind them") {
  for (const std::string url : {"http://proxy.example", "http://proxy.example:3128/", "http://me:word@[::1]:3128"}) {
    CAPTURE(url);
    CHECK(count_of(logged("[service]\nproxy = \"" + url + "\"\n"), "service.proxy") == 0);
  }
  for (const std::string url : {"proxy.example:3128", "https://proxy.example:3128", "http://proxy.example/way",
                                "http://proxy.example?x", "http://proxy.example:0"}) {
    CAPTURE(url);
    CHECK(count_of(logged("[service]\nproxy = \"" + url + "\"\n"), "service.proxy") == 1);
  }
}

TEST_CASE("what is reached without a proxy is a host, a domain, an address or a network") {
  for (const std::string host : {"a.example", ".a.example", "*.a.example", "a.example:8443", "10.0.0.7", "[::1]:80",
                                 "::1", "10.0.0.0/8", "fd00::/8", "*"}) {
    CAPTURE(host);
    CHECK(count_of(logged("[service]\nno_proxy = [\"" + host + "\"]\n"), "service.no_proxy") == 0);
  }
  for (const std::string host : {"", "a.example, b.example", "https://a.example", "me@a.example", "10.0.0.0/33",
                                 "a.example/8", "10.0.0.0/", "a b", "*a.example"}) {
    CAPTURE(host);
    CHECK(count_of(logged("[service]\nno_proxy = [\"b.example\", \"" + host + "\"]\n"), "service.no_proxy") == 1);
  }
}

TEST_CASE("only the name of a time zone of the system is a time zone") {
  for (const std::string name : {"../zoneinfo/Europe/London", "/usr/share/zoneinfo/Europe/London", "Europe/../UTC",
                                 "file:/usr/share/zoneinfo/Europe/London", "libc:localtime", ""}) {
    CAPTURE(name);
    CHECK(mistakes_of("[schedule]\ntime_zone = \"" + name + "\"\n") ==
          Lines{"f:2:13: schedule.time_zone: unknown time zone \"" + name +
                "\" (use an IANA name such as \"Europe/London\", and install the package tzdata)"});
  }
  CHECK(mistakes_of("[schedule]\ntime_zone = \"UTC\"\n").empty());
}

TEST_CASE("a scope that does not end in .default is a mistake") {
  CHECK(logged("[service]\nbase_url = \"https://a.example\"\ntoken_url = \"https://a.example\"\nscope = \"x\"\n"
               "[credentials]\nclient_id = \"me\"\n") == Lines{"f:4:9: service.scope: must end in .default"});
}

TEST_CASE("days of warning are sorted, largest first") {
  CHECK(logged("[credentials]\nclient_id = \"me\"\nwarn_days = [14, 30]\n" +
               required.substr(0, required.find("[cred"))) ==
        Lines{"f:3:13: credentials.warn_days: must be in descending order, each day once"});
}

TEST_CASE("a key that needs another one is a mistake without it") {
  CHECK(logged(required + "auto_rotate = true\n") ==
        Lines{"f:5:1: credentials.email: is required if credentials.auto_rotate is true"});
  CHECK(mistakes_of("[notify]\nmail_to = [\"a@b.example\"]\nsendmail = \"\"\n") ==
        Lines{"f:3:12: notify.sendmail: is required if notify.mail_to is set"});
}

TEST_CASE("one string is one mail address, and nothing around it") {
  for (const std::string wrong : {"a@b,c@d", "a@b;c@d", "<a@b>", "a@@b", "a(b)@c", "a@b>"}) {
    CAPTURE(wrong);
    CHECK(mistakes_of("[notify]\nmail_to = [\"" + wrong + "\"]\n") ==
          Lines{"f:2:11: notify.mail_to: \"" + wrong + "\" is not an e-mail address"});
  }
  CHECK(mistakes_of("[notify]\nmail_to = [\"o'neil+x.y_z@b.example\"]\n").empty());
}

TEST_CASE("a string with a zero byte in a list is refused for that byte") {
  CHECK(mistakes_of("[notify]\nmail_to = [\"a@b\", \"c@d\\u0000\"]\n") ==
        Lines{"f:2:11: notify.mail_to: must not contain a zero byte"});
}

TEST_CASE("two listeners cannot have the same port where one of their addresses contains the other") {
  const auto of_both = [](const std::string& metrics, const std::string& web) {
    return mistakes_of("[control]\nmetrics = \"" + metrics + "\"\nweb = \"" + web + "\"\n");
  };
  for (const auto& each :
       {std::pair("127.0.0.1:9464", "127.0.0.1:9464"), std::pair("127.0.0.1:9464", "0.0.0.0:9464"),
        std::pair("127.0.0.1:9464", "[::]:9464"), std::pair("127.0.0.1:9464", "[::ffff:127.0.0.1]:9464"),
        std::pair("127.0.0.1:9464", "[::ffff:0.0.0.0]:9464"), std::pair("[::1]:9464", "[::]:9464"),
        std::pair("[::1]:9464", "[0:0::1]:9464")}) {
    CAPTURE(each.first);
    CAPTURE(each.second);
    CHECK(of_both(each.first, each.second) == Lines{"f:3:7: control.web: needs another port than control.metrics"});
  }
  for (const auto& each : {std::pair("127.0.0.1:9464", "127.0.0.1:9465"), std::pair("127.0.0.1:9464", "127.0.0.2:9464"),
                           std::pair("127.0.0.1:9464", "[::1]:9464"), std::pair("[::1]:9464", "0.0.0.0:9464")}) {
    CAPTURE(each.first);
    CAPTURE(each.second);
    CHECK(of_both(each.first, each.second).empty());
  }
}

TEST_CASE("the path of a file does not end as one of a directory") {
  CHECK(mistakes_of("[mirror]\ncatalogue = \"/c.db/\"\n") == Lines{"f:2:13: mirror.catalogue: must not end in /"});
  CHECK(mistakes_of("[control]\nsocket = \"/c.sock/\"\n") == Lines{"f:2:10: control.socket: must not end in /"});
  CHECK(mistakes_of("[mirror]\ndirectory = \"/srv/mirror/\"\n").empty());
}

TEST_CASE("notifications go to addresses of mail and of the web") {
  CHECK(mistakes_of("[notify]\nmail_to = [\"ops\"]\nwebhook = \"hooks.example\"\n") ==
        Lines{"f:2:11: notify.mail_to: \"ops\" is not an e-mail address",
              "f:3:11: notify.webhook: must be an http or https address"});
  CHECK(mistakes_of(
            "[notify]\nwebhook = \"https://me:secret@hooks.example/x\"\nheartbeat = \"https://me@ping.example\"\n") ==
        Lines{"f:2:11: notify.webhook: must not contain a user or a password",
              "f:3:13: notify.heartbeat: must not contain a user or a password"});
}

TEST_CASE("each hook is checked at its own place") {
  const auto read = read_config(required + R"([[hook]]
command = ["/bin/true"]
[[hook]]
on = ["publishd"]
timeout = "2h"
)");
  REQUIRE(read.mistakes.size() == 2);
  CHECK(mistake_line("f", read.mistakes[0]) == "f:9:1: hook.command: is required");
  CHECK(mistake_line("f", read.mistakes[1]) ==
        "f:10:6: hook.on: unknown event \"publishd\", must be \"chain\", \"published\", \"cycle\" or \"warning\", did "
        "you mean "
        "\"published\"?");
  REQUIRE(read.config.hooks.size() == 2);
  CHECK(read.config.hooks[0] == Hook{{"chain"}, {"/bin/true"}, std::chrono::hours(1)});
  CHECK(read.config.hooks[1].timeout == std::chrono::hours(2));
}

TEST_CASE("a wrong value in a hook hides no other mistake of it, nor of the next hook") {
  CHECK(
      mistakes_of("[[hook]]\non = [\"chian\"]\ncommand = \"x\"\ntimeout = 7\n[[hook]]\n") ==
      Lines{"f:2:6: hook.on: unknown event \"chian\", must be \"chain\", \"published\", \"cycle\" or \"warning\", did "
            "you mean \"chain\"?",
            "f:3:11: hook.command: must be a list of strings, not a string",
            "f:4:11: hook.timeout: must be a duration (\"30s\", \"10m\", \"6h\"), not an integer",
            "f:5:1: hook.command: is required"});
}

TEST_CASE("an element of a wrong type hides no other mistake in its list") {
  CHECK(
      mistakes_of("[[hook]]\non = [\"chian\", 3]\ncommand = [\"/bin/true\"]\n") ==
      Lines{"f:2:6: hook.on: must be a list of strings, not an integer in it",
            "f:2:6: hook.on: unknown event \"chian\", must be \"chain\", \"published\", \"cycle\" or \"warning\", did "
            "you mean \"chain\"?"});
  CHECK(mistakes_of("[[hook]]\non = [3]\ncommand = [\"/bin/true\"]\n") ==
        Lines{"f:2:6: hook.on: must be a list of strings, not an integer in it"});
}

/// The mistakes of that key.
Lines wrong_with(const std::string& key, const std::string& toml) {
  Lines lines;
  for (const auto& mistake : read_config(toml).mistakes)
    if (mistake.key == key) lines.push_back(mistake.what);
  return lines;
}

TEST_CASE("a base address that already holds the listing's path is a mistake, whatever that path is") {
  const auto logged = [](const std::string& url, const std::string& more = "") {
    return wrong_with("service.base_url", "[service]\nbase_url = \"" + url + "\"\n" + more);
  };
  const std::string path = "/v1/trade/vehicles/bulk-download";
  const Lines wrong{"must not end in the listing's path, " + path + ": it is added from service.listing_path"};
  CHECK(logged("https://api.example" + path) == wrong);
  CHECK(logged("https://api.example/x" + path + "/") == wrong);
  CHECK(logged("https://api.example/v1").empty());
  CHECK(logged("https://api.example/list", "listing_path = \"/list\"\n").size() == 1);
}

TEST_CASE("types are called as TOML calls them, and a slip of the finger finds its key") {
  CHECK(wrong_with("service.allow_http", "[service]\nallow_http = \"yes\"\n") ==
        Lines{"must be a boolean (true or false), not a string"});
  CHECK(mistakes_of("[schedule]\nat = 2026-11-18T08:00:00Z\n") ==
        Lines{"f:2:6: schedule.at: must be a time of day (\"08:00\"), not a date-time"});
  CHECK(wrong_with("service.scoop", "[service]\nscoop = \"x\"\n") == Lines{"unknown key, did you mean scope?"});
}

TEST_CASE("the webhook's format is one of those that are known") {
  CHECK(mistakes_of("[notify]\nwebhook_format = \"slak\"\n") ==
        Lines{"f:2:18: notify.webhook_format: must be \"json\", \"slack\" or \"teams\", did you mean \"slack\"?"});
}

TEST_CASE("each key has a place, of its own or of its table, and each hook's command has one") {
  const auto read =
      read_config("[control]\nsocket = \"/s\"\n[[hook]]\non = [\"cycle\"]\ncommand = [\"/c\"]\n[[hook]]\n");
  CHECK(place_of(read, "control.socket") == Position{2, 10});
  CHECK(place_of(read, "control.group") == Position{1, 1});
  CHECK(place_of(read, "notify.sendmail") == Position{1, 1});
  REQUIRE(read.hook_commands.size() == 2);
  CHECK(read.hook_commands[0] == Position{5, 11});
  CHECK(read.hook_commands[1].line == 6);
}

TEST_CASE("every mistake is reported at once, in the file's order") {
  const auto lines = logged("[service]\nbase_ur = \"x\"\n[download]\nattempts = true\n[mirrir]\n");
  CHECK(lines == Lines{"f:1:1: service.base_url: is required", "f:1:1: service.token_url: is required",
                       "f:1:1: service.scope: is required", "f:1:1: credentials.client_id: is required",
                       "f:2:1: service.base_ur: unknown key, did you mean base_url?",
                       "f:4:12: download.attempts: must be an integer, not a boolean",
                       "f:5:1: mirrir: unknown table, did you mean mirror?"});
}

TEST_CASE("a syntax error is reported with its line and column") {
  const auto read = read_config("[service]\nbase_url = \n");
  REQUIRE(read.mistakes.size() == 1);
  CHECK(read.mistakes[0].at.line == 2);
  CHECK(read.mistakes[0].at.column > 10);
  CHECK_FALSE(read.mistakes[0].what.empty());
  CHECK(mistake_line("f", read.mistakes[0]).starts_with("f:2:"));
}

TEST_CASE("columns count characters, not bytes") {
  CHECK(logged("notify = { mail_from = \"ä@b.example\", webhok = 1 }\n" + required) ==
        Lines{"f:1:39: notify.webhok: unknown key, did you mean webhook?"});
}

TEST_CASE("the secret's last day is a string or a date, and may be empty") {
  const auto day = [](const std::string& value) {
    return read_config(required + "secret_expires_on = " + value + "\n").config.credentials.secret_expires_on;
  };
  const base::Date wanted(std::chrono::year(2027), std::chrono::March, std::chrono::day(1));
  CHECK(day("\"2027-03-01\"") == wanted);
  CHECK(day("2027-03-01") == wanted);
  CHECK_FALSE(day("\"\"").has_value());
  CHECK(logged(required + "secret_expires_on = \"2027-02-30\"\n") ==
        Lines{"f:7:21: credentials.secret_expires_on: \"2027-02-30\" is not a date (\"2027-03-01\")"});
}

TEST_CASE("sizes, rates, durations and times of day are read") {
  const auto config = read_config(required + R"([schedule]
at = "23:05"
retry = "90s"
[mirror]
reserve = "512MB"
[download]
rate_limit = "20MB/s"
)")
                          .config;
  CHECK(config.schedule.at == TimeOfDay{23, 5});
  CHECK(config.schedule.retry == std::chrono::seconds(90));
  CHECK(config.mirror.reserve == Size{512'000'000});
  CHECK(config.download.rate_limit == Rate{20'000'000});
}

TEST_CASE("a file that is not there is an error of the configuration") {
  const auto read = load_config("/nowhere/vtmirror.toml", test::environment_of({}));
  REQUIRE(read.has_error());
  CHECK(read.error().code == base::Errc::config);
  CHECK(read.error().detail == "/nowhere/vtmirror.toml: cannot be read: No such file or directory");
}

TEST_CASE("a directory in the file's place is an error, too") {
  CHECK(load_config("/tmp", test::environment_of({})).has_error());
}

TEST_CASE("paths that are left open follow the state directory") {
  Config config;
  SUBCASE("which is the package's own") {
    resolve_paths(config, test::environment_of({}));
    CHECK(config.mirror.state_directory == "/var/lib/vtmirror");
    CHECK(config.mirror.directory == "/var/lib/vtmirror/mirror");
    CHECK(config.mirror.catalogue == "/var/lib/vtmirror/catalogue.db");
  }
  SUBCASE("or systemd's, the first of a list") {
    resolve_paths(config, test::environment_of({{"STATE_DIRECTORY", "/var/lib/a:/var/lib/b"}}));
    CHECK(config.mirror.directory == "/var/lib/a/mirror");
  }
  SUBCASE("but not a relative one, which would be below the working directory") {
    resolve_paths(config, test::environment_of({{"STATE_DIRECTORY", "state"}}));
    CHECK(config.mirror.state_directory == "/var/lib/vtmirror");
  }
  SUBCASE("or the configured one") {
    config.mirror.state_directory = "/srv/state/";
    config.mirror.catalogue = "/srv/c.db";
    resolve_paths(config, test::environment_of({{"STATE_DIRECTORY", "/var/lib/a"}}));
    CHECK(config.mirror.directory == "/srv/state/mirror");
    CHECK(config.mirror.catalogue == "/srv/c.db");
  }
}

}  // namespace
}  // namespace vtmirror::settings
