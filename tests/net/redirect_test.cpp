#include "net/client.hpp"
#include "net/loopback.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

namespace {

std::string redirect(const std::string& location, int status = 302) {
  return "HTTP/1.1 " + std::to_string(status) + " Moved\r\nLocation: " + location + "\r\nContent-Length: 4\r\n\r\ngone";
}

/// "/N" leads to "/N-1" by a relative location, and "/0" is the object.
LoopbackServer::Script countdown() {
  return [](Peer& peer) {
    while (const auto head = peer.request()) {
      const int left = std::stoi(head->substr(5));
      peer.send(left > 0 ? redirect(std::to_string(left - 1)) : part_head(0, 2, 2) + "ab");
    }
  };
}

}  // namespace

TEST_CASE("up to five redirects are followed, on one connection where the host is the same") {
  LoopbackServer server(countdown());
  for (const int hops : {0, 1, 5}) {
    Client client;
    const auto answer = client.get(server.url("/" + std::to_string(hops)), 0, 2);
    REQUIRE(answer);
    CHECK(answer->status == 206);
    CHECK(*client.body() == "ab");
  }
  CHECK(server.connections() == 3);
}

TEST_CASE("a sixth redirect is refused") {
  LoopbackServer server(countdown());
  Client client;
  const auto answer = client.get(server.url("/6"), 0, 2);
  REQUIRE(!answer);
  CHECK(answer.error().code == Errc::protocol);
}

TEST_CASE("a redirect may lead to another host, and takes the range and no credential with it") {
  std::string head;
  LoopbackServer there([&head](Peer& peer) {
    head = peer.request().value_or("");
    peer.send(part_head(3, 5, 9) + "ab");
    peer.hang();
  });
  for (const int status : {301, 302, 303, 307, 308}) {
    LoopbackServer here(always(redirect(there.url("/b?sig=2"), status)));
    Client client;
    REQUIRE(client.get(here.url("/a?sig=1"), 3, 5));
    CHECK(*client.body() == "ab");
    CHECK(head.starts_with("GET /b?sig=2 HTTP/1.1\r\n"));
    CHECK(head.find("Range: bytes=3-4\r\n") != std::string::npos);
    CHECK(head.find("sig=1") == std::string::npos);
    CHECK(head.find("Referer") == std::string::npos);
  }
}

TEST_CASE("a redirect from https to plain http is refused") {
  const Trust trust;
  LoopbackServer there(store(10));
  LoopbackServer here(always(redirect(there.url("/b?secret=1"))), ServerTls{trust.authority.issue()});
  auto settings = trust.settings();
  settings.allow_http = false;
  Client client(settings);
  const auto answer = client.get(here.url("/a"), 0, 2);
  REQUIRE(!answer);
  CHECK(answer.error().code == Errc::protocol);
  CHECK(answer.error().detail.find("secret") == std::string::npos);
  CHECK(there.connections() == 0);
}

TEST_CASE("a redirect to an invalid address is refused") {
  for (const char* bad : {"https://user:pw@127.0.0.1/", "ftp://127.0.0.1/", "https://", "/a b"}) {
    CAPTURE(bad);
    LoopbackServer server(always(redirect(bad)));
    Client client;
    CHECK(client.get(server.url("/a"), 0, 2).error().code == Errc::protocol);
  }
}

TEST_CASE("a redirect without a location, and an exchange's redirect, are the caller's business") {
  LoopbackServer nowhere(always("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"));
  LoopbackServer elsewhere(always(redirect("/x")));
  Client client;
  CHECK(client.get(nowhere.url("/a"), 0, 2)->status == 302);
  CHECK(client.exchange({.url = elsewhere.url("/a")})->status == 302);
  CHECK(elsewhere.connections() == 1);
}
