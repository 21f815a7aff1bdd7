#include "control/web.hpp"
#include "control/caller.hpp"
#include "control/daemon.hpp"

#include <unistd.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vtmirror::test {
namespace {

Setup with_page() {
  Setup setup;
  setup.web = "127.0.0.1:0";
  return setup;
}

/// Sends a request with that Host field, or without one if `host` is empty.
Reply asked(Caller& caller, const std::string& host, const std::string& method = "GET",
            const std::string& target = "/") {
  const auto field = host.empty() ? std::string() : "Host: " + host + "\r\n";
  caller.send(method + ' ' + target + " HTTP/1.1\r\n" + field + "\r\n");
  return caller.reply(method != "HEAD");
}

Reply asked(const Daemon& daemon, const std::string& host, const std::string& method = "GET",
            const std::string& target = "/") {
  Caller caller(daemon.web_port());
  return asked(caller, host, method, target);
}

bool is_plain(const Reply& reply) {
  return reply.has("Content-Type: text/plain; charset=utf-8") && reply.body.find('{') == std::string::npos &&
         !reply.body.empty();
}

bool is_guarded(const Reply& reply) {
  return reply.head.find("\r\nContent-Security-Policy: default-src 'none'; ") != std::string::npos &&
         reply.head.find("unsafe") == std::string::npos && reply.has("X-Frame-Options: DENY") &&
         reply.has("Referrer-Policy: no-referrer") && reply.has("X-Content-Type-Options: nosniff") &&
         reply.has("Cache-Control: no-store");
}

TEST_CASE("the page, its files and what it reads are served at its address") {
  Daemon daemon(with_page());
  Caller caller(daemon.web_port());
  const auto page = asked(caller, "localhost");
  CHECK(page.status == 200);
  CHECK(page.has("Content-Type: text/html; charset=utf-8"));
  CHECK(page.body == "<h1>newest</h1>\n");
  CHECK(asked(caller, "localhost", "GET", "/?day=2026-11-18").body == "<h1>2026-11-18</h1>\n");
  const auto style = asked(caller, "localhost", "GET", "/style.css");
  CHECK(style.has("Content-Type: text/css; charset=utf-8"));
  CHECK(style.body == "h1{}");
  CHECK(asked(caller, "localhost", "GET", "/v1/status").has("Content-Type: application/json"));
  CHECK(asked(caller, "localhost", "GET", "/v1/calendar").body == "{\"days\":371}\n");
  CHECK(asked(caller, "localhost", "GET", "/v1/calendar?days=7").body == "{\"days\":7}\n");
  CHECK(asked(caller, "localhost", "GET", "/v1/history?n=60").body == "{\"newest\":60}\n");
  const auto head = asked(caller, "localhost", "HEAD");
  CHECK(head.status == 200);
  CHECK(head.has("Content-Length: " + std::to_string(page.body.size())));
}

TEST_CASE("the calendar is answered on the socket too, and the page is not") {
  Daemon daemon(with_page());
  Caller caller(daemon.path());
  CHECK(caller.get("/v1/calendar").body == "{\"days\":371}\n");
  for (const auto* days : {"0", "-1", "3701", "x", ""})
    CHECK(caller.get(std::string("/v1/calendar?days=") + days).status == 400);
  for (const auto* path : {"/", "/style.css"}) CHECK(caller.get(path).status == 404);
}

TEST_CASE("a name that another machine may have given this one is refused, whatever is asked for") {
  Daemon daemon(with_page());
  for (const auto* host : {"evil.example", "evil.example:9465", "localhost.evil.example", "127.0.0.1.evil.example",
                           "192.0.2.1", "[2001:db8::1]:9465", "localhost:x", "127.0.0.1@evil.example", ""}) {
    CAPTURE(host);
    for (const auto* target : {"/", "/v1/status", "/style.css", "/none"}) {
      const auto reply = asked(daemon, host, "GET", target);
      CHECK(reply.status == 421);
      CHECK(is_plain(reply));
      CHECK(is_guarded(reply));
    }
    CHECK(asked(daemon, host, "POST", "/v1/sync").status == 421);
    CHECK(asked(daemon, host, "GET", "/v1/events").status == 421);
  }
}

TEST_CASE("the machine's own names and loopback addresses are known, with any port") {
  Daemon daemon(with_page());
  std::array<char, 256> name{};
  REQUIRE(::gethostname(name.data(), name.size() - 1) == 0);
  for (const std::string& host : {std::string("localhost"), std::string("LOCALHOST:8080"), std::string("127.0.0.1"),
                                  std::string("127.1.2.3:9465"), std::string("[::1]:9465"), std::string(name.data())}) {
    CAPTURE(host);
    CHECK(asked(daemon, host).status == 200);
  }
}

TEST_CASE("an address that was set on purpose may be named by any IP address, and by no other name") {
  const auto hosts = control::known_hosts(false);
  CHECK(control::is_known(hosts, "192.0.2.7:9465"));
  CHECK(control::is_known(hosts, "[2001:db8::1]"));
  CHECK(control::is_known(hosts, "localhost"));
  CHECK_FALSE(control::is_known(hosts, "evil.example"));
  CHECK_FALSE(control::is_known(hosts, "192.0.2.7.evil.example"));
}

TEST_CASE("the host in the request's line counts, not the field beside it; two fields are none") {
  Daemon daemon(with_page());
  CHECK(asked(daemon, "localhost", "GET", "http://evil.example/").status == 421);
  CHECK(asked(daemon, "evil.example", "GET", "http://localhost/").status == 200);
  CHECK(asked(daemon, "localhost", "GET", "http://[::1]/").status == 200);
  CHECK(asked(daemon, "localhost", "GET", "http://[::1]:9465/style.css").status == 200);
  CHECK(asked(daemon, "localhost", "GET", "http://[2001:db8::1]/").status == 421);
  CHECK(asked(daemon, "localhost\r\nHost: localhost").status == 421);
}

/// Asks as a browser does, with where the request comes from and what it is for.
Reply fetched(const Daemon& daemon, const std::string& target, const std::string& site, const std::string& mode,
              const std::string& destination, const std::string& method = "GET") {
  Caller caller(daemon.web_port());
  return asked(
      caller,
      "localhost\r\nSec-Fetch-Site: " + site + "\r\nSec-Fetch-Mode: " + mode + "\r\nSec-Fetch-Dest: " + destination,
      method, target);
}

TEST_CASE("a page of another site may link to the page, and gets nothing else of it") {
  Daemon daemon(with_page());
  for (const auto* target : {"/", "/?day=2026-11-18", "/v1/status", "/v1/events", "/style.css", "/none"}) {
    CAPTURE(target);
    for (const auto& [mode, destination] : {std::pair{"no-cors", "image"},
                                            {"cors", "empty"},
                                            {"no-cors", "script"},
                                            {"navigate", "iframe"},
                                            {"navigate", "object"},
                                            {"no-cors", "document"}}) {
      const auto reply = fetched(daemon, target, "cross-site", mode, destination);
      CHECK(reply.status == 403);
      CHECK(is_plain(reply));
      CHECK(is_guarded(reply));
    }
    CHECK(fetched(daemon, target, "cross-site", "cors", "empty", "HEAD").status == 403);
    CHECK(fetched(daemon, target, "cross-site", "navigate", "document", "POST").status == 405);
  }
  CHECK(fetched(daemon, "/", "cross-site", "navigate", "document").status == 200);
  CHECK(fetched(daemon, "/?day=2026-11-18", "cross-site", "navigate", "document").status == 200);
  CHECK(daemon.followers() == 0);
}

TEST_CASE("the page's own requests, those of a reader and those of other programs are answered") {
  Daemon daemon(with_page());
  for (const auto* site : {"same-origin", "none", "same-site", "a value of later browsers"})
    CHECK(fetched(daemon, "/v1/status", site, "cors", "empty").status == 200);
  CHECK(asked(daemon, "localhost", "GET", "/v1/status").status == 200);
  Caller on_socket(daemon.path());
  CHECK(on_socket.ask("GET", "/v1/status", "Sec-Fetch-Site: cross-site\r\n").status == 200);
}

TEST_CASE("nothing can be changed at the page's address") {
  Daemon daemon(with_page());
  for (const auto* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    for (const auto* target : {"/", "/v1/sync", "/v1/reload", "/v1/status", "/none"}) {
      const auto reply = asked(daemon, "localhost", method, target);
      CAPTURE(method);
      CHECK(reply.status == 405);
      CHECK(reply.has("Allow: GET, HEAD"));
      CHECK(is_plain(reply));
    }
  }
  CHECK(daemon.on_loop([&] { return daemon.answers.cycles + daemon.answers.reloads; }) == 0);
}

TEST_CASE("paths that make work, hold a place or are unknown are not there") {
  Daemon daemon(with_page());
  for (const auto* path : {"/v1/plan", "/v1/prune", "/v1/wait", "/v1/next?consumer=a", "/v1/sync", "/metrics", "/none",
                           "/index.html", "//", "/../etc/passwd", "/style.css/"}) {
    const auto reply = asked(daemon, "localhost", "GET", path);
    CAPTURE(path);
    CHECK(reply.status == 404);
    CHECK(is_plain(reply));
    CHECK(is_guarded(reply));
  }
  for (const auto* query : {"/?day=yesterday", "/?week=1", "/?day=2026-02-30"})
    CHECK(asked(daemon, "localhost", "GET", query).status == 400);
  Caller plain(daemon.web_port());
  plain.send("status\n");
  const auto refused = plain.reply();
  CHECK(refused.status == 400);
  CHECK(refused.body == "this is not an HTTP request\n");
}

TEST_CASE("a request of a million bytes is refused in plain text") {
  Daemon daemon(with_page());
  const std::string million(1'000'000, 'x');
  Caller header(daemon.web_port());
  header.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + million + "\r\n\r\n");
  const auto too_long = header.reply();
  CHECK(too_long.status == 431);
  CHECK(is_plain(too_long));
  Caller body(daemon.web_port());
  body.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n" + million);
  const auto too_large = body.reply();
  CHECK(too_large.status == 413);
  CHECK(is_plain(too_large));
  CHECK(is_guarded(too_large));
}

