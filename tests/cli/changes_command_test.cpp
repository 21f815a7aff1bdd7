#include "vtmirror/report/changes.hpp"

#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "support/control_server.hpp"
#include "support/daemon_status.hpp"
#include "support/directory.hpp"
#include "vtmirror/catalogue/catalogue.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::cli {
namespace {

using core::Change;
using core::ChangeKind;

Change change(std::int64_t generation, ChangeKind kind, const char* name, const char* at) {
  Change made{.generation = generation, .kind = kind, .name = name, .at = test::instant(at)};
  made.file_kind = core::Kind::delta;
  made.file = {.date = test::date("2026-11-18"), .size = 100, .sha256 = std::string(64, 'a')};
  return made;
}

/// A file that another edition replaced, and a bulk file without a digest that was removed.
std::vector<Change> three_changes() {
  auto superseded = change(41, ChangeKind::superseded, "v1/a.zip", "2026-11-18T08:03:10Z");
  auto published = change(41, ChangeKind::published, "v1/a.zip", "2026-11-18T08:03:10Z");
  published.before = superseded.file;
  published.file = {.date = test::date("2026-11-18"), .size = 101, .sha256 = std::string(64, 'b')};
  auto removed = change(42, ChangeKind::removed, "v1/\"b\".zip", "2026-11-19T08:03:10Z");
  removed.file_kind = core::Kind::bulk;
  removed.file = {.date = test::date("2026-11-15"), .size = 1'000'000, .sha256 = ""};
  return {superseded, published, removed};
}

const std::vector<Change> replaced = three_changes();
const std::string aaa(64, 'a');
const std::string bbb(64, 'b');
const std::string replaced_json =
    R"({"schema":1,"session":"6f0c","changes":[{"generation":41,"change":"superseded","name":"v1/a.zip","at":"2026-11-18T08:03:10Z","kind":"delta",)"
    R"("date":"2026-11-18","size":100,"sha256":")" +
    aaa +
    R"(","before":null},)"
    R"({"generation":41,"change":"published","name":"v1/a.zip","at":"2026-11-18T08:03:10Z","kind":"delta",)"
    R"("date":"2026-11-18","size":101,"sha256":")" +
    bbb + R"(","before":{"date":"2026-11-18","size":100,"sha256":")" + aaa +
    R"("}},)"
    R"({"generation":42,"change":"removed","name":"v1/\"b\".zip","at":"2026-11-19T08:03:10Z","kind":"bulk",)"
    R"("date":"2026-11-15","size":1000000,"before":null}]})"
    "\n";

TEST_CASE("changes are read as they were written") {
  CHECK(report::changes_json(replaced, "6f0c") == replaced_json);
  CHECK(report::changes_json({}, "") == "{\"schema\":1,\"session\":\"\",\"changes\":[]}\n");
  const auto read = report::parse_changes(report::changes_json(replaced, "6f0c"));
  REQUIRE(read.has_value());
  CHECK(report::changes_json(*read, "6f0c") == replaced_json);
}

TEST_CASE("a reset says where the mirror is, and what to do") {
  Change reset{.generation = 5, .kind = ChangeKind::reset, .name = "", .at = test::instant("2026-11-18T08:03:10Z")};
  reset.session = "6f0c";
  const auto* json =
      R"({"schema":1,"session":"6f0c","changes":[{"generation":5,"change":"reset","session":"6f0c","at":"2026-11-18T08:03:10Z"}]})";
  CHECK(report::changes_json({reset}, "6f0c") == json + std::string("\n"));
  const auto read = report::parse_changes(json);
  REQUIRE(read.has_value());
  CHECK(report::changes_json(*read, "6f0c") == json + std::string("\n"));
  CHECK(report::changes_text({reset}, 80).find("bulk file") != std::string::npos);
}

TEST_CASE("a list with anything but changes in it is refused") {
  for (const auto* text : {"", "{}", "[]", R"({"changes":1})", R"({"changes":[1]})", R"({"changes":[{}]})"}) {
    INFO(text);
    CHECK(report::parse_changes(text).has_error());
  }
  const std::string good =
      R"({"changes":[{"generation":1,"change":"removed","name":"a","at":"2026-11-18T08:03:10Z","kind":"delta",)"
      R"("date":"2026-11-18","size":1,"before":null}]})";
  CHECK(report::parse_changes(good).has_value());
  for (const auto& [part, bad] : {std::pair{R"("generation":1)", R"("generation":"1")"},
                                  {R"("change":"removed")", R"("change":"lost")"},
                                  {R"("name":"a",)", ""},
                                  {"2026-11-18T08:03:10Z", "now"},
                                  {R"("kind":"delta")", R"("kind":"hourly")"},
                                  {R"("date":"2026-11-18",)", ""},
                                  {R"("size":1)", R"("size":-1)"},
                                  {R"("before":null)", R"("before":{"size":1})"}}) {
    auto text = good;
    text.replace(text.find(part), std::string_view(part).size(), bad);
    INFO(text);
    CHECK(report::parse_changes(text).has_error());
  }
}

