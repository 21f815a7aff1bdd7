// The status page in Debian's Chromium: tests/browser/page.mjs has the scenarios, and this runs the world around them.
#include "end_to_end/web_site.hpp"
#include "support/repository.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

fs::path build_directory() { return fs::path(VTMIRROR_PROGRAM).parent_path().parent_path(); }
/// Where `./dev test` has npm put it.
fs::path modules() { return build_directory() / "browser/node_modules"; }

std::optional<std::string> no_browser() {
  if (auto why = absent("node", "nodejs")) return why;
  if (auto why = absent("chromium", "chromium")) return why;
  if (fs::exists(modules() / "puppeteer-core") && fs::exists(modules() / "axe-core")) return std::nullopt;
  return "there is no puppeteer-core here (./dev test installs it where there is npm)";
}

/// A scenario that runs; its pictures are kept below build/.
class Browser {
 public:
  Browser(const WebSite& site, const std::string& scenario, const std::vector<std::string>& words = {})
      : process_(command(site, scenario, words)) {}

  bool reaches(const std::string& step) {
    return process_.read_until([&](const Ended& e) { return has(e.out, "reached " + step + '\n'); });
  }
  /// Its faults; empty when there was none.
  std::string faults() {
    const auto ended = process_.wait();
    return ended.status == 0 ? "" : ended.out + ended.err;
  }

 private:
  static std::vector<std::string> command(const WebSite& site, const std::string& scenario,
                                          const std::vector<std::string>& words) {
    std::vector<std::string> line{program("node").value(),
                                  (repository() / "tests/browser/page.mjs").string(),
                                  modules().string(),
                                  program("chromium").value(),
                                  site.address(),
                                  (build_directory() / "pictures").string(),
                                  scenario};
    line.insert(line.end(), words.begin(), words.end());
    return line;
  }

  Child process_;
};

base::Date days_before(base::Date day, int count) { return std::chrono::sys_days(day) - std::chrono::days(count); }

/// "delta-light-vehicle_16-11-2026"
std::string stem_of(const std::string& kind, base::Date date) {
  const auto text = base::iso8601(date);
  return kind + "-light-vehicle_" + text.substr(8, 2) + '-' + text.substr(5, 2) + '-' + text.substr(0, 4);
}

}  // namespace

TEST_CASE("a browser shows the page at every width, bright and dark, without a finding of axe") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  site.rig.set("credentials", "secret_expires_on", '"' + base::iso8601(days_before(site.noon.today, -10)) + '"');
  site.start();
  Events(site.socket).state("idle");
  CHECK(site.rig.vtmirror({"next", "warehouse"}).status == 0);
  CHECK(Browser(site, "look").faults() == "");
}

TEST_CASE("a keyboard moves through the days of the page and chooses a week") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  // Two weeks, the first of which was mirrored at its end.
  site.rig.control("POST", "/date", "{\"date\": \"" + base::iso8601(days_before(site.noon.today, 4)) + "\"}");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  site.rig.control("POST", "/date", "{\"date\": \"" + base::iso8601(site.noon.today) + "\"}");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  site.start();
  Events(site.socket).state("idle");
  CHECK(Browser(site, "keyboard").faults() == "");
}

TEST_CASE("a browser paints the page within 300 ms") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  site.start();
  Events(site.socket).state("idle");
  CHECK(Browser(site, "paint").faults() == "");
}

TEST_CASE("a browser shows a transfer as it moves, and its end, without loading the page again") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site(R"(, "faults": [{"at": "store", "match": "bulk", "rate": 200000, "times": 0}])");
  site.rig.set("download", "connections", "1");
  site.start();
  Events(site.socket).status([](const json::object& status) {
    return status.at("cycle").is_object() && status.at("cycle").at("published").as_int64() == 4;
  });
  // The bulk file lasts until the browser has seen it, however busy the machine is.
  site.rig.set("download", "rate_limit", "\"5KB/s\"");
  site.daemon->signal(SIGHUP);
  Browser browser(site, "transfer");
  CHECK(browser.reaches("seen"));
  site.rig.set("download", "rate_limit", "\"0\"");
  site.daemon->signal(SIGHUP);
  CHECK(browser.faults() == "");
}

TEST_CASE("a browser without scripts shows problems, transfers, days and cycles, and leads to other weeks") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  const auto today = site.noon.today;
  site.rig.control("POST", "/date", "{\"date\": \"" + base::iso8601(days_before(today, 7)) + "\"}");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  site.rig.control("POST", "/date", "{\"date\": \"" + base::iso8601(today) + "\"}");
  site.rig.control(
      "POST", "/script",
      R"({"faults": [{"at": "store", "match": ")" + stem_of("delta", today) + R"(", "rate": 1000, "times": 0}]})");
  site.rig.set("credentials", "secret_expires_on", '"' + base::iso8601(days_before(today, -10)) + '"');
  site.rig.set("download", "connections", "1");
  site.start();
  CHECK(site.curl("/v1/sync", {"-X", "POST"}).out.ends_with("\n202"));
  Events(site.socket).status([](const json::object& status) {
    return status.at("cycle").is_object() && status.at("cycle").at("published").as_int64() == 4;
  });
  CHECK(Browser(site, "plain", {"delta " + base::day_and_month(today), "secret_expires"}).faults() == "");
}

