// next, ack, consumers and wait, beside a socket that plays a script, and without one.
#include "cli/command_run.hpp"
#include "cli/commands.hpp"
#include "support/control_server.hpp"
#include "support/daemon_status.hpp"
#include "support/directory.hpp"
#include "vtmirror/report/consumers.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

namespace vtmirror::cli {
namespace {

const std::string next_answer =
    R"({"schema":1,"session":"s","consumer":"warehouse","generation":43,"ticket":"43-7","action":"append",)"
    R"("why":"1 delta since 16 Nov","files":[{"path":"/m/a.zip","name":"a.zip","kind":"delta","date":"2026-11-17",)"
    R"("size":1,"sha256":null}],"through":"2026-11-17","assumes_absent":[]})"
    "\n";

struct Place {
  test::Directory directory;
  std::string socket = directory.path("control.sock");

  Arguments arguments(Command command) const {
    Arguments arguments;
    arguments.command = command;
    arguments.socket = socket;
    arguments.config = directory.path("vtmirror.toml");
    arguments.consumer = "warehouse";
    return arguments;
  }
};

Farewell refused(std::vector<const char*> words) {
  words.insert(words.begin(), "vtmirror");
  const auto parsed = parse_arguments(words, test::environment_of({}));
  REQUIRE(std::holds_alternative<Farewell>(parsed));
  return std::get<Farewell>(parsed);
}

TEST_CASE("next prints what the daemon answers, as text or unchanged") {
  const Place place;
  test::ControlServer daemon(place.socket,
                             {.answers = {{"GET /v1/next?consumer=warehouse", test::answer(200, next_answer)}}});
  auto arguments = place.arguments(Command::next);
  const auto text = run(&next, arguments);
  CHECK(text.status == done);
  CHECK(text.out == "append: 1 delta since 16 Nov\n/m/a.zip\nWhen they are loaded: vtmirror ack warehouse 43-7\n");
  arguments.json = true;
  CHECK(run(&next, arguments).out == next_answer);
}

TEST_CASE("ack sends the ticket, and a refused one is exit status 1 with the daemon's reason") {
  const Place place;
  const std::string refusal = R"({"error": {"code": "refused", "message": "ticket 43-6 is not that"}})";
  const report::ConsumerStatus known{.name = "warehouse",
                                     .created = test::instant("2026-11-18T08:00:00Z"),
                                     .asked = test::instant("2026-11-18T08:00:00Z")};
  test::ControlServer daemon(place.socket,
                             {.answers = {{"POST /v1/ack?consumer=warehouse&ticket=43-7", test::answer(200, "{}")},
                                          {"POST /v1/ack?consumer=warehouse&ticket=43-6", test::answer(409, refusal)},
                                          {"GET /v1/consumers", test::answer(200, report::consumers_json({known}))}}});
  auto arguments = place.arguments(Command::ack);
  arguments.ticket = "43-7";
  const auto accepted = run(&acknowledge, arguments);
  CHECK(accepted.status == done);
  CHECK(accepted.out.empty());
  arguments.ticket = "43-6";
  const auto wrong_one = run(&acknowledge, arguments);
  CHECK(wrong_one.status == failed);
  CHECK(wrong_one.err == "vtmirror: the daemon refused: ticket 43-6 is not that\n");
  arguments.ticket = "43-6&consumer=other";
  const auto no_ticket = run(&acknowledge, arguments);
  CHECK(no_ticket.status == failed);
  CHECK(no_ticket.err.find("is not the current ticket of warehouse") != std::string::npos);
  CHECK(daemon.requests().size() == 3);
  arguments.consumer = "nobody";
  const auto no_consumer = run(&acknowledge, arguments);
  CHECK(no_consumer.status == failed);
  CHECK(no_consumer.err == "vtmirror: no consumer is called nobody: `vtmirror consumers` lists them\n");
}

TEST_CASE("ack by a name that never asked says so, whatever the ticket looks like and without a daemon too") {
  const Place place;
  auto arguments = place.arguments(Command::ack);
  arguments.config = place.directory.write("vtmirror.toml",
                                           "[service]\nbase_url = \"https://api.example\"\n"
                                           "token_url = \"https://login.example/token\"\n"
                                           "scope = \"https://api.example/.default\"\n"
                                           "[credentials]\nclient_id = \"id\"\n"
                                           "[mirror]\nstate_directory = \"" +
                                               place.directory.path() + "\"\n");
  arguments.ticket = "b";
  const auto ended = run(&acknowledge, arguments);
  CHECK(ended.status == failed);
  CHECK(ended.err == "vtmirror: no consumer is called warehouse: `vtmirror consumers` lists them\n");
}

TEST_CASE("consumers lists them, and drops the one that is named") {
  const Place place;
  const report::ConsumerStatus status{.name = "warehouse",
                                      .created = test::instant("2026-11-18T08:00:00Z"),
                                      .asked = test::instant("2026-11-18T08:00:00Z")};
  const auto json = report::consumers_json({status});
  test::ControlServer daemon(place.socket,
                             {.answers = {{"GET /v1/consumers", test::answer(200, json)},
                                          {"POST /v1/forget?consumer=warehouse", test::answer(200, "{}")}}});
  auto arguments = place.arguments(Command::consumers);
  arguments.consumer.clear();
  const auto text = run(&consumers, arguments);
  CHECK(text.status == done);
  CHECK(text.out.find("warehouse  nothing         nothing to load yet") != std::string::npos);
  arguments.json = true;
  CHECK(run(&consumers, arguments).out == json);
  CHECK(run(&consumers, place.arguments(Command::consumers)).status == done);
  CHECK(daemon.requests().back() == "POST /v1/forget?consumer=warehouse");
}

TEST_CASE("wait ends when the day is complete, and with 1 after the time") {
  const Place place;
  const std::string complete = R"({"schema":1,"day":"2026-11-18","complete":true,"complete_through":"2026-11-19"})";
  const std::string incomplete = R"({"schema":1,"day":"2026-11-20","complete":false,"complete_through":"2026-11-19"})";
  test::ControlServer daemon(place.socket,
                             {.answers = {{"GET /v1/wait?timeout=50&through=2026-11-18", test::answer(200, complete)},
                                          {"GET /v1/wait?timeout=0&through=2026-11-20", test::answer(200, incomplete)},
                                          {"GET /v1/wait?timeout=0", test::answer(200, incomplete)}}});
  auto arguments = place.arguments(Command::wait);
  arguments.through = "2026-11-18";
  const auto over = run(&wait, arguments);
  CHECK(over.status == done);
  CHECK(over.out == "complete through 2026-11-19\n");
  arguments.through = "2026-11-20";
  arguments.timeout = "0s";
  const auto late = run(&wait, arguments);
  CHECK(late.status == failed);
  CHECK(late.out.empty());
  CHECK(late.err ==
        "vtmirror: the chain is not complete through 20 Nov after 0s: it is complete through 19 Nov; "
        "see `vtmirror coverage`\n");
  arguments.through.clear();
  CHECK(run(&wait, arguments).status == failed);
}

TEST_CASE("without a daemon and without settings nothing can be answered") {
  const Place place;
  for (auto* const command : {&next, &wait, &consumers}) {
    auto arguments = place.arguments(Command::next);
    if (command == &consumers) arguments.consumer.clear();
    arguments.timeout = "0s";
    CHECK(run(command, arguments).status == wrong);
  }
}

TEST_CASE("a wrong name, day or time is wrong usage, with a sentence") {
  const std::string long_name(65, 'x');
  CHECK(refused({"next", "a/b"}).text.find("must be 1 to 64 letters, digits, -, _ or ., not a/b") != std::string::npos);
  CHECK(refused({"next", ""}).text.find("must be 1 to 64 letters, digits, -, _ or ., not empty") != std::string::npos);
  for (const auto& words : std::vector<std::vector<const char*>>{{"next"},
                                                                 {"next", ""},
                                                                 {"next", long_name.c_str()},
                                                                 {"ack", "warehouse"},
                                                                 {"ack", "ware house", "43-7"},
                                                                 {"consumers", "--forget", ".."},
                                                                 {"consumers", "warehouse"},
                                                                 {"wait", "--through", "tomorrow"},
                                                                 {"wait", "--timeout", "soon"}}) {
    CAPTURE(words);
    const auto farewell = refused(words);
    CHECK(farewell.status == wrong);
    CHECK(farewell.text.starts_with("vtmirror: "));
  }
}

}  // namespace
}  // namespace vtmirror::cli
