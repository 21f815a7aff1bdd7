#include "control/caller.hpp"
#include "control/daemon.hpp"

#include <doctest/doctest.h>

#include <list>
#include <random>

namespace vtmirror::test {
namespace {

using std::chrono::milliseconds;

const std::string status_request = "GET /v1/status HTTP/1.1\r\nHost: vtmirror\r\n\r\n";

bool answers_somebody(const Daemon& daemon) { return Caller(daemon.path()).get("/v1/status").status == 200; }

Setup with(control::Limits limits) {
  Setup setup;
  setup.rules.limits = limits;
  return setup;
}

TEST_CASE("a silent client is disconnected") {
  Daemon daemon(with({.idle = milliseconds(250)}));
  CHECK(Caller(daemon.path()).hung_up());
  Caller kept(daemon.path());
  CHECK(kept.get("/v1/status").status == 200);
  CHECK(kept.hung_up());
}

TEST_CASE("an incomplete request gets an error, and its connection is closed") {
  Daemon daemon(with({.request = milliseconds(20)}));
  for (const auto* part :
       {"G", "status", "GET /v1/status HTTP/1.1\r\nHost: x", "GET /v1/status HTTP/1.1\r\nHost: x\r\n",
        "POST /v1/sync HTTP/1.1\r\nContent-Length: 10\r\n\r\n12345"}) {
    INFO(part);
    Caller caller(daemon.path());
    caller.send(part);
    CHECK(caller.reply().status == 408);
    CHECK(caller.hung_up());
  }
}

TEST_CASE("a client that sends byte by byte has no more time than another") {
  Daemon daemon(with({.request = milliseconds(60)}));
  Caller caller(daemon.path());
  caller.send("GET /v1/status HTTP/1.1\r\n");
  int sent = 0;
  while (sent < 4000 && !caller.anything_within(3)) {
    caller.send("x");
    ++sent;
  }
  CHECK(sent < 4000);
  CHECK(caller.reply().status == 408);
}

TEST_CASE("a header that is too large is refused, however it is made up") {
  Daemon daemon;
  const std::string line = "GET /v1/status HTTP/1.1\r\n";
  std::string many = line;
  for (int i = 0; i < 2000; ++i) many += "X: 1\r\n";
  for (const auto& request :
       {line + "X: " + std::string(9000, 'x') + "\r\n\r\n", many + "\r\n",
        "GET /" + std::string(9000, 'x') + " HTTP/1.1\r\n\r\n", line + "X: " + std::string(1 << 20, 'x')}) {
    Caller caller(daemon.path());
    // Not reset while it is still sending.
    CHECK(caller.send(request));
    CHECK(caller.reply().status == 431);
  }
  CHECK(Caller(daemon.path()).ask("GET", "/v1/status", "X: " + std::string(7000, 'x') + "\r\n").status == 200);
}

TEST_CASE("a body that is too large is refused, announced or not") {
  Daemon daemon;
  const std::string post = "POST /v1/sync HTTP/1.1\r\n";
  for (const auto& request : {post + "Content-Length: 4097\r\n\r\n", post + "Content-Length: 999999999999\r\n\r\n",
                              post + "Content-Length: 40960\r\n\r\n" + std::string(40960, 'x'),
                              post + "Content-Length: 33554432\r\n\r\n" + std::string(32 << 20, 'x'),
                              post + "Transfer-Encoding: chunked\r\n\r\n1001\r\n" + std::string(4097, 'x'),
                              post + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(60000, 'x')}) {
    Caller caller(daemon.path());
    CHECK(caller.send(request));
    CHECK(caller.reply().status == 413);
  }
  CHECK(daemon.on_loop([&] { return daemon.answers.cycles; }) == 0);
}

TEST_CASE("bytes that are not a request are refused") {
  Daemon daemon;
  for (const auto& bytes :
       {std::string("hello\r\n\r\n"), std::string("GET /v1/status\r\n\r\n"),
        std::string("GET /v1/status HTTP/2.0\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15), std::string(64, '\0'),
        std::string("GET /v1/sta\ntus HTTP/1.1\r\n\r\n"), std::string("GET  /v1/status HTTP/1.1\r\n\r\n"),
        std::string("GET /v1/status HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
        std::string("GET /v1/status HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("GET /v1/status HTTP/1.1\r\nbad header\r\n\r\n")}) {
    INFO(bytes);
    Caller caller(daemon.path());
    caller.send(bytes);
    CHECK(caller.reply().status == 400);
    CHECK(caller.hung_up());
  }
}

TEST_CASE("no bytes whatever harm the server") {
  Daemon daemon;
  const std::string seeds[] = {
      status_request, "status\r\n", "POST /v1/sync HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "GET /v1/changes?since=12 HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc"};
  for (unsigned seed = 1; seed <= 400; ++seed) {
    std::mt19937 dice(seed);
    std::string bytes = seeds[dice() % 4];
    for (auto changes = dice() % 6; changes > 0; --changes) {
      const auto at = dice() % bytes.size();
      if (dice() % 2 == 0) bytes[at] = static_cast<char>(dice() % 256);
      if (dice() % 4 == 0) bytes.erase(at, dice() % 9);
      if (dice() % 4 == 0) bytes.insert(std::min(at, bytes.size()), seeds[dice() % 4].substr(0, dice() % 40));
      if (bytes.empty()) bytes = "x";
    }
    Caller caller(daemon.path());
    caller.send(bytes);
    if (dice() % 2 == 0) caller.finish();
    if (dice() % 4 == 0) caller.anything_within(1);
  }
  CHECK(answers_somebody(daemon));
}

TEST_CASE("a client that does not read its answer is disconnected, and delays no other client") {
  Daemon daemon(with({.answer = milliseconds(100)}));
  daemon.on_loop([&] { daemon.answers.files_text = std::string(8 << 20, 'x'); });
  Caller slow(daemon.path());
  slow.send("GET /v1/files HTTP/1.1\r\n\r\n");
  CHECK(slow.anything_within(20'000));
  CHECK(answers_somebody(daemon));
  CHECK(daemon.comes_true([&] { return daemon.answers.asked_for_files == 1; }));
  // Nothing is read before the server has given up: only what the kernel held is there then.
  while (slow.send(status_request)) {
  }
  CHECK(slow.rest().size() < std::size_t{8} << 20);
}

TEST_CASE("a client that reads gets a large answer whole") {
  Daemon daemon;
  const std::string large(8 << 20, 'x');
  daemon.on_loop([&] { daemon.answers.files_text = large; });
  CHECK(Caller(daemon.path()).get("/v1/files").body == large);
}

TEST_CASE("a flood of silent connections leaves another client's status answered") {
  Daemon daemon;
  std::list<Caller> flood;
  for (int i = 0; i < 100; ++i) {
    flood.emplace_back(daemon.path());
    if (i % 10 == 0) CHECK(answers_somebody(daemon));
  }
  for (int i = 0; i < 10; ++i) CHECK(answers_somebody(daemon));
}

TEST_CASE("a flood of requests by one client leaves another client's status answered") {
  Daemon daemon;
  Caller greedy(daemon.path());
  std::string many;
  for (int i = 0; i < 2000; ++i) many += status_request;
  std::thread sender([&] { greedy.send(many); });
  for (int i = 0; i < 10; ++i) CHECK(answers_somebody(daemon));
  int answered = 0;
  while (answered < 2000 && greedy.reply().status == 200) ++answered;
  sender.join();
  CHECK(answered == 2000);
}

TEST_CASE(
    "the client that has been idle longest makes room for a new one, and gets an error unless it was answered before") {
  Daemon daemon(with({.clients = 2}));
  Caller kept(daemon.path());
  CHECK(kept.get("/v1/status").status == 200);
  Caller silent(daemon.path());
  Caller third(daemon.path());
  CHECK(third.get("/v1/status").status == 200);
  CHECK(kept.hung_up());
  Caller fourth(daemon.path());
  CHECK(fourth.get("/v1/status").status == 200);
  CHECK(silent.reply().status == 503);
  CHECK(third.get("/v1/status").status == 200);
}

TEST_CASE("a process that may open few descriptors has few clients, and one with many has as many as ever") {
  CHECK(control::limits_for(32).clients == 2);
  CHECK(control::limits_for(32).metrics_clients == 2);
  CHECK(control::limits_for(128).clients == 8);
  CHECK(control::limits_for(1024).clients == control::Limits().clients);
  CHECK(control::limits_for(~std::uint64_t{0}).clients == control::Limits().clients);
  CHECK(control::limits_for(1024).metrics_clients == control::Limits().metrics_clients);
}

TEST_CASE("a newcomer is turned away while every place is being served") {
  Daemon daemon(with({.clients = 2}));
  daemon.on_loop([&] { daemon.answers.hold_files = true; });
  Caller first(daemon.path()), second(daemon.path());
  first.send("GET /v1/files HTTP/1.1\r\n\r\n");
  second.send("GET /v1/files HTTP/1.1\r\n\r\n");
  REQUIRE(daemon.comes_true([&] { return daemon.answers.asked_for_files == 2; }));
  Caller third(daemon.path());
  const auto refused = third.get("/v1/status");
  CHECK(refused.status == 503);
  CHECK(refused.body.find("too_many_clients") != std::string::npos);
  CHECK(third.hung_up());
  daemon.on_loop([&] { daemon.answers.release_files(); });
  CHECK(first.reply().status == 200);
  CHECK(second.reply().status == 200);
  CHECK(answers_somebody(daemon));
}

TEST_CASE("the stop ends every conversation at once, even one that is being answered") {
  Daemon daemon;
  daemon.on_loop([&] { daemon.answers.hold_files = true; });
  Caller silent(daemon.path()), half(daemon.path()), held(daemon.path()), follower(daemon.path());
  half.send("GET /v1/sta");
  held.send("GET /v1/files HTTP/1.1\r\n\r\n" + status_request);
  follower.get("/v1/events");
  CHECK(follower.next_through("\n\n").starts_with("event: status\n"));
  REQUIRE(daemon.comes_true([&] { return daemon.answers.asked_for_files == 1; }));
  daemon.end();
  CHECK(silent.hung_up());
  CHECK(half.hung_up());
  CHECK(held.hung_up());
  CHECK(follower.hung_up());
  CHECK(::access(daemon.path().c_str(), F_OK) != 0);
  daemon.on_loop([&] { daemon.answers.release_files(); });
}

}  // namespace
}  // namespace vtmirror::test
