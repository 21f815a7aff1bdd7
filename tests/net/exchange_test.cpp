#include "net/client.hpp"
#include "net/loopback.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

TEST_CASE("a request goes out as it was given, and its answer comes back whole") {
  std::string head;
  std::string body;
  LoopbackServer server([&](Peer& peer) {
    head = peer.request().value_or("");
    body = peer.body(9);
    peer.send(
        "HTTP/1.1 429 Slow down\r\nDate: Wed, 18 Nov 2026 08:07:12 GMT\r\nRetry-After: Wed, 18 Nov 2026 08:09:12 "
        "GMT\r\nContent-Length: 4\r\n\r\nwait");
  });
  Client client;
  const auto answer = client.exchange(
      {"POST", server.url("/token?x=y"), {{"Authorization", "Bearer t0ken"}, {"X-API-Key", "k"}}, "grant=all"});
  REQUIRE(answer);
  CHECK(head.starts_with("POST /token?x=y HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"));
  CHECK(head.find("\r\nAuthorization: Bearer t0ken\r\nX-API-Key: k\r\nContent-Length: 9\r\n") != std::string::npos);
  CHECK(body == "grant=all");
  CHECK(answer->status == 429);
  CHECK(answer->body == "wait");
  CHECK(answer->retry_after == std::chrono::seconds(120));
  REQUIRE(answer->date);
  CHECK(base::iso8601(*answer->date) == "2026-11-18T08:07:12Z");
}

TEST_CASE("a body is taken however it is framed") {
  const std::string rows[] = {
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\n\r\nhello",
      "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nhello",
  };
  for (const auto& text : rows) {
    CAPTURE(text);
    LoopbackServer server([&text](Peer& peer) {
      peer.request();
      peer.send(text);
    });
    Client client;
    const auto answer = client.exchange({.url = server.url("/")});
    REQUIRE(answer);
    CHECK(answer->body == "hello");
  }
}

TEST_CASE("an answer without a body is not waited for") {
  for (const char* text : {"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}) {
    CAPTURE(text);
    LoopbackServer server([text](Peer& peer) {
      peer.request();
      peer.send(text);
      peer.hang();
    });
    Client client;
    const auto answer = client.exchange({.url = server.url("/")});
    REQUIRE(answer);
    CHECK(answer->body.empty());
  }
}

TEST_CASE("a body may be as large as its limit and no larger") {
  struct Row {
    std::size_t size, limit;
    bool taken;
  };
  for (const Row row :
       {Row{100, 100, true}, Row{101, 100, false}, Row{1 << 20, 1 << 20, true}, Row{(1 << 20) + 1, 1 << 20, false}}) {
    CAPTURE(row.size);
    const std::string body(row.size, 'x');
    const std::string sized = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(row.size) + "\r\n\r\n" + body;
    const std::string open = "HTTP/1.1 200 OK\r\n\r\n" + body;
    for (const auto& text : {sized, open}) {
      LoopbackServer server([&text](Peer& peer) {
        peer.request();
        peer.send(text);
      });
      Client client;
      const auto answer = client.exchange({.url = server.url("/"), .body_limit = row.limit});
      CHECK(answer.has_value() == row.taken);
      if (answer) CHECK(answer->body == body);
      if (!answer) CHECK(answer.error().code == Errc::protocol);
    }
  }
}

TEST_CASE("a cut answer is unreachable, and a request is never sent twice") {
  for (const char* text : {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"}) {
    CAPTURE(text);
    LoopbackServer server([text](Peer& peer) {
      peer.request();
      peer.send(text);
    });
    Client client;
    const auto answer = client.exchange({.method = "PUT", .url = server.url("/credentials"), .body = "{}"});
    REQUIRE(!answer);
    CHECK(answer.error().code == Errc::unreachable);
    CHECK(server.connections() == 1);
  }
}

TEST_CASE("if only the status is wanted, a body that is too long, slow or truncated does not matter") {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  for (const auto& text :
       {head + "\r\n" + std::string(101, 'x'), head + "Content-Length: 5\r\n\r\nhel",
        head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhel", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    for (const bool hangs : {false, true}) {
      CAPTURE(text);
      CAPTURE(hangs);
      LoopbackServer server([&](Peer& peer) {
        peer.request();
        peer.send(text);
        if (hangs) peer.hang();
      });
      auto settings = quick();
      settings.answer_timeout = std::chrono::milliseconds(300);
      Client client(settings);
      const auto answer = client.exchange({.url = server.url("/"), .body_limit = 100, .status_only = true});
      REQUIRE(answer);
      CHECK(answer->status == 200);
      CHECK(answer->body.empty());
    }
  }
}

TEST_CASE("a header that would smuggle in another is refused, and its value is not shown") {
  LoopbackServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  Client client;
  for (const ports::Header& header : {ports::Header{"Authorization", "hush\r\nX: y"},
                                      {"X: y", "hush"},
                                      {"", "hush"},
                                      {"X", std::string("hush\0", 5)}}) {
    const auto answer = client.exchange({.url = server.url("/"), .headers = {header}});
    REQUIRE(!answer);
    CHECK(answer.error().code == Errc::config);
    CHECK(answer.error().detail.find("hush") == std::string::npos);
  }
  CHECK(client.exchange({.method = "GET /x HTTP/1.1\r\n", .url = server.url("/")}).error().code == Errc::config);
  CHECK(server.connections() == 0);
}

TEST_CASE("plain http and broken addresses are refused before anything is sent") {
  auto settings = quick();
  settings.allow_http = false;
  Client client(settings);
  CHECK(client.exchange({.url = "http://127.0.0.1:1/"}).error().code == Errc::config);
  CHECK(client.get("http://127.0.0.1:1/", 0, 1).error().code == Errc::config);
  CHECK(client.exchange({.url = "no address"}).error().code == Errc::protocol);
  CHECK(client.get("https://127.0.0.1/", 5, 5).error().code == Errc::config);
}
