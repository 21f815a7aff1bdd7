// By which names browsers and scrapers may call the loopback ports.
#include "control/caller.hpp"
#include "control/daemon.hpp"
#include "control/web.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::test {
namespace {

Setup with_page() {
  Setup setup;
  setup.web = "127.0.0.1:0";
  setup.metrics = "127.0.0.1:0";
  return setup;
}

Reply asked(Caller caller, const std::string& host, const std::string& target, const std::string& more = "") {
  caller.send("GET " + target + " HTTP/1.1\r\n" + (host.empty() ? "" : "Host: " + host + "\r\n") + more + "\r\n");
  return caller.reply();
}

Reply asked(const Daemon& daemon, const std::string& host) { return asked(Caller(daemon.web_port()), host, "/"); }

Reply scraped(const Daemon& daemon, const std::string& host, const std::string& more = "") {
  return asked(Caller(daemon.metrics_port()), host, "/metrics", more);
}

bool is_guarded(const Reply& reply) {
  return reply.head.find("\r\nContent-Security-Policy: default-src 'none'; ") != std::string::npos;
}

TEST_CASE("the refusal of a name says which names are answered") {
  Daemon daemon(with_page());
  CHECK(asked(daemon, "evil.example").body ==
        "the status page does not answer for this name: use localhost, 127.0.0.1 or this machine's own name\n");
  auto setup = with_page();
  setup.web = "0.0.0.0:0";
  Daemon open(setup);
  CHECK(asked(open, "evil.example").body ==
        "the status page does not answer for this name: use localhost, an IP address or this machine's own name\n");
}

TEST_CASE("a browser is asked to isolate the page where it trusts the address enough to do so") {
  auto setup = with_page();
  setup.web = "0.0.0.0:0";
  Daemon daemon(setup);
  const std::string isolated = "Cross-Origin-Opener-Policy: same-origin";
  for (const auto* host : {"localhost:9465", "127.0.0.1", "[::1]:9465"}) CHECK(asked(daemon, host).has(isolated));
  // There a browser would only complain of the field.
  for (const auto* host : {"192.0.2.7", "evil.example", ""}) {
    const auto reply = asked(daemon, host);
    CHECK_FALSE(reply.has(isolated));
    CHECK(is_guarded(reply));
  }
}

TEST_CASE("the metrics are given by the names that the status page is, and by no other") {
  Daemon daemon(with_page());
  auto names = control::known_hosts(true).names;
  names.insert(names.end(), {"127.0.0.1", "127.0.0.1:9464", "[::1]:9464", "localhost:9464"});
  for (const auto& host : names) {
    CAPTURE(host);
    CHECK(scraped(daemon, host).body == "vtmirror_up 1\n");
  }
  for (const auto* host : {"evil.example", "evil.example:9464", "192.0.2.1", "127.0.0.1.evil.example", ""}) {
    CAPTURE(host);
    const auto refused = scraped(daemon, host);
    CHECK(refused.status == 421);
    CHECK(refused.body.find("vtmirror_up") == std::string::npos);
    CHECK(refused.body.find("the metrics are not given by this name") != std::string::npos);
  }
  CHECK(Caller(daemon.path()).get("/metrics").status == 200);
}

TEST_CASE("a page of another site does not read the metrics, and the other programs of this machine do") {
  Daemon daemon(with_page());
  const std::string foreign = "Sec-Fetch-Site: cross-site\r\n";
  CHECK(scraped(daemon, "127.0.0.1:9464", foreign + "Sec-Fetch-Mode: no-cors\r\n").status == 403);
  CHECK(scraped(daemon, "127.0.0.1:9464", foreign + "Sec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n").status == 403);
  CHECK(scraped(daemon, "127.0.0.1:9464", "Sec-Fetch-Site: none\r\n").status == 200);
  CHECK(scraped(daemon, "127.0.0.1:9464").status == 200);
}

}  // namespace
}  // namespace vtmirror::test
