#include "net/destination.hpp"

#include "net/client.hpp"
#include "net/loopback.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Diagnosis;
using base::Errc;
using net::parse_destination;
using net::parse_proxy;
using net::ProxyRules;

namespace {

/// Answers CONNECT, then carries bytes to the port that was asked for.
LoopbackServer::Script tunnels(std::string& head, std::string answer = "HTTP/1.1 200 Connection established\r\n\r\n") {
  return [&head, answer = std::move(answer)](Peer& peer) {
    head = peer.request().value_or("");
    peer.send(answer);
    const auto colon = head.find(':');
    if (answer.starts_with("HTTP/1.1 2") && colon != std::string::npos)
      peer.relay(static_cast<std::uint16_t>(std::stoi(head.substr(colon + 1))));
  };
}

std::string at(const LoopbackServer& proxy, const std::string& user = "") {
  return "http://" + user + "127.0.0.1:" + std::to_string(proxy.port());
}

/// A host that only a proxy of these tests reaches: a loopback host is never reached through one.
constexpr char far_host[] = "store.example";

std::string beyond(const LoopbackServer& server, const std::string& target) {
  return std::string("https://") + far_host + ":" + std::to_string(server.port()) + target;
}
ServerTls far_certificate(const Trust& trust) {
  return ServerTls{trust.authority.issue({.names = std::string("DNS:") + far_host + ",IP:127.0.0.1"})};
}

/// Sets a variable of the environment for a scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// The error of a request through the proxy at that address, which must fail.
base::Error error_through(const std::string& proxy) {
  auto settings = quick();
  settings.proxy = proxy;
  Client client(settings);
  const auto answer = client.get("https://store.example/a", 0, 10);
  REQUIRE(!answer);
  return answer.error();
}

}  // namespace

TEST_CASE("a proxy's address is read with its port and its user") {
  CHECK(parse_proxy("http://proxy.example:3128")->endpoint() == "proxy.example:3128");
  CHECK(parse_proxy("proxy.example:3128/")->endpoint() == "proxy.example:3128");
  CHECK(parse_proxy("http://[::1]")->endpoint() == "[::1]:80");
  CHECK(parse_proxy("http://proxy.example")->authorization.empty());
  CHECK(parse_proxy("http://Aladdin:open%20sesame@proxy.example")->authorization.reveal() ==
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
  CHECK(parse_proxy("http://u%41@proxy.example")->authorization.reveal() == "Basic dUE6");
}

TEST_CASE("an invalid proxy address is a mistake in the settings that does not show the password") {
  for (const char* text : {"https://proxy.example", "socks5://proxy.example", "http://", "http://u:hush@",
                           "http://u:hush@proxy.example:0", "http://a b"}) {
    CAPTURE(text);
    const auto proxy = parse_proxy(text);
    REQUIRE(!proxy);
    CHECK(proxy.error().code == Errc::config);
    CHECK(proxy.error().detail.find("hush") == std::string::npos);
  }
}

TEST_CASE("exceptions from the proxy are domains, ports, addresses, networks and all") {
  struct Row {
    const char *rules, *url;
    bool proxied;
  };
  const Row rows[] = {
      {"", "https://a.example/", true},
      {"a.example", "https://a.example/", false},
      {"A.Example", "https://a.example/", false},
      {"a.example", "https://x.a.example/", false},
      {"a.example", "https://y.x.a.example/", false},
      {"x.a.example", "https://a.example/", true},
      {"a.example", "https://ba.example/", true},
      {".a.example", "https://x.a.example/", false},
      {".a.example", "https://a.example/", false},
      {".a.example", "https://ba.example/", true},
      {"*.a.example", "https://x.a.example/", false},
      {"*.a.example", "https://ba.example/", true},
      {"*", "https://a.example/", false},
      {"a.example:444", "https://a.example:444/", false},
      {"a.example:444", "https://a.example/", true},
      {"a.example:443", "https://a.example/", false},
      {"b.example, a.example", "https://a.example/", false},
      {"b.example a.example", "https://a.example/", false},
      {",,", "https://a.example/", true},
      {"10.0.0.1", "https://10.0.0.1:99/", false},
      {"", "https://10.0.0.1/", true},
      {"0.0.1", "https://10.0.0.1/", true},
      {"10.0.0.0/8", "https://10.200.0.1/", false},
      {"10.0.0.0/8", "https://11.0.0.1/", true},
      {"10.64.0.0/10", "https://10.127.255.255/", false},
      {"10.64.0.0/10", "https://10.128.0.0/", true},
      {"10.0.0.7/32", "https://10.0.0.7/", false},
      {"10.0.0.7/32", "https://10.0.0.6/", true},
      {"0.0.0.0/0", "https://10.0.0.6/", false},
      {"10.0.0.0/33", "https://10.0.0.0/", true},
      {"10.0.0.0/", "https://10.0.0.0/", true},
      {"10.0.0.0/8", "https://a.example/", true},
      {"10.0.0.0/8", "https://[fd12::1]/", true},
      {"fd00::/8", "https://[fd12::1]/", false},
      {"fd00::/8", "https://[fe80::1]/", true},
      {"fd12::1", "https://[fd12::1]/", false},
      {"fd12:0::1", "https://[fd12::1]/", false},
      {"[fd12::1]:444", "https://[fd12::1]/", true},
      {"[fd12::1]", "https://[fd12::1]/", false},
      {"", "http://a.example/", false},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.rules));
    CAPTURE(std::string(row.url));
    const ProxyRules rules(*parse_proxy("proxy.example:3128"), row.rules);
    CHECK((rules.before(*parse_destination(row.url, true)) != nullptr) == row.proxied);
  }
}