TEST_CASE("an open page follows midnight, asks again where an answer fails, and leaves connections to other tabs") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  site.start();
  Events(site.socket).state("idle");
  CHECK(Browser(site, "patience").faults() == "");
}

TEST_CASE("a page in the colours of the system shows which days are held and which to load") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  site.start();
  Events(site.socket).state("idle");
  CHECK(Browser(site, "forced").faults() == "");
}

TEST_CASE("a browser shows a roll-over while the page is open") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  site.start();
  Events(site.socket).state("idle");
  const auto day = days_before(site.noon.today, -4);
  Browser browser(site, "change", {base::day_and_month(day), "load 1", "bulk"});
  CHECK(browser.reaches("open"));
  site.rig.control("POST", "/date", "{\"date\": \"" + base::iso8601(day) + "\"}");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(browser.faults() == "");
}

TEST_CASE("a browser says when the daemon is gone, and shows it again after its restart") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  site.start();
  Events(site.socket).state("idle");
  Browser browser(site, "restart");
  CHECK(browser.reaches("open"));
  site.stop();
  CHECK(browser.reaches("lost"));
  site.start();
  CHECK(browser.faults() == "");
}

TEST_CASE("a browser shows days in every state that a cycle can leave") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  const auto today = site.noon.today;
  site.rig.set("mirror", "keep_cycles", "1");
  // Three weeks ago, a cycle that retention removes; then a week that no listing covered.
  const auto at = [&](base::Date date, const std::string& script) {
    site.rig.control("POST", "/script", script);
    site.rig.control("POST", "/date", "{\"date\": \"" + base::iso8601(date) + "\"}");
    return site.rig.vtmirror({"sync"}).status;
  };
  CHECK(at(days_before(today, 18), "{}") == 0);
  CHECK(at(days_before(today, 4), "{}") == 0);
  // This week, a fault for each of its days; today's bulk file and deltas came three days ago.
  const auto script = R"({"absent": [")" + base::iso8601(days_before(today, 3)) + R"("], "late": ["delta:)" +
                      base::iso8601(today) + R"("], "faults": [
      {"at": "store", "match": ")" +
                      stem_of("delta", days_before(today, 1)) + R"(", "flip_at": 3000, "times": 0},
      {"at": "store", "match": ")" +
                      stem_of("delta", days_before(today, 2)) + R"(", "status": 404, "times": 0}]})";
  CHECK(at(today, script) == 1);
  site.start();
  Events(site.socket).state("waiting");
  CHECK(Browser(site, "states", {"held", "removed", "unknown", "absent", "damaged", "missing", "expected"}).faults() ==
        "");
}

TEST_CASE("a browser shows days that are late, refused or lost") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site;
  const auto today = site.noon.today;
  const auto path_of = [](base::Date date) {
    const auto text = base::iso8601(date);
    const auto number = [](unsigned value) { return std::to_string(value); };
    return "v1/public/delta/year=" + text.substr(0, 4) + "/month=" + number(static_cast<unsigned>(date.month())) +
           "/day=" + number(static_cast<unsigned>(date.day())) + '/' + stem_of("delta", date) + ".zip";
  };
  const auto before = days_before(today, 1);
  site.rig.control("POST", "/date", "{\"date\": \"" + base::iso8601(days_before(today, 4)) + "\"}");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  REQUIRE(fs::remove(site.rig.mirror() / path_of(days_before(today, 5))));
  site.rig.control("POST", "/date", "{\"date\": \"" + base::iso8601(today) + "\"}");
  site.rig.control("POST", "/script",
                   R"({"late": ["delta:)" + base::iso8601(today) + R"("], "absent": ["delta:)" + base::iso8601(before) +
                       R"("], "extra_entries": {"delta": [{"filename": ")" + path_of(before) +
                       R"(", "downloadUrl": "@sign", "fileSize": -1}]}})");
  site.rig.set("schedule", "give_up", "\"1s\"");
  site.start();
  Events(site.socket).status([](const json::object& status) {
    const bool has_both = has_problem(status, "late_delta") && has_problem(status, "refused_entry");
    return has_both && status.at("state").as_string() != "syncing";
  });
  CHECK(Browser(site, "states", {"late", "refused", "lost", "held"}).faults() == "");
}

TEST_CASE("a browser runs no script that a listing names") {
  if (const auto why = no_browser()) return skip(*why);
  WebSite site(R"(, "extra_entries": {"delta": [{"filename": "v1/public/delta/<script>alert(1)</script><img src=x>.zip",
      "downloadUrl": "@sign", "fileSize": 777}]})");
  site.start();
  Events(site.socket).status([](const json::object& status) { return status.at("last_cycle").is_object(); });
  CHECK(Browser(site, "hostile", {"<img src=x>.zip"}).faults() == "");
}
