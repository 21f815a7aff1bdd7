// Consumers of the real program, with a daemon and without one, and the examples that load a database.
#include "end_to_end/daemon_site.hpp"
#include "support/json_schema.hpp"
#include "support/repository.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

const std::string small = R"({"bulk_bytes": 400000, "delta_bytes": 60000})";

json::object checked(const std::string& name, const std::string& text) {
  CAPTURE(text);
  auto value = json::parse(text);
  const JsonSchema schema(read_file(repository() / "packaging/schema" / (name + ".schema.json")));
  CHECK(schema.faults(value) == "");
  return value.as_object();
}

json::object next(Rig& rig, const std::string& name = "warehouse") {
  const auto ended = rig.vtmirror({"next", name, "--json"});
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  return checked("next", ended.out);
}

std::string text(const json::object& object, const std::string& member) {
  const auto& value = object.at(member);
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

/// Whether each file of the answer is at its path, with the bytes of its digest.
bool finds_all(const json::object& answer) {
  for (const auto& file : answer.at("files").as_array())
    if (sha256_of(std::string(file.at("path").as_string())) != file.at("sha256").as_string()) return false;
  return true;
}

/// The digests of the files, in the order in which a consumer loads them.
std::vector<std::string> digests(const json::array& files) {
  std::vector<std::string> all;
  for (const auto& file : files) all.emplace_back(file.at("sha256").as_string());
  return all;
}

}  // namespace

