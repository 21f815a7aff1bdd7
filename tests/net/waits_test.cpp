#include "net/client.hpp"
#include "net/loopback.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <future>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using base::Errc;

namespace {

net::HttpSettings impatient() {
  auto settings = quick();
  settings.connect_timeout = 100ms;
  settings.answer_timeout = 80ms;
  settings.stall_timeout = 80ms;
  return settings;
}

/// Sends the head of a part of a megabyte, and `first` bytes of it; then nothing.
LoopbackServer::Script stalling(std::size_t first) {
  return [first](Peer& peer) {
    peer.request();
    peer.send(part_head(0, 1 << 20, 1 << 20) + std::string(first, 'x'));
    peer.hang();
  };
}

}  // namespace

TEST_CASE("a store that never answers is timed out") {
  LoopbackServer server([](Peer& peer) { peer.hang(); });
  Client client(impatient());
  const auto answer = client.get(server.url("/a?token=x"), 0, 5);
  REQUIRE(!answer);
  CHECK(answer.error().code == Errc::timed_out);
  CHECK(answer.error().detail.find("token") == std::string::npos);
  const auto exchanged = client.exchange({.url = server.url("/api")});
  REQUIRE(!exchanged);
  CHECK(exchanged.error().code == Errc::timed_out);
}

TEST_CASE("a TLS handshake that never ends is timed out") {
  LoopbackServer server([](Peer& peer) { peer.hang(); });
  Client client(impatient());
  const auto answer = client.get("https://127.0.0.1:" + std::to_string(server.port()) + "/", 0, 5);
  REQUIRE(!answer);
  CHECK(answer.error().code == Errc::timed_out);
}

TEST_CASE("a body that stops for the stall timeout is timed out, and the next get opens another connection") {
  for (const std::size_t first : {std::size_t{0}, std::size_t{1000}, std::size_t{1'000'000}}) {
    CAPTURE(first);
    LoopbackServer server(stalling(first));
    Client client(impatient());
    REQUIRE(client.get(server.url("/a"), 0, 1 << 20));
    const auto body = client.body();
    REQUIRE(!body);
    CHECK(body.error().code == Errc::timed_out);
    CHECK(body.error().detail.find("127.0.0.1:") != std::string::npos);
    CHECK(client.get(server.url("/a"), 0, 1 << 20));
    CHECK(server.connections() == 2);
  }
}

TEST_CASE("a trickle is no stall, however much is still to come") {
  constexpr int drops = 12;
  LoopbackServer server([](Peer& peer) {
    peer.request();
    peer.send(part_head(0, 1 << 20, 1 << 20));
    for (int i = 0; i < drops; ++i) {
      peer.linger(25);
      peer.send("0123456789");
    }
    peer.send(std::string((1 << 20) - 10 * drops, 'x'));
    peer.hang();
  });
  Client client(impatient());
  REQUIRE(client.get(server.url("/a"), 0, 1 << 20));
  const auto body = client.body();
  REQUIRE(body);
  CHECK(body->size() == 1 << 20);
}

namespace {

/// What ends the waits of a client: the stop signal, or the lane's close.
struct Ending {
  const char* name;
  void (*end)(Client&);
};
const Ending endings[] = {{"stop", [](Client& client) { client.stop.request(); }},
                          {"close", [](Client& client) { client.lane->close(); }}};

/// Ends the client's wait when the server has its first byte, and keeps silent.
LoopbackServer::Script ends(Client& client, void (*end)(Client&)) {
  return [&client, end](Peer& peer) {
    peer.first_byte();
    client.post([&client, end] { end(client); });
    peer.hang();
  };
}

}  // namespace