TEST_CASE("changes are a row each, with the file's name alone: a terminal has no room for its path") {
  CHECK(report::changes_text(replaced, 0) ==
        "GENERATION  CHANGE      AT                    KIND   DATE           SIZE  NAME\n"
        "        41  superseded  2026-11-18T08:03:10Z  delta  2026-11-18    100 B  a.zip\n"
        "        41  published   2026-11-18T08:03:10Z  delta  2026-11-18    101 B  a.zip\n"
        "        42  removed     2026-11-19T08:03:10Z  bulk   2026-11-15  1.00 MB  \"b\".zip\n");
}

TEST_CASE("on a terminal of 80 columns each change has its file's short name, whole") {
  auto change = replaced.front();
  change.name = "v1/public/delta/year=2026/month=11/day=18/delta-light-vehicle_18-11-2026.zip";
  const auto hour = [](base::Time) { return std::chrono::seconds(3600); };
  CHECK(report::changes_text({change}, 80, hour) ==
        "GENERATION  CHANGE      AT                   DATE         SIZE  NAME\n"
        "        41  superseded  2026-11-18 09:03:10  2026-11-18  100 B  delta 18 Nov\n");
  CHECK(report::changes_text({change}, 40, hour) ==
        "GENERATION  CHANGE      NAME\n"
        "        41  superseded  delta 18 Nov\n");
  CHECK(report::changes_text({change}, 120, hour) == report::changes_text({change}, 0, hour));
  CHECK(report::changes_text({change}, 0, hour).find("delta-light-vehicle_18-11-2026.zip") != std::string::npos);
}

Arguments since(std::int64_t generation, const test::Directory& directory) {
  Arguments arguments;
  arguments.command = Command::changes;
  arguments.since = generation;
  arguments.json = true;
  arguments.socket = directory.path("s");
  arguments.config = directory.write("c.toml",
                                     "[service]\nbase_url = \"https://api.example\"\n"
                                     "token_url = \"https://login.example/token\"\n"
                                     "scope = \"https://api.example/.default\"\n"
                                     "[credentials]\nclient_id = \"id\"\n"
                                     "[mirror]\nstate_directory = \"" +
                                         directory.path() + "\"\n");
  return arguments;
}

TEST_CASE("with a daemon its answer is passed on, and no configuration is needed") {
  const test::Directory directory;
  auto arguments = since(40, directory);
  arguments.config = "/nowhere/vtmirror.toml";
  test::ControlServer server(directory.path("s"),
                             {.answers = {{"GET /v1/changes?since=40", test::answer(200, replaced_json)}}});
  const auto json = run(cli::changes, arguments);
  CHECK(json.status == done);
  CHECK(json.out == replaced_json);
  arguments.json = false;
  CHECK(run(cli::changes, arguments).out.starts_with("GENERATION  CHANGE"));
  CHECK(server.requests().size() == 2);
}

TEST_CASE("the refusal of a daemon is final") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"),
                                   {.answers = {{"GET /v1/changes?since=0", test::answer(500, "{}")}}});
  CHECK(run(cli::changes, since(0, directory)).status == failed);
}

TEST_CASE("without a daemon the catalogue answers") {
  const test::Directory directory;
  std::string session;
  {
    auto catalogue = catalogue::Catalogue::open(directory.path("catalogue.db"), catalogue::Access::read_write);
    REQUIRE(catalogue.has_value());
    for (const auto* name : {"v1/a.zip", "v1/b.zip"}) {
      const core::FileRecord file{
          core::Kind::delta, name, test::date("2026-11-18"), 1, "", "", test::instant("2026-11-18T08:03:10Z")};
      REQUIRE(catalogue->publish(file).has_value());
    }
    session = catalogue->edition().value().session;
  }
  REQUIRE_FALSE(session.empty());
  const auto ended = run(cli::changes, since(1, directory));
  CHECK(ended.status == done);
  CHECK(ended.out == R"({"schema":1,"session":")" + session +
                         R"(","changes":[{"generation":2,"change":"published","name":"v1/b.zip",)"
                         R"("at":"2026-11-18T08:03:10Z","kind":"delta","date":"2026-11-18","size":1,"before":null}]})"
                         "\n");
}

TEST_CASE("before the first cycle there are no changes") {
  const test::Directory directory;
  const auto ended = run(cli::changes, since(0, directory));
  CHECK(ended.status == done);
  CHECK(ended.out == "{\"schema\":1,\"session\":\"\",\"changes\":[]}\n");
  CHECK(ended.err.find("no cycle has run yet") != std::string::npos);
}

TEST_CASE("a mirror whose catalogue is gone knows no changes, which is an error and no reset") {
  const test::Directory directory;
  std::filesystem::create_directory(directory.path("mirror"));
  directory.write("mirror/manifest.json", "{}");
  const auto ended = run(cli::changes, since(41, directory));
  CHECK(ended.status == failed);
  CHECK(ended.out.empty());
  CHECK(ended.err.find("is gone or empty") != std::string::npos);
  CHECK(ended.err.find("`vtmirror sync`") != std::string::npos);
}

TEST_CASE("without a daemon a configuration is needed") {
  const test::Directory directory;
  auto arguments = since(0, directory);
  arguments.config = directory.path("none.toml");
  CHECK(run(cli::changes, arguments).status == wrong);
}

}  // namespace
}  // namespace vtmirror::cli
