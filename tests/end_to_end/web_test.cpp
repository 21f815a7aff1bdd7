// The status page over TCP, as a browser, an attacker and a careless program ask for it.
#include "end_to_end/web_site.hpp"
#include "support/json_schema.hpp"
#include "support/repository.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

bool answers(const std::string& reply, int status) {
  return reply.starts_with("HTTP/1.1 " + std::to_string(status) + ' ');
}

bool is_plain(const std::string& reply) { return has(reply, "\r\nContent-Type: text/plain; charset=utf-8\r\n"); }

/// A connection that has sent something.
class Client {
 public:
  Client(int port, const std::string& text) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    REQUIRE(::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// All that comes until the other side hangs up.
  std::string rest() const {
    std::string all;
    std::array<char, 65536> piece;
    for (auto got = ::recv(socket_, piece.data(), piece.size(), 0); got > 0;
         got = ::recv(socket_, piece.data(), piece.size(), 0))
      all.append(piece.data(), static_cast<std::size_t>(got));
    return all;
  }

 private:
  int socket_;
};

/// How long 300 whole answers took that have this part, connection included; ascending.
std::vector<std::chrono::microseconds> times_of(int port, const std::string& path, const std::string& part) {
  using Clock = std::chrono::steady_clock;
  std::vector<std::chrono::microseconds> times;
  for (int count = 0; count < 300; ++count) {
    const auto begun = Clock::now();
    const Client client(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const auto reply = client.rest();
    times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun));
    REQUIRE(answers(reply, 200));
    REQUIRE(has(reply, part));
  }
  std::ranges::sort(times);
  return times;
}

}  // namespace

TEST_CASE("the page shows the state of the moment, and the JSON beside it is that of the socket") {
  WebSite site;
  site.start();
  Events(site.socket).state("idle");
  const auto page = site.get("/");
  CHECK(answers(page, 200));
  CHECK(has(page, "Content-Type: text/html; charset=utf-8\r\n"));
  CHECK(has(page, "Cache-Control: no-store\r\n"));
  CHECK(has(page, "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';"));
  CHECK(has(page, "Referrer-Policy: no-referrer\r\n"));
  CHECK(has(page, "X-Frame-Options: DENY\r\n"));
  CHECK(has(page, "<h1 class=\"ok\">Complete through "));
  CHECK(has(page, "load </span>1</b> bulk"));
  CHECK_FALSE(has(page, "{{"));
  for (const auto* path : {"/style.css", "/script.js", "/icon.svg"}) CHECK(answers(site.get(path), 200));
  for (const auto* path : {"/v1/files", "/v1/coverage", "/v1/calendar", "/v1/history?n=60", "/v1/consumers"}) {
    CAPTURE(path);
    const auto reply = site.get(path);
    CHECK(answers(reply, 200));
    const auto on_socket = site.curl(path).out;
    CHECK(reply.substr(reply.find("\r\n\r\n") + 4) + "\n200" == on_socket);
  }
}

TEST_CASE("what a page of another site could try is refused in plain text") {
  WebSite site;
  site.start();
  Events(site.socket).state("idle");
  for (const auto* path : {"/", "/v1/status", "/v1/events"}) {
    const auto rebound = site.get(path, {"-H", "Host: attacker.example"});
    CHECK(answers(rebound, 421));
    CHECK(is_plain(rebound));
    CHECK_FALSE(has(rebound, "generation"));
  }
  for (const auto* path : {"/", "/v1/status", "/v1/events"}) {
    const auto embedded = site.get(path, {"-H", "Sec-Fetch-Site: cross-site", "-H", "Sec-Fetch-Mode: no-cors"});
    CHECK(answers(embedded, 403));
    CHECK(is_plain(embedded));
    CHECK_FALSE(has(embedded, "generation"));
  }
  for (const auto* path : {"/", "/v1/sync", "/v1/reload", "/none"}) {
    const auto posted = site.get(path, {"-X", "POST"});
    CHECK(answers(posted, 405));
    CHECK(is_plain(posted));
    CHECK(has(posted, "\r\nAllow: GET, HEAD\r\n"));
  }
  CHECK_FALSE(has(site.get("/v1/status", {"-H", "Origin: https://attacker.example"}), "Access-Control"));
  CHECK(site.status().at("last_cycle").at("files").as_int64() == 5);
}

TEST_CASE("what is no request for the page is refused in plain text") {
  WebSite site;
  site.start();
  for (const auto* path : {"/none", "/v1/plan", "/metrics", "/../../etc/passwd", "/%2e%2e/vtmirror.toml"}) {
    const auto reply = site.get(path);
    CHECK(answers(reply, 404));
    CHECK(is_plain(reply));
  }
  write_file(site.rig.directory() / "million", std::string(1'000'000, 'x'));
  const auto million = "@" + (site.rig.directory() / "million").string();
  const auto large = site.get("/", {"-X", "POST", "-H", "Expect:", "--data-binary", million});
  CHECK((answers(large, 413) || answers(large, 431)));
  CHECK(is_plain(large));
  const auto wide = site.get("/?day=" + std::string(100'000, '1'));
  CHECK(answers(wide, 431));
  CHECK(is_plain(wide));
  CHECK(answers(site.get("/?day=x"), 400));
}

TEST_CASE("names and messages of the service are text on the page, never markup") {
  const Noon noon;
  const auto date = base::iso8601(noon.today);
  WebSite site(R"(, "extra_entries": {"delta": [{"filename": "v1/public/delta/<script>alert(1)</script>.zip",
      "downloadUrl": "@sign", "fileSize": 777}]}, "faults": [{"at": "store", "match": "bulk", "status": 403, "times": 0,
      "content_type": "application/xml", "body": "<Error><Code>&lt;script&gt;alert(2)&lt;/script&gt;</Code></Error>"}])");
  site.start();
  Events(site.socket).status([](const json::object& status) { return status.at("last_cycle").is_object(); });
  const auto page = site.get("/");
  CHECK(has(page, "&lt;script&gt;alert("));
  CHECK_FALSE(has(page, "<script>"));
  CHECK(site.status().at("problems").as_array().size() > 1);
}