TEST_CASE("a loopback host is never reached through a proxy") {
  for (const char* host : {"localhost", "LOCALHOST", "localhost.", "a.localhost", "127.0.0.1", "127.9.9.9", "[::1]",
                           "[::ffff:127.0.0.1]"}) {
    CAPTURE(std::string(host));
    const auto rules = ProxyRules::from("http://proxy.example:3128");
    REQUIRE(rules);
    CHECK(rules->before(*parse_destination("https://" + std::string(host) + ":8443/a", true)) == nullptr);
    CHECK(rules->before(*parse_destination("http://" + std::string(host) + ":8080/a", true)) == nullptr);
  }
  const auto rules = ProxyRules::from("http://proxy.example:3128");
  for (const char* host : {"localhost.example", "notlocalhost", "128.0.0.1", "[::2]", "[::ffff:128.0.0.1]"}) {
    CAPTURE(std::string(host));
    CHECK(rules->before(*parse_destination("https://" + std::string(host) + "/a", true)) != nullptr);
  }
}

TEST_CASE("the setting's exceptions hold for the setting's proxy and for the environment's") {
  const auto url = *parse_destination("https://x.a.example/", true);
  const auto other = *parse_destination("https://b.example/", true);
  const auto third = *parse_destination("https://c.example/", true);
  const std::vector<std::string> exceptions{"a.example", "10.0.0.0/8"};
  const auto set = ProxyRules::from("http://proxy.example:3128", exceptions);
  CHECK(set->before(url) == nullptr);
  CHECK(set->before(other) != nullptr);
  CHECK(set->before(*parse_destination("http://10.1.2.3/", true)) == nullptr);
  const Variable address("HTTPS_PROXY", "http://proxy.example:3128");
  const Variable none("NO_PROXY", "b.example");
  const auto from_both = ProxyRules::from("", exceptions);
  CHECK(from_both->before(url) == nullptr);
  CHECK(from_both->before(other) == nullptr);
  CHECK(from_both->before(third) != nullptr);
}

TEST_CASE("https goes through the proxy by CONNECT, with the proxy's password and none of the request") {
  const Trust trust;
  LoopbackServer server(store(10), far_certificate(trust));
  std::string head;
  LoopbackServer proxy(tunnels(head));
  auto settings = trust.settings();
  settings.proxy = at(proxy, "user:pass@");
  Client client(settings);
  const auto answer = client.get(beyond(server, "/a?secret=1"), 0, 10);
  REQUIRE_MESSAGE(answer, answer.error().detail);
  CHECK(*client.body() == object_bytes(0, 10));
  CHECK(head.starts_with("CONNECT store.example:" + std::to_string(server.port()) + " HTTP/1.1\r\n"));
  CHECK(head.find("Proxy-Authorization: Basic dXNlcjpwYXNz\r\n") != std::string::npos);
  CHECK(head.find("secret") == std::string::npos);
}

TEST_CASE("the certificate is the host's, not the proxy's business") {
  const Trust trust;
  LoopbackServer server(store(10), ServerTls{trust.authority.issue({.names = "DNS:other.example"})});
  std::string head;
  LoopbackServer proxy(tunnels(head));
  auto settings = trust.settings();
  settings.proxy = at(proxy);
  Client client(settings);
  CHECK(client.get(beyond(server, "/a"), 0, 10).error().code == Errc::tls);
}

TEST_CASE("a proxy that refuses is named, and its password is not") {
  const std::string rows[] = {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
                              "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"};
  for (const auto& text : rows) {
    std::string head;
    LoopbackServer proxy(tunnels(head, text));
    const auto error = error_through(at(proxy, "user:hush@"));
    CHECK(error.code == Errc::unreachable);
    const bool wants_login = text.substr(9, 3) == "407";
    CHECK(error.detail == "store.example:443: the proxy at 127.0.0.1:" + std::to_string(proxy.port()) +
                              (wants_login ? " wants a login (HTTP 407)" : " refused the connection (HTTP 403)"));
    CHECK(error.diagnosis == (wants_login ? Diagnosis::proxy_login : Diagnosis::proxy_failed));
    CHECK(error.service_code.empty());
  }
}

