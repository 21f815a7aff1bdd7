// What programs read, compared with the JSON Schemas that are installed for them: the socket's answers and events,
// manifest.json, what --json prints, and what a hook is given.
#include "end_to_end/daemon_site.hpp"
#include "support/json_schema.hpp"
#include "support/repository.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>

using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

const JsonSchema& schema(const std::string& name) {
  static std::map<std::string, JsonSchema> all;
  const auto path = repository() / "packaging/schema" / (name + ".schema.json");
  return all.try_emplace(name, read_file(path)).first->second;
}

json::value checked(const std::string& name, const std::string& text) {
  CAPTURE(name);
  CAPTURE(text);
  auto value = json::parse(text);
  CHECK(schema(name).faults(value) == "");
  return value;
}

/// The answer's body, with its status in front.
std::pair<std::string, std::string> asked(Site& site, const std::string& path, bool post = false) {
  const auto ended = post ? site.curl(path, {"-X", "POST"}) : site.curl(path);
  REQUIRE(ended.status == 0);
  const auto end = ended.out.rfind('\n');
  return {ended.out.substr(end + 1), ended.out.substr(0, end)};
}

json::value answer(Site& site, const std::string& name, const std::string& path) {
  const auto [status, body] = asked(site, path);
  CHECK(status == "200");
  return checked(name, body);
}

/// Everything that can be read beside the events.
void check_all(Site& site) {
  answer(site, "status", "/v1/status");
  answer(site, "files", "/v1/files");
  answer(site, "coverage", "/v1/coverage");
  answer(site, "history", "/v1/history");
  answer(site, "changes", "/v1/changes?since=0");
  answer(site, "plan", "/v1/plan");
  if (fs::exists(site.rig.mirror() / "manifest.json"))
    checked("manifest", read_file(site.rig.mirror() / "manifest.json"));
}

/// Each event up to and with the first `last`, by its name.
std::map<std::string, int> check_events(Events& events, const std::string& last) {
  const std::map<std::string, std::string> schemas{{"status", "status"},
                                                   {"cycle", "event-cycle"},
                                                   {"journal", "event-journal"},
                                                   {"verifying", "event-verifying"},
                                                   {"verification", "event-verification"}};
  std::map<std::string, int> counts;
  while (!counts.contains(last)) {
    const auto text = events.next();
    const auto name_at = text.find("event: "), data_at = text.find("data: ");
    if (name_at == std::string::npos) continue;  // a heartbeat
    const auto name = text.substr(name_at + 7, text.find('\n', name_at) - name_at - 7);
    CAPTURE(name);
    REQUIRE(schemas.contains(name));
    checked(schemas.at(name), text.substr(data_at + 6));
    ++counts[name];
  }
  return counts;
}

/// Each line that `--json` prints, which has the event's name in it. Returns the last line of that event.
json::object check_lines(const Ended& ended, const std::string& wanted) {
  std::istringstream lines(ended.out);
  json::object found;
  for (std::string line; std::getline(lines, line);) {
    const auto name = std::string(json::parse(line).at("event").as_string());
    const auto value = checked("event-" + name, line).as_object();
    if (name == wanted) found = value;
  }
  CAPTURE(ended.out);
  CHECK_FALSE(found.empty());
  return found;
}

std::size_t count_of(const json::value& rows, const std::string& member, const std::string& word) {
  std::size_t count = 0;
  for (const auto& row : rows.as_array())
    if (row.at(member).is_string() && row.at(member).as_string() == word) ++count;
  return count;
}

}  // namespace

TEST_CASE("the answers of a daemon follow their schemas, before, during and after a cycle") {
  Site site(R"(, "absent": [")" + base::iso8601(base::previous_day(Noon().today)) +
            R"("], "faults": [{"at": "store", "match": "bulk", "rate": 400000, "times": 0}])");
  site.start();
  Events events(site.socket);
  events.status([](const json::object& status) {
    return status.at("cycle").is_object() && status.at("cycle").at("done").as_int64() == 3;
  });
  const auto running = answer(site, "status", "/v1/status");
  REQUIRE(running.at("cycle").is_object());
  CHECK(running.at("last_cycle").is_null());
  CHECK(running.at("cycle").at("downloads").as_array().size() == 1);
  CHECK(count_of(answer(site, "files", "/v1/files").at("files"), "state", "partial") == 1);
  const auto missing = answer(site, "coverage", "/v1/coverage").at("missing").as_array();
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].at("kind").as_string() == "bulk");
  CHECK(missing[0].at("reason").as_string() == "not_downloaded");
  const auto cycle = answer(site, "history", "/v1/history").at("cycles").at(0);
  CHECK(cycle.at("finished").is_null());
  CHECK(cycle.at("outcome").as_string() == "running");
  CHECK(cycle.at("files").as_int64() == 3);
  CHECK(cycle.at("bytes").as_int64() > 300'000);
  check_all(site);

  const auto counts = check_events(events, "cycle");
  CHECK(counts.at("status") > 2);
  CHECK(counts.at("journal") > 1);
  Events(site.socket).state("idle");
  check_all(site);
  const auto manifest = checked("manifest", read_file(site.rig.mirror() / "manifest.json"));
  CHECK(manifest.at("chain").as_array().size() == 4);
  CHECK(manifest.at("absent_upstream") ==
        json::value{json::object{{"date", base::iso8601(base::previous_day(Noon().today))}}});
  CHECK(answer(site, "status", "/v1/status").at("last_cycle").is_object());
}