TEST_CASE("the calendar follows its schema while files are downloaded and after") {
  const JsonSchema schema(read_file(repository() / "packaging/schema" / "calendar.schema.json"));
  WebSite site(R"(, "absent": [")" + base::iso8601(base::previous_day(Noon().today)) +
               R"("], "faults": [{"at": "store", "match": "bulk", "rate": 400000, "times": 0}])");
  site.start();
  Events events(site.socket);
  events.status([](const json::object& status) {
    return status.at("cycle").is_object() && status.at("cycle").at("downloads").as_array().size() == 1;
  });
  const auto state_of = [&](std::size_t back) {
    const auto reply = site.get("/v1/calendar");
    const auto calendar = json::parse(reply.substr(reply.find("\r\n\r\n") + 4));
    CHECK(schema.faults(calendar) == "");
    const auto& days = calendar.at("days").as_array();
    REQUIRE(days.size() == 4);
    return std::string(days.at(3 - back).at("state").as_string());
  };
  CHECK(state_of(3) == "downloading");
  CHECK(state_of(1) == "absent");
  events.state("idle");
  CHECK(state_of(3) == "held");
  CHECK(state_of(0) == "held");
}

TEST_CASE("beside transfers and slow, many and silent clients, 99 of 100 pages and statuses come within 50 ms") {
  WebSite site(R"(, "faults": [{"at": "store", "match": "bulk", "rate": 40000, "times": 0}])");
  site.start();
  Events(site.socket).status([](const json::object& status) {
    return status.at("cycle").is_object() && status.at("cycle").at("downloads").as_array().size() == 1;
  });
  std::vector<std::unique_ptr<Client>> clients;
  for (int count = 0; count < 60; ++count)
    clients.push_back(
        std::make_unique<Client>(site.port, count % 2 == 0 ? "GET / HT" : "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  for (int count = 0; count < 20; ++count)
    clients.push_back(std::make_unique<Client>(site.port, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  for (const auto& [path, part] : {std::pair{"/", "A cycle is running."}, {"/v1/status", "\"state\":\"syncing\""}}) {
    const auto times = times_of(site.port, path, part);
    MESSAGE(std::string(path) << ": median " << times[150].count() << " us, p99 " << times[297].count() << " us");
    CHECK(times[297] < std::chrono::milliseconds(50));
  }
  CHECK(site.status().at("state").as_string() == "syncing");
}

TEST_CASE("the page is off unless it is set, and an address in use is a mistake of the settings that is named") {
  Site plain;
  plain.start();
  CHECK_FALSE(has(read_file(plain.rig.config()), "web ="));
  const Listener busy;
  Site site;
  site.rig.set("control", "web", "\"127.0.0.1:" + std::to_string(busy.port()) + "\"");
  const auto ended = site.rig.vtmirror({"run"});
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "control.web cannot be used: 127.0.0.1:" + std::to_string(busy.port())));
  site.rig.set("control", "web", "\"192.0.2.9:9465\"");
  const auto elsewhere = site.rig.vtmirror({"run"});
  CHECK(elsewhere.status == 2);
  CHECK(has(elsewhere.err, "control.web cannot be used: 192.0.2.9:9465: "));
}

TEST_CASE("the calendar on a terminal is drawn in plain letters, with colours where they are wanted") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto plain = site.rig.vtmirror({"coverage", "--calendar"});
  CHECK(plain.status == 0);
  CHECK(has(plain.out, "H"));
  CHECK(has(plain.out, "  h     4  held\n"));
  CHECK(has(plain.out, "load 1: bulk 2.00 MB; load 2: delta 100 KB\n"));
  CHECK_FALSE(has(plain.out, "\x1b"));
  const auto coloured = site.rig.vtmirror({"coverage", "--calendar", "--color", "always"});
  CHECK(has(coloured.out, "\x1b[32mH\x1b[0m"));
  const auto calendar = json::parse(site.rig.vtmirror({"coverage", "--calendar", "--json"}).out);
  CHECK(JsonSchema(read_file(repository() / "packaging/schema" / "calendar.schema.json")).faults(calendar) == "");
  CHECK(calendar.at("days").as_array().size() == 4);
}

TEST_CASE("the calendar of a mirror that has nothing yet says so") {
  Site site;
  const auto ended = site.rig.vtmirror({"coverage", "--calendar"});
  CHECK(ended.status == 0);
  CHECK(has(ended.out, "No days to show"));
}