TEST_CASE("a proxy's page, or no HTTP at all, in place of a connection is the proxy's failure and not the host's") {
  const std::string page = "<html>log in</html>";
  const std::string type = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
  const std::string rows[] = {type + "Content-Length: 19\r\n\r\n" + page, type + "Content-Length: 19\r\n\r\n",
                              type + "\r\n" + page, "SSH-2.0-OpenSSH\r\n\r\n", ""};
  for (const auto& text : rows) {
    CAPTURE(text);
    LoopbackServer proxy([&text](Peer& peer) {
      static_cast<void>(peer.request());
      peer.send(text);
    });
    const auto error = error_through(at(proxy));
    CHECK(error.code == Errc::unreachable);
    CHECK(error.diagnosis == Diagnosis::proxy_failed);
    CHECK(error.detail.find("the proxy at 127.0.0.1:" + std::to_string(proxy.port())) != std::string::npos);
  }
}

TEST_CASE("a proxy's page that comes later than its answer to CONNECT is the proxy's failure, not one of TLS") {
  const std::string html = "<html>log in</html>";
  const std::string type = "Content-Type: text/html\r\n";
  struct Row {
    std::string head;
    std::string later;
  };
  for (const auto& row :
       {Row{"HTTP/1.1 200 OK\r\n" + type + "\r\n", html}, Row{"HTTP/1.1 200 OK\r\n" + type + "\r\n", "Log in first"},
        Row{"HTTP/1.1 200 OK\r\n" + type + "\r\n", ""}, Row{"HTTP/1.0 200 OK\r\n\r\n", html},
        Row{"HTTP/1.1 200 OK\r\n\r\n", "\r\n" + html}}) {
    CAPTURE(row.head);
    CAPTURE(row.later);
    LoopbackServer proxy([&row](Peer& peer) {
      static_cast<void>(peer.request());
      peer.send(row.head);
      // The client has read the head, or it would not have begun with TLS.
      static_cast<void>(peer.body(16));
      peer.send(row.later);
    });
    const auto error = error_through(at(proxy));
    CHECK(error.code == Errc::unreachable);
    CHECK(error.diagnosis == Diagnosis::proxy_failed);
    CHECK(error.detail == "store.example:443: the proxy at 127.0.0.1:" + std::to_string(proxy.port()) +
                              " answered with a page of its own in place of a connection");
  }
}

TEST_CASE("a host behind a proxy that does not speak TLS, or ends it, is not taken for a page of the proxy") {
  for (const std::string spoken : {"HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail.example ready\r\n", ""}) {
    CAPTURE(spoken);
    LoopbackServer proxy([&spoken](Peer& peer) {
      static_cast<void>(peer.request());
      peer.send("HTTP/1.1 200 Connection established\r\n\r\n");
      static_cast<void>(peer.body(16));
      peer.send(spoken);
    });
    const auto error = error_through(at(proxy));
    CHECK(error.code == (spoken.empty() ? Errc::unreachable : Errc::tls));
    CHECK(error.diagnosis == Diagnosis::none);
  }
}

TEST_CASE("a proxy that cannot be reached is named, with the host behind it") {
  std::uint16_t port = 0;
  {
    const LoopbackServer gone([](Peer&) {});
    port = gone.port();
  }
  auto settings = quick();
  settings.proxy = "127.0.0.1:" + std::to_string(port);
  Client client(settings);
  const auto answer = client.get("https://store.example/a?secret=1", 0, 10);
  REQUIRE(!answer);
  CHECK(answer.error().code == Errc::unreachable);
  CHECK(answer.error().detail ==
        "store.example:443: the proxy at 127.0.0.1:" + std::to_string(port) + ": Connection refused");
  CHECK(answer.error().diagnosis == Diagnosis::proxy_failed);
}

TEST_CASE("a wrong address names the setting, or the variable that it came from") {
  CHECK(ProxyRules::from("socks5://a.example").error().detail == "proxy: not of the form http://host:port");
  for (const std::string name : {"HTTPS_PROXY", "https_proxy"}) {
    const Variable address(name.c_str(), "socks5://u:hush@a.example");
    CHECK(ProxyRules::from("").error().detail == name + " in the environment: not of the form http://host:port");
  }
}

TEST_CASE("the environment's proxy is taken, except where NO_PROXY says otherwise") {
  const Trust trust;
  LoopbackServer server(store(10), far_certificate(trust));
  std::string head;
  LoopbackServer proxy(tunnels(head));
  for (const bool upper : {true, false}) {
    const Variable address(upper ? "HTTPS_PROXY" : "https_proxy", at(proxy));
    const int before = proxy.connections();
    {
      Client client(trust.settings());
      REQUIRE(client.get(beyond(server, "/a"), 0, 10));
      REQUIRE(client.get(server.url("/a"), 0, 10));
      CHECK(proxy.connections() == before + 1);
    }
    const auto url = *parse_destination(beyond(server, "/a"), false);
    CHECK(ProxyRules::from("")->before(url) != nullptr);
    const Variable exceptions(upper ? "NO_PROXY" : "no_proxy", far_host);
    CHECK(ProxyRules::from("")->before(url) == nullptr);
  }
}