TEST_CASE("an answer that fails is plain text for a browser, and JSON on the socket") {
  Daemon daemon(with_page());
  daemon.on_loop([&] { daemon.answers.files_text = base::Error{base::Errc::catalogue, "<b>busy</b>"}; });
  const auto reply = asked(daemon, "localhost", "GET", "/v1/files");
  CHECK(reply.status == 500);
  CHECK(reply.has("Content-Type: text/plain; charset=utf-8"));
  CHECK(reply.body == "<b>busy</b>\n");
  CHECK(Caller(daemon.path()).get("/v1/files").has("Content-Type: application/json"));
}

TEST_CASE("followers at the page's address take no place from those of the socket, and have a limit of their own") {
  auto setup = with_page();
  setup.rules.limits.followers = 2;
  Daemon daemon(setup);
  std::vector<Caller> pages;
  for (int count = 0; count < 3; ++count) {
    pages.emplace_back(daemon.web_port());
    pages.back().send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  CHECK(daemon.has_followers(2));
  const auto refused = pages.back().reply();
  CHECK(refused.status == 503);
  CHECK(is_plain(refused));
  Caller follower(daemon.path());
  follower.send("GET /v1/events HTTP/1.1\r\nHost: vtmirror\r\n\r\n");
  CHECK(daemon.has_followers(3));
  daemon.publish("status", "{\"news\":1}");
  const auto head = pages.front().reply(false);
  CHECK(head.status == 200);
  CHECK(is_guarded(head));
  CHECK(pages.front().hear_until("{\"news\":1}"));
  CHECK(follower.hear_until("{\"news\":1}"));
}

TEST_CASE("many silent clients of the page keep nobody waiting, there or on the socket") {
  auto setup = with_page();
  setup.rules.limits.web_clients = 4;
  Daemon daemon(setup);
  std::vector<Caller> silent;
  for (int count = 0; count < 20; ++count) {
    silent.emplace_back(daemon.web_port());
    silent.back().send("GET / HT");
  }
  CHECK(asked(daemon, "localhost").status == 200);
  CHECK(Caller(daemon.path()).get("/v1/status").status == 200);
}

TEST_CASE("the page is off unless it is set, and stands at the address that is set") {
  Daemon daemon;
  CHECK(daemon.web_port() == 0);
  for (const auto* address : {"localhost:0", "127.0.0.1", "9465", "page.example:0"}) {
    auto setup = with_page();
    setup.web = address;
    CAPTURE(address);
    CHECK_THROWS(Daemon(setup));
  }
  auto setup = with_page();
  setup.web = "0.0.0.0:0";
  Daemon open(setup);
  CHECK(asked(open, "192.0.2.7").status == 200);
  CHECK(asked(open, "evil.example").status == 421);
}

}  // namespace
}  // namespace vtmirror::test
