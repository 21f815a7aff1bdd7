#include "vtmirror/report/history.hpp"

#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "support/control_server.hpp"
#include "support/daemon_status.hpp"
#include "support/directory.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace vtmirror::cli {
namespace {

using core::Change;
using core::ChangeKind;

const std::vector<Change> replaced{{41, ChangeKind::superseded, "v1/a.zip", test::instant("2026-11-18T08:03:10Z")},
                                   {41, ChangeKind::published, "v1/a.zip", test::instant("2026-11-18T08:03:10Z")},
                                   {42, ChangeKind::removed, "v1/\"b\".zip", test::instant("2026-11-19T08:03:10Z")}};
const std::string replaced_json =
    R"([{"generation":41,"kind":"superseded","name":"v1/a.zip","at":"2026-11-18T08:03:10Z"},)"
    R"({"generation":41,"kind":"published","name":"v1/a.zip","at":"2026-11-18T08:03:10Z"},)"
    R"({"generation":42,"kind":"removed","name":"v1/\"b\".zip","at":"2026-11-19T08:03:10Z"}])"
    "\n";

TEST_CASE("changes are read as they were written") {
  CHECK(report::changes_json(replaced) == replaced_json);
  CHECK(report::changes_json({}) == "[]\n");
  const auto read = report::parse_changes(report::changes_json(replaced));
  REQUIRE(read.has_value());
  CHECK(report::changes_json(*read) == replaced_json);
}

TEST_CASE("a list with anything but changes in it is refused") {
  for (const auto* text : {"", "{}", "[1]", "[{}]", R"([{"generation":"1","kind":"removed","name":"a","at":"x"}])",
                           R"([{"generation":1,"kind":"lost","name":"a","at":"2026-11-18T08:03:10Z"}])",
                           R"([{"generation":1,"kind":"removed","name":"a","at":"now"}])",
                           R"([{"generation":1,"kind":"removed","at":"2026-11-18T08:03:10Z"}])"}) {
    INFO(text);
    CHECK(report::parse_changes(text).has_error());
  }
}

TEST_CASE("changes are a row each, with the file's name alone: a terminal has no room for its path") {
  CHECK(report::changes_text(replaced, 0) ==
        "GENERATION  CHANGE      AT                    NAME\n"
        "        41  superseded  2026-11-18T08:03:10Z  a.zip\n"
        "        41  published   2026-11-18T08:03:10Z  a.zip\n"
        "        42  removed     2026-11-19T08:03:10Z  \"b\".zip\n");
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
  {
    auto catalogue = catalogue::Catalogue::open(directory.path("catalogue.db"), catalogue::Access::read_write);
    REQUIRE(catalogue.has_value());
    for (const auto* name : {"v1/a.zip", "v1/b.zip"}) {
      const core::FileRecord file{
          core::Kind::delta, name, test::date("2026-11-18"), 1, "", "", test::instant("2026-11-18T08:03:10Z")};
      REQUIRE(catalogue->publish(file).has_value());
    }
  }
  const auto ended = run(cli::changes, since(1, directory));
  CHECK(ended.status == done);
  CHECK(ended.out == R"([{"generation":2,"kind":"published","name":"v1/b.zip","at":"2026-11-18T08:03:10Z"}])"
                     "\n");
}

TEST_CASE("before the first cycle there are no changes") {
  const test::Directory directory;
  const auto ended = run(cli::changes, since(0, directory));
  CHECK(ended.status == done);
  CHECK(ended.out == "[]\n");
  CHECK(ended.err.find("no cycle has run yet") != std::string::npos);
}

TEST_CASE("without a daemon a configuration is needed") {
  const test::Directory directory;
  auto arguments = since(0, directory);
  arguments.config = directory.path("none.toml");
  CHECK(run(cli::changes, arguments).status == wrong);
}

}  // namespace
}  // namespace vtmirror::cli