TEST_CASE("the JSON that commands print follows the same schemas") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  checked("files", site.rig.vtmirror({"files", "--json"}).out);
  checked("coverage", site.rig.vtmirror({"coverage", "--json"}).out);
  checked("history", site.rig.vtmirror({"history", "--json"}).out);
  checked("secret", site.rig.vtmirror({"secret", "status", "--json"}).out);
  site.start();
  checked("status", site.rig.vtmirror({"status", "--json"}).out);
  checked("changes", site.rig.vtmirror({"changes", "--since", "0", "--json"}).out);
}

TEST_CASE("the lines that sync and verify print as JSON follow the schemas of their events") {
  Site site;
  check_lines(site.rig.vtmirror({"sync", "--json"}), "journal");
  check_lines(site.rig.vtmirror({"sync", "--json"}), "cycle");
  CHECK(check_lines(site.rig.vtmirror({"verify", "--json"}), "verification").at("clean").as_bool());
  fs::remove(site.rig.mirror() / site.rig.held().begin()->first);
  CHECK(check_lines(site.rig.vtmirror({"verify", "--repair", "--json"}), "verification").at("clean").as_bool());
  fs::remove(site.rig.mirror() / site.rig.held().begin()->first);
  site.rig.control("POST", "/script", R"({"faults": [{"at": "api", "status": 403, "times": 0}]})");
  const auto refused = check_lines(site.rig.vtmirror({"verify", "--repair", "--json"}), "verification");
  CHECK_FALSE(refused.at("clean").as_bool());
  CHECK(refused.at("error").is_string());
  REQUIRE(refused.at("cause").is_object());
  CHECK(refused.at("cause").at("code").as_string() == "http_status");
  CHECK(refused.at("left").as_int64() == 0);
  CHECK(refused.at("findings").as_array().size() == 1);
  site.rig.control("POST", "/script", R"({"faults": []})");
  site.start();
  Events(site.socket).state("idle");
  check_lines(site.rig.vtmirror({"sync", "--json"}), "cycle");
  // So slow that it says how far it is.
  check_lines(site.rig.vtmirror({"verify", "--rate", "1MB/s", "--json"}), "verifying");
}

TEST_CASE("a quarantined file, a failed cycle and the problems of both follow their schemas") {
  Site site(R"(, "faults": [{"at": "store", "match": "bulk", "flip_at": 5000, "times": 0}])");
  site.start();
  Events events(site.socket);
  const auto partial = events.state("waiting");
  CHECK(has_problem(partial, "quarantined_file"));
  CHECK(count_of(answer(site, "files", "/v1/files").at("files"), "state", "quarantined") == 1);
  check_all(site);

  site.rig.control("POST", "/script", R"({"faults": [{"at": "api", "status": 403, "times": 0}]})");
  CHECK(site.rig.vtmirror({"sync"}).status == 1);
  const auto failed = answer(site, "status", "/v1/status");
  CHECK(failed.at("last_cycle").at("outcome").as_string() == "failed");
  CHECK(failed.at("last_cycle").at("error").is_string());
  CHECK_FALSE(failed.at("problems").as_array().empty());
  // A plan asks for a listing of its own.
  site.rig.control("POST", "/script", R"({"faults": []})");
  check_all(site);
}

