#include "vtmirror/client/control_client.hpp"

#include "support/control_server.hpp"
#include "support/directory.hpp"
#include "vtmirror/client/control_events.hpp"
#include "vtmirror/core/cause_json.hpp"
#include "vtmirror/core/request.hpp"
#include "vtmirror/report/advice.hpp"

#include <doctest/doctest.h>
#include <boost/json/serialize.hpp>

#include <array>
#include <chrono>
#include <string>
#include <vector>

namespace vtmirror::client {
namespace {

using base::Errc;

constexpr std::chrono::seconds long_enough{30};
constexpr std::chrono::milliseconds short_enough{20};

base::Result<std::string> asked(const std::string& raw_answer) {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), {.answers = {{"GET /v1/status", raw_answer}}});
  return client::ask(server.path(), {"GET", "/v1/status"}, long_enough);
}

TEST_CASE("an answer is its body, however its length is given") {
  for (const std::string& raw :
       {test::answer(200, R"({"a":1})"), std::string("HTTP/1.1 200 OK\r\n\r\n{\"a\":1}"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n")}) {
    const auto body = asked(raw);
    INFO(raw);
    REQUIRE(body.has_value());
    CHECK(*body == R"({"a":1})");
  }
}

TEST_CASE("a question is one request of HTTP/1.1") {
  const test::Directory directory;
  test::ControlServer server(directory.path("s"), {.answers = {{"POST /v1/sync", test::answer(202, "")}}});
  CHECK(ask(server.path(), {"POST", "/v1/sync"}, long_enough).has_value());
  CHECK(server.requests() == std::vector<std::string>{"POST /v1/sync"});
}

TEST_CASE("a large answer comes whole") {
  const std::string large(3'000'000, 'x');
  const auto body = asked(test::answer(200, large));
  REQUIRE(body.has_value());
  CHECK(*body == large);
}

TEST_CASE("an answer that declares more than any daemon sends is refused before it is read") {
  const auto body = asked("HTTP/1.1 200 OK\r\nContent-Length: 300000000000\r\n\r\n");
  REQUIRE(body.has_error());
  CHECK(body.error().code == Errc::protocol);
}

TEST_CASE("a refusal says why, in the daemon's words where it has some") {
  const auto forbidden = asked(test::answer(403, R"({"error":{"code":"forbidden","message":"only root may"}})"));
  REQUIRE(forbidden.has_error());
  CHECK(forbidden.error().code == Errc::forbidden);
  CHECK(forbidden.error().detail == "the daemon refused: only root may");
  for (const auto* body : {"", "no", "[]", R"({"error":7})", R"({"error":{"message":7}})"}) {
    const auto failure = asked(test::answer(500, body));
    REQUIRE(failure.has_error());
    CHECK(failure.error().code == Errc::http_status);
    CHECK(failure.error().status == 500);
    CHECK(failure.error().detail == "the daemon refused with status 500");
  }
}

TEST_CASE("what the daemon's work met is said in its words, with its code") {
  const auto failure =
      asked(test::answer(500, R"({"error":{"code":"empty_listing","message":"the service lists no file"}})"));
  REQUIRE(failure.has_error());
  CHECK(failure.error().code == Errc::http_status);
  CHECK(failure.error().detail == "the service lists no file");
  CHECK(failure.error().met == Errc::empty_listing);
  CHECK(failure.error().service_code.empty());
}

TEST_CASE("a message of several lines keeps them, and no control character of it reaches a terminal") {
  const auto failure = asked(test::answer(
      400,
      R"({"error":{"code":"config","message":"x could be any:\n  a/x\u001b[2J\n  b/x\nsee `vtmirror files`\r"}})"));
  REQUIRE(failure.has_error());
  CHECK(report::error_lines(failure.error()) ==
        "vtmirror: x could be any:\nvtmirror:   a/x?[2J\nvtmirror:   b/x\nvtmirror: see `vtmirror files` \n");
  const std::string longest(900, 'l');
  const auto endless = asked(
      test::answer(400, R"({"error":{"code":"config","message":")" + longest + "\\n" + longest + longest + R"("}})"));
  REQUIRE(endless.has_error());
  CHECK(endless.error().detail == longest + '\n' + std::string(99, 'l'));
}

TEST_CASE("what the daemon's work met comes whole, with the advice that the daemon's own process would give") {
  base::Error met{.code = Errc::forbidden, .detail = "token request to login.example failed: HTTP 401", .status = 401};
  met.service_code = std::string(core::wrong_secret);
  met.subject = core::name(core::ServiceRequest::token);
  met.why = "HTTP 401";
  const boost::json::object error{
      {"code", base::name(met.code)}, {"message", met.detail}, {"cause", core::cause_json(core::whole_cause_of(met))}};
  const auto failure = asked(test::answer(500, boost::json::serialize(boost::json::object{{"error", error}})));
  REQUIRE(failure.has_error());
  CHECK(failure.error().service_code == core::wrong_secret);
  CHECK(failure.error().status == 401);
  CHECK(report::error_lines(failure.error()) == report::error_lines(met));
  CHECK(report::error_lines(met).find("the secret's value and not its ID") != std::string::npos);
}

TEST_CASE("if no process listens, the error names the path") {
  const test::Directory directory;
  const auto path = directory.path("nobody");
  for (const auto& file : {path, directory.write("plain", "text")}) {
    const auto body = client::ask(file, {"GET", "/v1/status"}, long_enough);
    REQUIRE(body.has_error());
    CHECK(body.error().code == Errc::unreachable);
    CHECK(body.error().detail.starts_with("no daemon answers at " + file + ": "));
  }
  CHECK(ask(std::string(200, 's'), {"GET", "/"}, long_enough).error().code == Errc::unreachable);
  CHECK(ask("", {"GET", "/"}, long_enough).error().code == Errc::unreachable);
}

TEST_CASE("a daemon that says nothing is given up at the deadline") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), {.silent = true});
  const auto silence = ask(server.path(), {"GET", "/v1/status"}, short_enough);
  CHECK(silence.error().code == Errc::timed_out);
  CHECK(silence.error().detail == "the daemon at " + server.path() + " does not answer in time");
  CHECK(EventStream::open(server.path(), short_enough).error().code == Errc::timed_out);
}

