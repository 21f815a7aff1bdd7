#include "net/client.hpp"
#include "net/loopback.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

TEST_CASE("a range is asked for and its bytes arrive with what the store says of them") {
  std::string head;
  LoopbackServer server([&head](Peer& peer) {
    head = peer.request().value_or("");
    peer.send(part_head(100, 300, 1000, "Content-Type: application/zip\r\n") + object_bytes(100, 300));
    peer.hang();
  });
  Client client;
  const auto answer = client.get(server.url("/a.zip?X-Amz-Signature=abc"), 100, 300, "\"v1\"");
  REQUIRE(answer);
  CHECK(answer->status == 206);
  CHECK(answer->range == core::Range{100, 300});
  CHECK(answer->total == 1000);
  CHECK(answer->length == 200);
  CHECK(answer->etag == "\"v1\"");
  CHECK(answer->content_type == "application/zip");
  CHECK(*client.body() == object_bytes(100, 300));
  CHECK(head.starts_with("GET /a.zip?X-Amz-Signature=abc HTTP/1.1\r\n"));
  CHECK(head.find("\r\nRange: bytes=100-299\r\n") != std::string::npos);
  CHECK(head.find("\r\nIf-Match: \"v1\"\r\n") != std::string::npos);
  CHECK(head.find("Authorization") == std::string::npos);
}