TEST_CASE("a stop or a close ends the wait for an answer and for a handshake with cancelled") {
  for (const auto& ending : endings) {
    for (const char* scheme : {"http", "https"}) {
      CAPTURE(ending.name);
      CAPTURE(scheme);
      Client client;
      LoopbackServer server(ends(client, ending.end));
      const auto answer = client.get(std::string(scheme) + "://127.0.0.1:" + std::to_string(server.port()) + "/", 0, 5);
      REQUIRE(!answer);
      CHECK(answer.error().code == Errc::cancelled);
    }
  }
}

TEST_CASE("a stop or a close ends the wait for a body with cancelled") {
  for (const auto& ending : endings) {
    CAPTURE(ending.name);
    LoopbackServer server(stalling(10));
    Client client;
    REQUIRE(client.get(server.url("/a"), 0, 1 << 20));
    std::byte ten[10];
    std::size_t all = 0;
    while (all < 10) all += client.read(ten).value();
    const auto got = client.read_while(ten, [&] { ending.end(client); });
    REQUIRE(!got);
    CHECK(got.error().code == Errc::cancelled);
    CHECK(client.read(ten).error().code == Errc::cancelled);
  }
}

TEST_CASE("a stop ends an exchange and the search for a name with cancelled") {
  Client client;
  LoopbackServer server(ends(client, endings[0].end));
  CHECK(client.exchange({.url = server.url("/api")}).error().code == Errc::cancelled);
  Client other;
  const auto answer = run(other.loop, other.lane->get("https://never.invalid/", core::Range{0, 5}, ""),
                          [&other] { other.stop.request(); });
  CHECK(answer.error().code == Errc::cancelled);
}

TEST_CASE("an exchange whose answer comes but once outlasts a stop from the moment it is sent") {
  Client client;
  std::promise<void> stopped;
  LoopbackServer server([&](Peer& peer) {
    peer.request();
    client.post([&] {
      client.stop.request();
      stopped.set_value();
    });
    stopped.get_future().wait();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nonce");
  });
  const auto answer = client.exchange({.url = server.url("/api"), .outlasts_stop = true});
  REQUIRE_MESSAGE(answer, answer.error().detail);
  CHECK(answer->body == "once");
}

TEST_CASE("an exchange that may outlast a stop is not begun after one, and still has its deadline") {
  LoopbackServer silent([](Peer& peer) { peer.hang(); });
  Client client(impatient());
  CHECK(client.exchange({.url = silent.url("/api"), .outlasts_stop = true}).error().code == Errc::timed_out);
  client.stop.request();
  bool sent = false;
  const auto late =
      client.exchange({.url = silent.url("/api"), .sending = [&] { sent = true; }, .outlasts_stop = true});
  CHECK(late.error().code == Errc::cancelled);
  CHECK_FALSE(sent);
}

TEST_CASE("after a stop nothing is begun") {
  LoopbackServer server(store(10));
  Client client;
  client.stop.request();
  CHECK(client.get(server.url("/a"), 0, 5).error().code == Errc::cancelled);
  CHECK(client.exchange({.url = server.url("/api")}).error().code == Errc::cancelled);
  CHECK(server.connections() == 0);
}

TEST_CASE("a lane that was closed can be used again") {
  LoopbackServer server(store(100));
  Client client;
  client.lane->close();
  REQUIRE(client.get(server.url("/a"), 0, 100));
  std::byte buffer[10];
  REQUIRE(client.read(buffer));
  client.lane->close();
  CHECK(client.read(buffer).error().code == Errc::cancelled);
  REQUIRE(client.get(server.url("/a"), 0, 100));
  CHECK(*client.body() == object_bytes(0, 100));
}

TEST_CASE("a lane that is destroyed in the middle of a body leaves nothing behind") {
  LoopbackServer server(stalling(10));
  Client client;
  REQUIRE(client.get(server.url("/a"), 0, 1 << 20));
  std::byte buffer[10];
  REQUIRE(client.read(buffer));
  client.lane.reset();
  client.loop.restart();
  client.loop.run();  // returns at once: no timer is left
  client.stop.request();
}