TEST_CASE("a chain that continues another one, and files that were superseded or removed, follow their schemas") {
  Site site;
  site.start();
  Events events(site.socket);
  events.state("idle");
  const auto delta = "{\"delta:" + base::iso8601(site.noon.today) + "\": ";
  site.rig.control("POST", "/script", "{\"republish\": " + delta + "2}, \"sizes\": " + delta + "150000}}");
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  auto day = site.noon.today;
  for (int n = 0; n < 4; ++n) {
    day = base::next_day(day);
    site.rig.control("POST", "/date", R"({"date":")" + base::iso8601(day) + "\"}");
    REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  }
  const auto manifest = checked("manifest", read_file(site.rig.mirror() / "manifest.json"));
  CHECK(manifest.at("continues").is_object());
  CHECK(answer(site, "coverage", "/v1/coverage").at("continues") == manifest.at("continues"));

  site.rig.set("mirror", "keep_cycles", "1");
  REQUIRE(asked(site, "/v1/reload", true).first == "200");
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(count_of(answer(site, "changes", "/v1/changes?since=9999").at("changes"), "change", "reset") == 1);
  const auto changes = answer(site, "changes", "/v1/changes?since=0").at("changes");
  CHECK(count_of(changes, "change", "superseded") == 1);
  CHECK(count_of(changes, "change", "removed") > 1);
  check_all(site);
}

TEST_CASE("the answers to POST, and errors, follow their schemas") {
  Site site;
  site.start();
  Events events(site.socket);
  events.state("idle");
  const auto accepted = asked(site, "/v1/sync", true);
  CHECK(accepted.first == "202");
  checked("sync", accepted.second);
  check_events(events, "cycle");
  const auto verified = asked(site, "/v1/verify?name=bulk", true);
  CHECK(verified.first == "202");
  checked("verify", verified.second);
  check_events(events, "verification");
  const auto unknown = asked(site, "/v1/verify?name=nonsense", true);
  CHECK(unknown.first == "422");
  checked("error", unknown.second);
  const auto reloaded = asked(site, "/v1/reload", true);
  CHECK(reloaded.first == "200");
  checked("reload", reloaded.second);

  const std::vector<std::pair<std::string, std::string>> refused{
      {"/v1/nothing", "404"},          {"/v1/history?n=none", "400"}, {"/v1/status?x=1", "400"},
      {"/v1/changes?since=-1", "400"}, {"/v1/sync", "405"},           {"/v1/verify", "405"}};
  for (const auto& row : refused) {
    CAPTURE(row.first);
    const auto [status, body] = asked(site, row.first);
    CHECK(status == row.second);
    checked("error", body);
  }
  site.rig.set("download", "connections", "\"many\"");
  const auto mistakes = asked(site, "/v1/reload", true);
  CHECK(mistakes.first == "422");
  checked("error", mistakes.second);
}

TEST_CASE("the input of a hook follows its schema: chains, files, cycles, problems that begin and end, and a test") {
  Site site(R"(, "faults": [{"at": "store", "match": "bulk", "flip_at": 5000, "times": 0}])");
  const auto notices = site.rig.directory() / "notices";
  {
    std::ofstream config(site.rig.config(), std::ios::app);
    config << "\n[[hook]]\non = [\"chain\", \"published\", \"cycle\", \"warning\"]\ncommand = [\"/bin/sh\", \"-c\", "
              "\"cat >> '"
           << notices.string() << "'; echo >> '" << notices.string() << "'\"]\n";
  }
  site.start();
  Events events(site.socket);
  events.state("waiting");
  site.rig.control("POST", "/script", R"({"faults": []})");
  const auto synced = site.rig.vtmirror({"sync"});
  CAPTURE(synced.err);
  REQUIRE(synced.status == 0);
  REQUIRE(site.logged("resolved: bulk "));
  // The last of them: a hook that runs at the stop may run again.
  REQUIRE(site.logged("delivered \"resolved: bulk "));
  REQUIRE(site.stop().status == 0);
  CHECK(site.rig.vtmirror({"sync"}).status == 0);  // delivers what was left over
  CHECK(site.rig.vtmirror({"notify", "test"}).status == 0);

  const auto received = read_file(notices);
  CAPTURE(received);
  std::map<std::string, int> seen;
  std::istringstream lines(received);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const auto notice = checked("notice", line);
    auto what = std::string(notice.at("event").as_string());
    if (notice.as_object().contains("stage")) what += " " + std::string(notice.at("stage").as_string());
    ++seen[what];
  }
  CHECK(seen["published"] == 5);
  CHECK(seen["chain"] == 2);
  CHECK(seen["cycle"] >= 2);
  CHECK(seen["warning began"] == 1);
  CHECK(seen["warning over"] == 1);
  CHECK(seen["test"] == 1);
}
