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

TEST_CASE("a day is waited for, today's delta where none is given, for a minute at most") {
  Daemon daemon;
  Caller caller(daemon.path());
  CHECK(caller.get("/v1/wait?through=2026-11-18&timeout=5").body == "{\"through\":\"2026-11-18\",\"limit\":5000}\n");
  CHECK(caller.get("/v1/wait").body == "{\"through\":\"today\",\"limit\":60000}\n");
  CHECK(caller.get("/v1/wait?timeout=0").body == "{\"through\":\"today\",\"limit\":0}\n");
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
