// What consumers ask on the socket: their parameters, and who may change anything.
#include "control/caller.hpp"
#include "control/daemon.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace vtmirror::test {
namespace {

/// A body of the request, with its length.
std::string with(const std::string& body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Reply post(Caller& caller, const std::string& target, const std::string& body) {
  caller.send("POST " + target + " HTTP/1.1\r\nHost: vtmirror\r\n" + with(body));
  return caller.reply();
}

TEST_CASE("a consumer is answered what it loads next, and the daemon learns whether it may be recorded") {
  Daemon daemon;
  Caller caller(daemon.path());
  CHECK(caller.get("/v1/next?consumer=warehouse").body == "{\"next\":\"warehouse\",\"kept\":true}\n");
  CHECK(caller.get("/v1/consumers").body == "{\"consumers\":[]}\n");
  Setup setup;
  setup.rules.peer_uid = [](int) { return std::optional<unsigned>(::geteuid() + 1); };
  Daemon other(setup);
  Caller stranger(other.path());
  CHECK(stranger.get("/v1/next?consumer=warehouse").body == "{\"next\":\"warehouse\",\"kept\":false}\n");
}

TEST_CASE("a ticket comes behind the path, as a form, or as JSON") {
  Daemon daemon;
  Caller caller(daemon.path());
  const std::string accepted = "{\"acknowledged\":\"warehouse 1-1\"}\n";
  CHECK(caller.ask("POST", "/v1/ack?consumer=warehouse&ticket=1-1").body == accepted);
  CHECK(post(caller, "/v1/ack", "consumer=warehouse&ticket=1-1").body == accepted);
  CHECK(post(caller, "/v1/ack", R"({"consumer": "warehouse", "ticket": "1-1"})").body == accepted);
  CHECK(post(caller, "/v1/ack?consumer=warehouse", R"({"ticket": "1-1"})").body == accepted);
  CHECK(caller.ask("POST", "/v1/forget?consumer=warehouse").body == "{\"forgotten\":\"warehouse\"}\n");
}

TEST_CASE("a ticket that is refused is a conflict, with the reason") {
  Daemon daemon;
  Caller caller(daemon.path());
  const auto reply = caller.ask("POST", "/v1/ack?consumer=warehouse&ticket=1-2");
  CHECK(reply.status == 409);
  CHECK(reply.body == "{\"schema\":1,\"error\":{\"code\":\"refused\",\"message\":\"no such ticket\"}}\n");
}

TEST_CASE("only root and the daemon's user may acknowledge or drop a consumer") {
  Setup setup;
  setup.rules.peer_uid = [](int) { return std::optional<unsigned>(::geteuid() + 1); };
  Daemon daemon(setup);
  Caller caller(daemon.path());
  CHECK(caller.ask("POST", "/v1/ack?consumer=warehouse&ticket=1-1").status == 403);
  CHECK(caller.ask("POST", "/v1/forget?consumer=warehouse").status == 403);
  CHECK(daemon.on_loop([&] { return daemon.answers.acknowledgements; }) == 0);
}

constexpr char wait_for_18[] = "GET /v1/wait?through=2026-11-18 HTTP/1.1\r\nHost: vtmirror\r\n\r\n";

Setup with(control::Limits limits) {
  Setup setup;
  setup.rules.limits = limits;
  return setup;
}

/// Looks often, as no daemon would.
Setup hasty() { return with({.look = std::chrono::milliseconds(2)}); }

TEST_CASE("a day that is complete is answered at once, today's delta where none is given") {
  Daemon daemon;
  daemon.answers.complete = true;
  Caller caller(daemon.path());
  CHECK(caller.get("/v1/wait?through=2026-11-18&timeout=5").body == "{\"through\":\"2026-11-18\",\"complete\":true}\n");
  CHECK(caller.get("/v1/wait").body == "{\"through\":\"today\",\"complete\":true}\n");
}

TEST_CASE("a day is waited for until it is complete, or until the time is over") {
  Daemon daemon(hasty());
  Caller caller(daemon.path());
  const std::string incomplete = "{\"through\":\"2026-11-18\",\"complete\":false}\n";
  CHECK(caller.get("/v1/wait?through=2026-11-18&timeout=0").body == incomplete);
  CHECK(caller.get("/v1/wait?through=2026-11-18&timeout=1").body == incomplete);
  caller.send(wait_for_18);
  const int looks = daemon.on_loop([&] { return daemon.answers.looks; });
  CHECK(daemon.comes_true([&] { return daemon.answers.looks > looks + 3; }));
  CHECK_FALSE(caller.anything_within(0));
  daemon.on_loop([&] { daemon.answers.complete = true; });
  CHECK(caller.reply().body == "{\"through\":\"2026-11-18\",\"complete\":true}\n");
  // The connection stays, and what was sent while it waited is its next request.
  daemon.on_loop([&] { daemon.answers.complete = false; });
  caller.send(wait_for_18);
  caller.send("GET /v1/consumers HTTP/1.1\r\nHost: vtmirror\r\n\r\n");
  CHECK_FALSE(caller.anything_within(20));
  daemon.on_loop([&] { daemon.answers.complete = true; });
  CHECK(caller.reply().status == 200);
  CHECK(caller.reply().body == "{\"consumers\":[]}\n");
}

TEST_CASE("today's delta stays the day that is waited for when the next day begins") {
  Daemon daemon(hasty());
  daemon.answers.todays_delta = *base::parse_date("2026-11-18");
  Caller caller(daemon.path());
  caller.send("GET /v1/wait HTTP/1.1\r\nHost: vtmirror\r\n\r\n");
  CHECK(daemon.comes_true([&] { return daemon.answers.looks > 0; }));
  daemon.on_loop([&] {
    daemon.answers.todays_delta = *base::parse_date("2026-11-19");
    daemon.answers.complete = true;
  });
  CHECK(caller.reply().body == "{\"through\":\"2026-11-18\",\"complete\":true}\n");
}

TEST_CASE("clients that wait for a day leave places for others, and give theirs back when they go") {
  Daemon daemon(with({.clients = 4, .waiters = 2, .look = std::chrono::milliseconds(2)}));
  std::optional<Caller> first, second;
  for (auto* waiter : {&first, &second}) waiter->emplace(daemon.path()).send(wait_for_18);
  CHECK(daemon.comes_true([&] { return daemon.answers.looks >= 4; }));
  Caller other(daemon.path());
  const auto refused = other.get("/v1/wait?through=2026-11-18");
  CHECK(refused.status == 503);
  CHECK(refused.body.find("\"too_many_waiters\"") != std::string::npos);
  CHECK(other.get("/v1/consumers").status == 200);
  // One goes, and one says that it will send no more, which no client of this socket does that still waits.
  first.reset();
  second->finish();
  CHECK(second->hung_up());
  std::optional<Caller> third, fourth;
  for (auto* waiter : {&third, &fourth}) waiter->emplace(daemon.path()).send(wait_for_18);
  CHECK_FALSE(fourth->anything_within(20));
  daemon.on_loop([&] { daemon.answers.complete = true; });
  CHECK(third->reply().status == 200);
  CHECK(fourth->reply().status == 200);
}

TEST_CASE("a client that sends without end while it waits is hung up on") {
  Daemon daemon(with({.header = 1 << 20}));
  Caller caller(daemon.path());
  caller.send(wait_for_18);
  CHECK_FALSE(caller.send(std::string(4 << 20, 'x')));
}

TEST_CASE("a wrong parameter of a consumer is a bad request") {
  Daemon daemon;
  Caller caller(daemon.path());
  for (const auto* target :
       {"/v1/next", "/v1/next?consumer=", "/v1/next?consumer=a/b", "/v1/next?consumer=..", "/v1/next?name=a",
        "/v1/next?consumer=a&more=1", "/v1/next?consumer", "/v1/wait?through=tomorrow", "/v1/wait?timeout=61",
        "/v1/wait?timeout=x", "/v1/wait?day=2026-11-18"}) {
    CAPTURE(target);
    CHECK(caller.get(target).status == 400);
  }
  CHECK(caller.get("/v1/next?consumer=" + std::string(65, 'x')).status == 400);
  CHECK(caller.ask("POST", "/v1/ack?consumer=warehouse").status == 400);
  CHECK(caller.ask("POST", "/v1/ack?ticket=1-1").status == 400);
  CHECK(post(caller, "/v1/ack", R"({"consumer": "warehouse", "ticket": 1})").status == 400);
  CHECK(post(caller, "/v1/ack", R"({"consumer": )").status == 400);
  CHECK(caller.get("/v1/ack?consumer=warehouse&ticket=1-1").status == 405);
  CHECK(daemon.on_loop([&] { return daemon.answers.acknowledgements; }) == 0);
}

}  // namespace
}  // namespace vtmirror::test