TEST_CASE("without a daemon a consumer is answered from the catalogue, the same until it acknowledges") {
  Rig rig(small, "2026-11-18");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto first = next(rig);
  CHECK(text(first, "action") == "reload");
  CHECK(digests(first.at("files").as_array()) == digests(manifest_of(rig).at("chain").as_array()));
  CHECK(text(first, "session") == text(manifest_of(rig), "session"));
  CHECK(finds_all(first));
  rig.control("POST", "/date", R"({"date":"2026-11-19"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  CHECK(next(rig) == first);

  const auto unknown = rig.vtmirror({"ack", "warehouse", "1-1"});
  CHECK(unknown.status == 1);
  CHECK(has(unknown.err, "1-1 is not the current ticket of warehouse"));
  CHECK(rig.vtmirror({"ack", "nobody", text(first, "ticket")}).status == 1);
  CHECK(rig.vtmirror({"ack", "warehouse", text(first, "ticket")}).status == 0);
  const auto second = next(rig);
  CHECK(text(second, "action") == "append");
  CHECK(second.at("files").as_array().size() == 1);
  CHECK(rig.vtmirror({"ack", "warehouse", text(second, "ticket")}).status == 0);
  CHECK(rig.vtmirror({"ack", "warehouse", text(first, "ticket")}).status == 1);
  const auto none = next(rig);
  CHECK(text(none, "action") == "none");
  CHECK(text(none, "through") == "2026-11-19");

  const auto consumers = rig.vtmirror({"consumers", "--json"});
  CHECK(consumers.status == 0);
  checked("consumers", consumers.out);
  CHECK(has(rig.vtmirror({"consumers"}).out, "up to date"));
  CHECK(rig.vtmirror({"consumers", "--forget", "warehouse"}).status == 0);
  CHECK(rig.vtmirror({"consumers", "--forget", "warehouse"}).status == 1);
  CHECK(text(next(rig), "action") == "reload");
}

TEST_CASE("without a daemon questions that come at the same time wait for each other, and have one answer") {
  Rig rig(small, "2026-11-18");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  std::string command;
  for (const auto& word : rig.command_line({"next", "warehouse", "--json"})) command += " '" + word + "'";
  const auto loop = "for i in 1 2 3 4 5 6 7 8; do" + command + " & all=\"$all $!\"; done; for p in $all; do " +
                    "wait $p || echo \"status $?\"; done";
  const auto ended = run({"sh", "-c", loop});
  CAPTURE(ended.err);
  CHECK(ended.err.empty());
  CHECK_FALSE(has(ended.out, "status"));
  std::istringstream lines(ended.out);
  std::vector<std::string> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(line);
  REQUIRE(answers.size() == 8);
  CHECK(std::ranges::count(answers, answers.front()) == 8);
}

TEST_CASE("what was offered stays readable when it is replaced and pruned, and is a reload afterwards") {
  Rig rig(small, "2026-11-18");
  rig.set("mirror", "keep_cycles", "1");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto first = next(rig);
  rig.control("POST", "/script", R"({"republish": {"delta:2026-11-17": 2}, "sizes": {"delta:2026-11-17": 70000}})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  CHECK(rig.held() == rig.upstream());
  CHECK(finds_all(first));
  CHECK(next(rig) == first);
  CHECK(rig.vtmirror({"ack", "warehouse", text(first, "ticket")}).status == 0);
  CHECK_FALSE(fs::exists(rig.mirror() / ".vtmirror/next/warehouse"));
  const auto second = next(rig);
  CHECK(text(second, "action") == "reload");
  CHECK(text(second, "why") == "delta 17 Nov was replaced by another edition after it was loaded");
  // The next bulk file comes, and the chain that was offered is pruned.
  for (const auto* date : {"2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"}) {
    rig.control("POST", "/date", std::string(R"({"date":")") + date + "\"}");
    REQUIRE(rig.vtmirror({"sync"}).status == 0);
  }
  CHECK(rig.held().size() == 3);
  CHECK(finds_all(second));
  CHECK(rig.vtmirror({"ack", "warehouse", text(second, "ticket")}).status == 0);
  CHECK(text(next(rig), "action") == "reload");
}

TEST_CASE(
    "names in .vtmirror/next that somebody removed are made again, so that a replacement changes no offered byte") {
  Rig rig(small, "2026-11-18");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto first = next(rig);
  fs::remove_all(rig.mirror() / ".vtmirror/next");
  CHECK(next(rig) == first);
  CHECK(finds_all(first));
  rig.control("POST", "/script", R"({"republish": {"delta:2026-11-17": 2}, "sizes": {"delta:2026-11-17": 70000}})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  CHECK(finds_all(first));
  // Without them, and with a replaced file, the answer is another one.
  fs::remove_all(rig.mirror() / ".vtmirror/next");
  const auto second = next(rig);
  CHECK(text(second, "ticket") != text(first, "ticket"));
  CHECK(finds_all(second));
}

TEST_CASE("a file that rots after it was offered is offered again with the bytes that verify --repair downloaded") {
  Rig rig(small, "2026-11-18");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto first = next(rig);
  const auto name = std::string(first.at("files").at(2).at("name").as_string());
  {
    // Written in place, so that the second name of the file has the same bytes.
    std::fstream file(rig.mirror() / name, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(30'000).put('!').put('?');
  }
  CHECK_FALSE(finds_all(first));
  const auto repaired = rig.vtmirror({"verify", "--repair"});
  CAPTURE(repaired.err);
  CHECK(repaired.status == 0);
  const auto second = next(rig);
  CHECK(finds_all(second));
  CHECK(second == first);
}

TEST_CASE("deltas of the chain before are offered after a roll-over, and a bulk load is not") {
  Rig rig(small, "2026-11-18");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto first = next(rig);
  CHECK(rig.vtmirror({"ack", "warehouse", text(first, "ticket")}).status == 0);
  for (const auto* date : {"2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22"}) {
    rig.control("POST", "/date", std::string(R"({"date":")") + date + "\"}");
    REQUIRE(rig.vtmirror({"sync"}).status == 0);
  }
  const auto joined = next(rig);
  CHECK(text(joined, "action") == "append");
  CHECK(joined.at("files").as_array().size() == 4);
  CHECK(text(joined, "through") == "2026-11-22");
}

TEST_CASE("a daemon answers consumers on its socket, and shows how far they are") {
  Site site;
  site.start();
  Events events(site.socket);
  events.state("idle");
  const auto first = next(site.rig);
  CHECK(text(first, "action") == "reload");
  CHECK(finds_all(first));
  // The events show what consumers do at once, without a cycle.
  const auto consumers_of = [&events](auto wanted) {
    return events.status([&](const json::object& status) {
      const auto& all = status.at("consumers").as_array();
      return all.size() == 1 && wanted(all[0]);
    });
  };
  consumers_of([&](const json::value& one) { return one.at("ticket") == first.at("ticket"); });
  const auto over_socket = site.curl("/v1/next?consumer=warehouse");
  CHECK(checked("next", over_socket.out.substr(0, over_socket.out.rfind('\n'))) == first);
  const auto behind = site.status().at("consumers").as_array();
  REQUIRE(behind.size() == 1);
  CHECK(behind[0].at("files").as_int64() == 5);
  CHECK(behind[0].at("ticket") == first.at("ticket"));
  CHECK(has(site.rig.vtmirror({"status"}).out, "warehouse: nothing loaded; 5 files to load"));

  const auto ack = "/v1/ack?consumer=warehouse&ticket=" + text(first, "ticket");
  CHECK(site.curl("/v1/ack?consumer=warehouse&ticket=1-1", {"-X", "POST"}).out.ends_with("\n409"));
  const auto accepted = site.curl(ack, {"-X", "POST"});
  CHECK(accepted.out.ends_with("\n200"));
  checked("ack", accepted.out.substr(0, accepted.out.rfind('\n')));
  consumers_of([](const json::value& one) { return one.at("behind_since").is_null(); });
  CHECK(text(next(site.rig), "action") == "none");
  CHECK(site.status().at("consumers").as_array()[0].at("behind_since").is_null());
  CHECK(has(site.curl("/metrics").out, "vtmirror_consumer_files{consumer=\"warehouse\"} 0\n"));
  const auto consumers = site.curl("/v1/consumers").out;
  checked("consumers", consumers.substr(0, consumers.rfind('\n')));
  CHECK(site.rig.vtmirror({"consumers", "--forget", "warehouse"}).status == 0);
  CHECK(site.status().at("consumers").as_array().empty());
  CHECK(site.stop().status == 0);
}

TEST_CASE("wait keeps its time limit beside a daemon that hangs") {
  Site site;
  site.start();
  Events events(site.socket);
  events.state("idle");
  const auto tomorrow = base::iso8601(base::next_day(site.noon.today));
  site.daemon->signal(SIGSTOP);
  const auto began = std::chrono::steady_clock::now();
  const auto late = site.rig.vtmirror({"wait", "--through", tomorrow, "--timeout", "1s"});
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
  CHECK(late.status == 1);
  CHECK(has(late.err, "the chain is not complete through "));
  site.daemon->signal(SIGCONT);
  CHECK(site.stop().status == 0);
}

TEST_CASE("next of a file that is gone says what to do, and does it") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto held = site.rig.held();
  const auto delta =
      std::ranges::find_if(held, [](const auto& file) { return file.first.find("delta") != file.first.npos; })->first;
  const auto gone = [&site, &delta] {
    fs::remove(site.rig.mirror() / delta);
    const auto refused = site.rig.vtmirror({"next", "warehouse"});
    CAPTURE(refused.err);
    CHECK(refused.status == 1);
    CHECK(has(refused.err,
              " is not in the mirror as it was published\n"
              "vtmirror: `vtmirror verify --repair` says what is lost, and downloads again what is still"));
    CHECK(site.rig.vtmirror({"verify", "--repair"}).status == 0);
    CHECK(fs::exists(site.rig.mirror() / delta));
    CHECK(site.rig.vtmirror({"next", "warehouse"}).status == 0);
    CHECK(site.rig.vtmirror({"consumers", "--forget", "warehouse"}).status == 0);
  };
  gone();
  site.start();
  Events(site.socket).state("idle");
  gone();
  CHECK(site.stop().status == 0);
}

TEST_CASE("a day is waited for beside a daemon and without one, and is 1 after the time") {
  Site site;
  site.start();
  Events events(site.socket);
  events.state("idle");
  const auto today = base::iso8601(site.noon.today), tomorrow = base::iso8601(base::next_day(site.noon.today));
  for (const bool beside_daemon : {true, false}) {
    CAPTURE(beside_daemon);
    const auto over = site.rig.vtmirror({"wait", "--through", today, "--timeout", "10s"});
    CHECK(over.status == 0);
    CHECK(over.out == "complete through " + today + "\n");
    const auto late = site.rig.vtmirror({"wait", "--through", tomorrow, "--timeout", "0s"});
    CHECK(late.status == 1);
    CHECK(has(late.err, "the chain is not complete through "));
    if (!beside_daemon) break;
    const auto answer = site.curl("/v1/wait?through=" + tomorrow + "&timeout=0").out;
    CHECK_FALSE(checked("wait", answer.substr(0, answer.rfind('\n'))).at("complete").as_bool());
    CHECK(site.stop().status == 0);
  }
}

namespace {

/// The program with its settings, as the examples call it.
std::string program_of(const Rig& rig) {
  const auto program = rig.directory() / "vtmirror";
  std::string line = "#!/bin/sh\nexec";
  for (const auto& word : rig.command_line({})) line += " '" + word + "'";
  std::ofstream(program) << line << " \"$@\"\n";
  fs::permissions(program, fs::perms::owner_all);
  return program.string();
}

std::string example(const std::string& name) { return (repository() / "packaging/examples" / name).string(); }

std::optional<std::string> missing(const std::vector<std::string>& tools) {
  for (const auto& tool : tools)
    if (run({"which", tool}).status != 0) return tool + " is missing";
  return std::nullopt;
}

/// A database server of the test's own. It runs as the user postgres, and listens only on a socket in its directory.
class PostgresServer {
 public:
  PostgresServer() {
    const auto made = as_postgres("mktemp -d /tmp/vtmirror-postgresql-XXXXXX");
    if (made.status != 0) throw std::runtime_error(made.err);
    place_ = made.out.substr(0, made.out.find('\n'));
    const auto begun = as_postgres(bin() + "/initdb -D " + place_ + "/data -A trust && " + bin() + "/pg_ctl -D " +
                                   place_ + "/data -l " + place_ + "/log -w -o \"-h '' -k " + place_ + "\" start");
    if (begun.status != 0) throw std::runtime_error(begun.out + begun.err);
  }
  ~PostgresServer() {
    as_postgres(bin() + "/pg_ctl -D " + place_ + "/data -m immediate stop");
    run({"rm", "-rf", place_});
  }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Where Debian has the server's programs; empty if it is not installed.
  static std::string bin() {
    const auto found = run({"sh", "-c", "ls -d /usr/lib/postgresql/*/bin | tail -n 1"}).out;
    return found.substr(0, found.find('\n'));
  }
  std::string connection(const std::string& database) const {
    return "host=" + place_ + " user=postgres dbname=" + database;
  }
  std::string ask(const std::string& database, const std::string& sql) const {
    const auto answer = run({"psql", "-XAtq", "-d", connection(database), "-c", sql});
    if (answer.status != 0) throw std::runtime_error(answer.err);
    return answer.out;
  }

 private:
  static Ended as_postgres(const std::string& line) {
    return run({"runuser", "-u", "postgres", "--", "sh", "-c", "cd / && " + line});
  }

  std::string place_;
};

/// What jq makes of the chain's decompressed lines.
std::string of_the_chain(const std::string& program, const std::string& filter) {
  const auto made = run({"bash", "-c", "set -e -o pipefail; '" + program + "' cat --chain | jq -nr '" + filter + "'"});
  CAPTURE(made.err);
  CHECK(made.status == 0);
  return made.out;
}

/// What a table of the chain's newest records says, in a line a vehicle. Made without tickets.
std::string table_by_hand(const std::string& program) {
  return of_the_chain(program,
                      "reduce inputs as $v ({}; if $v.modification == \"DELETED\" then del(.[$v.registration]) "
                      "else .[$v.registration] = $v.motTests[0].motTestNumber end) "
                      "| to_entries | sort_by(.key)[] | .key + \" \" + .value");
}

/// The first line in which two tables differ, of both; empty if they are the same.
std::string difference(const std::string& table, const std::string& by_hand) {
  std::istringstream left(table), right(by_hand);
  for (std::string a, b;;) {
    const bool more = std::getline(left, a).good();
    const bool both = std::getline(right, b).good() == more;
    if (both && !more) return "";
    if (!both || a != b) return std::string(both ? "" : "one ends behind: ").append(a).append(" / ").append(b);
  }
}

/// The records in all files of the chain, and of those the ones that delete a vehicle.
std::pair<int, int> records_and_deletions(const std::string& program) {
  std::istringstream numbers(of_the_chain(program,
                                          "reduce inputs as $v ([0, 0]; .[0] += 1 | if $v.modification == \"DELETED\" "
                                          "then .[1] += 1 else . end) | @tsv"));
  std::pair<int, int> both;
  numbers >> both.first >> both.second;
  return both;
}

constexpr char lines_of_sqlite[] =
    "SELECT registration || ' ' || (data ->> '$.motTests[0].motTestNumber') FROM vehicle ORDER BY registration";
constexpr char lines_of_postgresql[] =
    "SELECT registration || ' ' || (data->'motTests'->0->>'motTestNumber') FROM vehicle "
    "ORDER BY registration COLLATE \"C\"";

constexpr char whole_table[] = "SELECT count(*), md5(string_agg(data::text, ',' ORDER BY registration)) FROM vehicle";

}  // namespace

TEST_CASE("the example for PostgreSQL loads each file once, also when it is killed at any instant") {
  if (::geteuid() != 0) return skip("only root can begin a server as the user postgres");
  if (const auto what = missing({"psql", "jq", "unzip", "runuser"})) return skip(*what);
  if (PostgresServer::bin().empty()) return skip("there is no server (package postgresql)");
  Rig rig(small, "2026-11-18");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const PostgresServer server;
  const auto program = program_of(rig);
  const auto line = [&](const std::string& database) {
    return std::vector<std::string>{"env", "VTMIRROR=" + program, example("load-postgresql"),
                                    server.connection(database), database};
  };
  // The table that one load of the whole mirror makes.
  const auto loaded_afresh = [&](const std::string& database) {
    server.ask("postgres", "CREATE DATABASE " + database);
    const auto load = run(line(database));
    CAPTURE(load.err);
    CHECK(load.status == 0);
    return server.ask(database, whole_table);
  };
  server.ask("postgres", "CREATE DATABASE fleet");
  const auto first = run(line("fleet"));
  CAPTURE(first.err);
  REQUIRE(first.status == 0);
  CHECK(has(first.out, "reload: nothing was acknowledged yet"));
  CHECK(server.ask("fleet", "SELECT count(*) > 0 FROM vehicle") == "t\n");
  CHECK(server.ask("fleet", whole_table) == loaded_afresh("second"));
  CHECK(difference(server.ask("fleet", lines_of_postgresql), table_by_hand(program)) == "");
  CHECK(has(run(line("fleet")).out, "none: everything is loaded"));

  rig.control("POST", "/date", R"({"date":"2026-11-19"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  for (int kill = 0; kill < 4; ++kill) {
    Child load(line("fleet"));
    // A round trip to the server takes some hundredths of a second.
    for (int poll = 0; poll < 1 + 3 * kill; ++poll) server.ask("fleet", "SELECT 1");
    load.signal(SIGKILL);
    static_cast<void>(load.wait());
  }
  const auto again = run(line("fleet"));
  CAPTURE(again.err);
  CHECK(again.status == 0);
  CHECK(has(run(line("fleet")).out, "none: everything is loaded"));
  CHECK(server.ask("fleet", whole_table) == loaded_afresh("third"));
  CHECK(difference(server.ask("fleet", lines_of_postgresql), table_by_hand(program)) == "");
}

TEST_CASE("the example for SQLite loads each file once, whatever happens between load and acknowledgement") {
  if (const auto what = missing({"sqlite3", "jq", "unzip"})) return skip(*what);
  Rig rig(small, "2026-11-18");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto database = (rig.directory() / "vehicles.db").string();
  const auto program = program_of(rig);
  const auto load = [&] { return run({"env", "VTMIRROR=" + program, example("load-sqlite"), database}); };
  const auto count = [&] { return run({"sqlite3", database, "SELECT count(*) FROM vehicle"}).out; };

  const auto first = load();
  CAPTURE(first.err);
  REQUIRE(first.status == 0);
  CHECK(has(first.out, "reload: nothing was acknowledged yet"));
  const auto [records, deletions] = records_and_deletions(program);
  CHECK(deletions > 0);
  CHECK(std::stoi(count()) < records - 2 * deletions);  // newer records took the place of others
  CHECK(difference(run({"sqlite3", database, lines_of_sqlite}).out, table_by_hand(program)) == "");
  CHECK(has(load().out, "none: everything is loaded"));
  rig.control("POST", "/date", R"({"date":"2026-11-19"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  // Killed between load and acknowledgement: the ticket is in the table, and the mirror does not know.
  const auto ticket = text(next(rig, "sqlite"), "ticket");
  const auto before = count();
  REQUIRE(run({"sqlite3", database, "UPDATE loaded SET ticket = '" + ticket + "'"}).status == 0);
  CHECK(has(load().out, "none: everything is loaded"));
  CHECK(count() == before);
  CHECK(text(next(rig, "sqlite"), "action") == "none");

  // Another consumer's ticket is not one that its mirror knows: it begins anew, in an empty table.
  REQUIRE(run({"sqlite3", database, R"(INSERT INTO vehicle (data) VALUES ('{"registration":"foreign"}'))"}).status ==
          0);
  const auto load_as_other = [&] {
    return run({"env", "VTMIRROR=" + program, example("load-sqlite"), database, "other"});
  };
  const auto table = [&] { return run({"sqlite3", database, lines_of_sqlite}).out; };
  CHECK(has(load_as_other().out, "reload: nothing was acknowledged yet"));
  CHECK(difference(table(), table_by_hand(program)) == "");
  rig.control("POST", "/date", R"({"date":"2026-11-20"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto appended = load_as_other();
  CAPTURE(appended.err);
  CHECK(appended.status == 0);
  CHECK(has(appended.out, "append: 1 delta since 19 Nov"));
  CHECK(difference(table(), table_by_hand(program)) == "");
}

namespace {

/// The program for the example to call, except that each acknowledgement fails, as on a full disk.
std::string program_that_acknowledges_nothing(const std::string& program, const fs::path& directory) {
  const auto path = directory / "vtmirror-full";
  std::ofstream(path) << "#!/bin/sh\nif [ \"$1\" = ack ]; then exit 1; fi\nexec '" << program << "' \"$@\"\n";
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

/// Dates all answers back by that many days.
void age_offers(const Rig& rig, int days) {
  const auto aged = run({"sqlite3", (rig.directory() / "config/state/catalogue.db").string(),
                         "UPDATE consumer SET offered_at = offered_at - " + std::to_string(days) + " * 86400000"});
  CAPTURE(aged.err);
  REQUIRE(aged.status == 0);
}

/// How many records of a day's delta put a vehicle into the table.
std::string records_of(const std::string& program, const std::string& day) {
  return run({"bash", "-c",
              "set -e -o pipefail; '" + program + "' cat " + day +
                  " | jq -r 'select(.modification != \"DELETED\") | .registration' | wc -l"})
      .out;
}

}  // namespace

TEST_CASE("a load that was committed and not acknowledged is not applied again, also after the lease") {
  if (const auto what = missing({"sqlite3", "jq", "unzip"})) return skip(*what);
  Rig rig(small, "2026-11-18");
  rig.set("mirror", "keep_cycles", "1");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto database = (rig.directory() / "vehicles.db").string();
  const auto program = program_of(rig);
  const auto full = program_that_acknowledges_nothing(program, rig.directory());
  const auto load = [&](const std::string& by) {
    return run({"env", "VTMIRROR=" + by, example("load-sqlite"), database});
  };
  const auto ask = [&](const std::string& sql) { return run({"sqlite3", database, sql}).out; };
  REQUIRE(load(program).status == 0);
  ask("CREATE TABLE applied (registration TEXT); CREATE TRIGGER count AFTER INSERT ON vehicle "
      "WHEN new.data ->> 'modification' <> 'DELETED' BEGIN INSERT INTO applied VALUES (new.registration); END");
  rig.control("POST", "/date", R"({"date":"2026-11-19"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  CHECK(load(full).status == 1);
  CHECK(ask("SELECT count(*) FROM applied") == records_of(program, "2026-11-19"));

  age_offers(rig, 8);
  rig.control("POST", "/date", R"({"date":"2026-11-20"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  ask("DELETE FROM applied");
  const auto second = load(program);
  CAPTURE(second.err);
  CHECK(second.status == 0);
  CHECK(has(second.out, "append: 1 delta since 19 Nov"));
  CHECK(ask("SELECT count(*) FROM applied") == records_of(program, "2026-11-20"));
  CHECK(has(load(program).out, "none: everything is loaded"));
}