TEST_CASE("an answer that is cut counts as none, and what is not HTTP is refused") {
  CHECK(asked("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{").error().code == Errc::unreachable);
  CHECK(asked("HTTP/1.1 200").error().code == Errc::unreachable);
  CHECK(asked("").error().code == Errc::unreachable);
  CHECK(asked("220 mail.example ready\r\n").error().code == Errc::protocol);
}

std::vector<DaemonEvent> events_of(EventText& text) {
  std::vector<DaemonEvent> events;
  while (auto next = text.next()) events.push_back(std::move(*next));
  return events;
}

TEST_CASE("the text of events may be cut anywhere") {
  const std::string whole =
      ": hello\n\nevent: status\r\ndata: {\"a\":\r\ndata: 1}\r\nid: 7\r\n\r\nevent:cycle\ndata:{}\n\n"
      "event: nothing\n\ndata: unnamed\n\nevent: cut\ndata: off\n";
  const std::vector<DaemonEvent> expected{{"status", "{\"a\":\n1}"}, {"cycle", "{}"}, {"", "unnamed"}};
  for (std::size_t first = 0; first <= whole.size(); ++first) {
    EventText text;
    text.feed(whole.substr(0, first));
    auto events = events_of(text);
    text.feed(whole.substr(first));
    for (auto& each : events_of(text)) events.push_back(std::move(each));
    REQUIRE(events == expected);
  }
}

TEST_CASE("events are followed one by one until the daemon has gone") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"),
                                   {.answers = {{"GET /v1/events", test::events_header + test::event("status", "{}") +
                                                                       test::event("cycle", "{\"a\":1}")}}});
  auto stream = EventStream::open(server.path(), long_enough);
  REQUIRE(stream.has_value());
  const auto first = stream->next(long_enough);
  const auto second = stream->next(long_enough);
  REQUIRE(first.has_value());
  REQUIRE(second.has_value());
  CHECK(*first == DaemonEvent{"status", "{}"});
  CHECK(*second == DaemonEvent{"cycle", "{\"a\":1}"});
  CHECK(stream->next(long_enough).error().code == Errc::unreachable);
}

TEST_CASE("a quiet daemon is waited for no longer than asked, and no longer than until a signal") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), {.events = test::events_header + test::event("status", "{}")});
  auto stream = EventStream::open(server.path(), long_enough);
  REQUIRE(stream.has_value());
  CHECK(stream->next(long_enough).value() == DaemonEvent{"status", "{}"});
  CHECK_FALSE(stream->next(std::chrono::milliseconds(1)).value().has_value());
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  REQUIRE(::write(pipe[1], "x", 1) == 1);
  CHECK(stream->next(long_enough, pipe[0]).error().code == Errc::cancelled);
  for (const int end : pipe) ::close(end);
}

TEST_CASE("a daemon that says nothing for long, not even that it is there, hangs") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), {.events = test::events_header + test::event("status", "{}")});
  auto stream = EventStream::open(server.path(), long_enough, std::chrono::milliseconds(1));
  REQUIRE(stream.has_value());
  CHECK(stream->next(long_enough).value() == DaemonEvent{"status", "{}"});
  const auto silent = stream->next(long_enough);
  REQUIRE(silent.has_error());
  CHECK(silent.error().code == Errc::unreachable);
  CHECK(silent.error().detail == "the daemon hangs, and has said nothing for 1s");
}

TEST_CASE("a daemon that does not let itself be followed is an error") {
  const test::Directory directory;
  const test::ControlServer server(directory.path("s"), {.answers = {{"GET /v1/events", test::answer(503, "{}")}}});
  CHECK(EventStream::open(server.path(), long_enough).error().status == 503);
}

}  // namespace
}  // namespace vtmirror::client