TEST_CASE("offsets beyond 4 GiB keep all their digits") {
  const std::int64_t total = 40'000'000'000;
  LoopbackServer server(store(total));
  Client client;
  for (const std::int64_t begin : {std::int64_t{5'000'000'000}, (std::int64_t{1} << 32) - 7, total - 50}) {
    const auto answer = client.get(server.url("/bulk"), begin, begin + 50);
    REQUIRE(answer);
    CHECK(answer->range == core::Range{begin, begin + 50});
    CHECK(answer->total == total);
    CHECK(*client.body() == object_bytes(begin, begin + 50));
  }
}

TEST_CASE("a large body arrives whole whatever the size of the reads") {
  const std::int64_t size = 3'000'017;
  for (const bool secure : {false, true}) {
    const Trust trust;
    LoopbackServer server(store(size), secure ? std::optional(ServerTls{trust.authority.issue()}) : std::nullopt);
    Client client(trust.settings());
    for (const std::size_t piece : {std::size_t{70'001}, std::size_t{256} << 10, std::size_t{4} << 20}) {
      REQUIRE(client.get(server.url("/a"), 0, size));
      const auto body = client.body(piece);
      REQUIRE(body);
      CHECK(*body == object_bytes(0, size));
    }
    CHECK(server.connections() == 1);
  }
}

TEST_CASE("a store that ignores ranges is recognised by its 200") {
  LoopbackServer server(always("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole"));
  Client client;
  const auto answer = client.get(server.url("/a"), 2, 4);
  REQUIRE(answer);
  CHECK(answer->status == 200);
  CHECK(!answer->range);
  CHECK(answer->total == 5);
  CHECK(*client.body() == "whole");
}

TEST_CASE("a range other than the one that was asked for is reported as it is") {
  LoopbackServer server(always(part_head(0, 4, 9) + "abcd"));
  Client client;
  const auto answer = client.get(server.url("/a"), 5, 9);
  REQUIRE(answer);
  CHECK(answer->range == core::Range{0, 4});
}

TEST_CASE("an answer of 416 contains the object's size") {
  LoopbackServer server(
      always("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */77\r\nContent-Length: 0\r\n\r\n"));
  Client client;
  const auto answer = client.get(server.url("/a"), 77, 78);
  REQUIRE(answer);
  CHECK(answer->status == 416);
  CHECK(answer->total == 77);
  CHECK(*client.body() == "");
}

TEST_CASE("a refusal brings its body, so that its reason can be read") {
  LoopbackServer server(always("HTTP/1.1 403 Forbidden\r\nRetry-After: 7\r\nContent-Length: 3\r\n\r\n<x>"));
  Client client;
  const auto answer = client.get(server.url("/a"), 0, 1);
  REQUIRE(answer);
  CHECK(answer->status == 403);
  CHECK(answer->retry_after == std::chrono::seconds(7));
  CHECK(*client.body() == "<x>");
}

TEST_CASE("a body that is cut is unreachable, and what came before is kept") {
  for (const std::string& head :
       {part_head(0, 100, 100),
        std::string("HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes 0-99/100\r\n\r\n32\r\n")}) {
    LoopbackServer server([head](Peer& peer) {
      peer.request();
      peer.send(head + std::string(50, 'x'));
    });
    Client client;
    REQUIRE(client.get(server.url("/a"), 0, 100));
    std::byte buffer[200];
    std::size_t all = 0;
    auto got = client.read(buffer);
    for (; got && *got > 0; got = client.read(buffer)) all += *got;
    CHECK(all == 50);
    REQUIRE(!got);
    CHECK(got.error().code == Errc::unreachable);
  }
}

TEST_CASE("a chunked part is unwrapped and held to the length of its range") {
  const std::string head = "HTTP/1.1 206 P\r\nTransfer-Encoding: chunked\r\nContent-Range: bytes 0-9/10\r\n\r\n";
  struct Row {
    std::string chunks;
    std::optional<std::string> body;
    Errc error{};
  };
  const Row rows[] = {
      {"4\r\n0123\r\n6;x=y\r\n456789\r\n0\r\n\r\n", "0123456789"},
      {"A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n", "0123456789"},
      {"4\r\n0123\r\n0\r\n\r\n", std::nullopt, Errc::unreachable},
      {"B\r\n0123456789X\r\n0\r\n\r\n", std::nullopt, Errc::protocol},
      {"zz\r\n", std::nullopt, Errc::protocol},
      {"fffffffffffffffff\r\n", std::nullopt, Errc::protocol},
  };
  for (const auto& row : rows) {
    CAPTURE(row.chunks);
    LoopbackServer server(always(head + row.chunks));
    Client client;
    REQUIRE(client.get(server.url("/a"), 0, 10));
    const auto body = client.body();
    CHECK(body.has_value() == row.body.has_value());
    if (body && row.body) CHECK(*body == *row.body);
    if (!body) CHECK(body.error().code == row.error);
    if (!row.body) continue;
    REQUIRE(client.get(server.url("/a"), 0, 10));
    CHECK(server.connections() == 1);
  }
}

TEST_CASE("answers that cannot be trusted are protocol errors") {
  const std::string ok = "HTTP/1.1 206 P\r\nContent-Range: bytes 0-4/5\r\n";
  const std::string rows[] = {
      "SSH-2.0-OpenSSH\r\n\r\n",
      ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
      ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde",
      ok + "Content-Length: -5\r\n\r\nabcde",
      ok + "Content-Length: 5, 5\r\n\r\nabcde",
      ok + "Content-Length: 99999999999999999999\r\n\r\nabcde",
      ok + "Content-Length: 4\r\n\r\nabcd",
      ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
      ok + "Transfer-Encoding: gzip\r\n\r\nabcde",
      ok + "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
      ok + "Content-Range: bytes 0-4/6\r\nContent-Length: 5\r\n\r\nabcde",
      "HTTP/1.1 206 P\r\nContent-Length: 5\r\n\r\nabcde",
      "HTTP/1.1 206 P\r\nContent-Range: bytes 4-0/5\r\nContent-Length: 5\r\n\r\nabcde",
      "HTTP/1.1 206 P\r\nContent-Type: multipart/byteranges; boundary=x\r\nContent-Length: 5\r\n\r\nabcde",
      "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: " + std::string(40'000, 'a') + "\r\n\r\n",
      "HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n",
      std::string(60'000, 'a'),
  };
  for (const auto& text : rows) {
    CAPTURE(text.substr(0, 120));
    LoopbackServer server([&text](Peer& peer) {
      peer.request();
      peer.send(text);
      peer.hang();
    });
    Client client;
    const auto answer = client.get(server.url("/a?secret=1"), 0, 5);
    REQUIRE(!answer);
    CHECK(answer.error().code == Errc::protocol);
    CHECK(answer.error().detail.find("secret") == std::string::npos);
    CHECK(answer.error().detail.find("127.0.0.1:") != std::string::npos);
  }
}

TEST_CASE("interim answers are passed over") {
  LoopbackServer server(
      always("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + part_head(0, 2, 2) + "ab"));
  Client client;
  REQUIRE(client.get(server.url("/a"), 0, 2));
  CHECK(*client.body() == "ab");
}

TEST_CASE("one connection serves many ranges, an unread short body too") {
  LoopbackServer server(store(1 << 20));
  Client client;
  for (std::int64_t begin = 0; begin < 500; begin += 100) {
    REQUIRE(client.get(server.url("/a"), begin, begin + 100));
    if (begin % 200 == 0) CHECK(*client.body() == object_bytes(begin, begin + 100));
  }
  CHECK(server.connections() == 1);
}

TEST_CASE("a connection is not used again where a long body was left, the store closes it, or bytes came unasked") {
  const std::string rows[] = {
      part_head(0, 4, 4, "Connection: close\r\n") + "abcd",
      part_head(0, 4, 4) + "abcdHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      part_head(0, 1'000'000, 1'000'000),
      "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nabcd",
  };
  for (const auto& text : rows) {
    CAPTURE(text);
    LoopbackServer server(always(text));
    Client client;
    REQUIRE(client.get(server.url("/a"), 0, 4));
    std::byte four[4];
    if (text.find("1000000") == std::string::npos) REQUIRE(client.read(four));
    REQUIRE(client.get(server.url("/a"), 0, 4));
    CHECK(server.connections() == 2);
  }
}

TEST_CASE("a kept connection that was closed meanwhile is silently replaced") {
  for (const bool after_request : {false, true}) {
    CAPTURE(after_request);
    LoopbackServer server([after_request](Peer& peer) {
      peer.request();
      peer.send(part_head(0, 4, 4) + "abcd");
      // The first connection dies before the second request, or just when that has come.
      if (peer.number == 1 && after_request) peer.request();
      if (peer.number == 2) peer.hang();
    });
    Client client;
    for (int i = 0; i < 2; ++i) {
      REQUIRE(client.get(server.url("/a"), 0, 4));
      CHECK(*client.body() == "abcd");
    }
    CHECK(server.connections() == 2);
  }
}

TEST_CASE("a connection that dies within an answer's head is not tried again") {
  LoopbackServer server([](Peer& peer) {
    peer.request();
    peer.send(part_head(0, 4, 4) + "abcd");
    peer.request();
    peer.send("HTTP/1.1 206");
  });
  Client client;
  REQUIRE(client.get(server.url("/a"), 0, 4));
  REQUIRE(client.body());
  const auto again = client.get(server.url("/a"), 0, 4);
  REQUIRE(!again);
  CHECK(again.error().code == Errc::unreachable);
  CHECK(server.connections() == 1);
}
