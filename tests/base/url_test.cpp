#include "vtmirror/base/url.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace vtmirror::base;

namespace {

TEST_CASE("an address is taken apart") {
  const auto url = parse_url("HTTPS://Store.Example:8443/v1/a.zip?X-Amz-Date=1&b=%2F#part");
  REQUIRE(url);
  CHECK(url->tls);
  CHECK(url->scheme() == "https");
  CHECK(url->host == "store.example");
  CHECK(url->port == 8443);
  CHECK(url->target == "/v1/a.zip?X-Amz-Date=1&b=%2F");
  CHECK(url->path() == "/v1/a.zip");
  CHECK(url->has_query());
  CHECK(url->has_fragment);
  CHECK_FALSE(url->user);
  CHECK(url->authority() == "store.example:8443");
  CHECK(url->without_query() == "https://store.example:8443/v1/a.zip");
}

TEST_CASE("ports and paths have defaults, and IPv6 addresses keep their brackets") {
  struct Row {
    const char *text, *host, *authority, *endpoint, *target;
  };
  const Row rows[] = {
      {"https://a.example", "a.example", "a.example", "a.example:443", "/"},
      {"https://a.example?x", "a.example", "a.example", "a.example:443", "/?x"},
      {"http://a.example:80/b", "a.example", "a.example", "a.example:80", "/b"},
      {"http://a.example:443/b", "a.example", "a.example:443", "a.example:443", "/b"},
      {"https://[::1]:99/", "::1", "[::1]:99", "[::1]:99", "/"},
      {"https://[2001:DB8::1]/", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443", "/"},
      {"https://10.0.0.1:444/x", "10.0.0.1", "10.0.0.1:444", "10.0.0.1:444", "/x"},
      {"https://s-3_a.store.example/", "s-3_a.store.example", "s-3_a.store.example", "s-3_a.store.example:443", "/"},
      {"https://a.example/x//../y/./z", "a.example", "a.example", "a.example:443", "/x//../y/./z"},
      {"https://a.example/mail@home:8", "a.example", "a.example", "a.example:443", "/mail@home:8"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto url = parse_url(row.text);
    REQUIRE(url);
    CHECK(url->host == row.host);
    CHECK(url->authority() == row.authority);
    CHECK(url->endpoint() == row.endpoint);
    CHECK(url->target == row.target);
    CHECK_FALSE(url->has_fragment);
  }
}

TEST_CASE("an address that cannot be requested is refused with the reason, and never quoted") {
  struct Row {
    const char *text, *why;
  };
  for (const auto& row :
       {Row{"", "not https"},
        {"5ecret", "not https"},
        {"https:/a.example/5ecret", "not https"},
        {"ftp://a.example/5ecret", "not https"},
        {"//a.example/5ecret", "not https"},
        {"xhttps://a.example/5ecret", "not https"},
        {"https://", "host"},
        {"https:///5ecret", "host"},
        {"https://?5ecret", "host"},
        {"https://:443/5ecret", "host"},
        {"https://256.1.1.1/5ecret", "host"},
        {"https://10.0.0.1.2/5ecret", "host"},
        {"https://2130706433/5ecret", "host"},
        {"https://api_$x.example/5ecret", "host"},
        {"https://a%41.example/5ecret", "host"},
        {"https://a..example/5ecret", "host"},
        {"https://.example/5ecret", "host"},
        {"https://./5ecret", "host"},
        {"https://-a.example/5ecret", "host"},
        {"https://a-.example/5ecret", "host"},
        {"https://a234567890123456789012345678901234567890123456789012345678901234.example/5ecret", "host"},
        {"https://[zz]/5ecret", "host"},
        {"https://[]/5ecret", "host"},
        {"https://[::1/5ecret", "host"},
        {"https://[::1]x/5ecret", "host"},
        {"https://[v7.a]/5ecret", "host"},
        {"https://[fe80::1%25eth0]/5ecret", "host"},
        {"https://a.example:0/5ecret", "port"},
        {"https://a.example:/5ecret", "port"},
        {"https://a.example:65536/5ecret", "port"},
        {"https://a.example:99999999999999999999/5ecret", "port"},
        {"https://a.example:1x/5ecret", "port"},
        {"https://a.example:-1/5ecret", "port"},
        {"https://a b.example/5ecret", "space"},
        {"https://a.example/5ecret b", "space"},
        {"https://a.example/5ecret\r\nX: y", "control"},
        {"https://a.example/5ecret\x7f", "control"},
        {"https://a.ex\xc3\xa4mple/5ecret", "another character"},
        {"https://a.example\\@b.example/5ecret", "another character"},
        {"https://a.example/5ecret%zz", "percent sign"},
        {"https://a.example/5ecret[1]", "bracket"}}) {
    CAPTURE(row.text);
    const auto url = parse_url(row.text);
    REQUIRE_FALSE(url);
    CHECK(url.error().code == Errc::protocol);
    CHECK(url.error().detail.find(row.why) != std::string::npos);
    CHECK(url.error().detail.find("5ecret") == std::string::npos);
  }
  const auto longest = std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + ".";
  CHECK(parse_url("https://" + longest + std::string(61, 'd') + "/"));
  CHECK_FALSE(parse_url("https://" + longest + std::string(62, 'd') + "/"));
  CHECK_FALSE(parse_url(std::string("https://a.example/\0", 19)));
}

TEST_CASE("a user part is kept apart, and is in nothing that is shown") {
  const auto url = parse_url("https://me:5ecret@a.example:8443/b");
  REQUIRE(url);
  REQUIRE(url->user);
  CHECK(url->user->reveal() == "me:5ecret");
  CHECK(url->host == "a.example");
  CHECK(url->authority() == "a.example:8443");
  CHECK(url->without_query() == "https://a.example:8443/b");
  CHECK(parse_url("https://@a.example/")->user);
  CHECK_FALSE(parse_url("https://a@b:5ecret@a.example/"));
}

TEST_CASE("a printed address contains neither its query nor a signature in its path") {
  CHECK(parse_url("https://a.example/v1/a.zip?X-Amz-Signature=5ecret#part")->without_query() ==
        "https://a.example/v1/a.zip");
  CHECK(parse_url("https://a.example?5ecret")->without_query() == "https://a.example/");
  CHECK(parse_url("https://a.example/b;sig=5ecret")->without_query() == "https://a.example/b;sig=***");
}

TEST_CASE("a location is read as seen from the address that was asked") {
  const auto from = parse_url("https://a.example:444/b/c/d?q=1");
  REQUIRE(from);
  struct Row {
    const char *location, *origin, *target;
  };
  const Row rows[] = {
      {"https://b.example/x?y", "b.example:443", "/x?y"},
      {"HTTP://b.example", "b.example:80", "/"},
      {"//b.example/x", "b.example:443", "/x"},
      {"/x?y=/../z", "a.example:444", "/x?y=/../z"},
      {"x", "a.example:444", "/b/c/x"},
      {"../x", "a.example:444", "/b/x"},
      {"../../../x", "a.example:444", "/x"},
      {"./x/./y/..", "a.example:444", "/b/c/x/"},
      {"?z", "a.example:444", "/b/c/d?z"},
      {"", "a.example:444", "/b/c/d?q=1"},
      {"#f", "a.example:444", "/b/c/d?q=1"},
      {"..", "a.example:444", "/b/"},
      {"x?u=http://y", "a.example:444", "/b/c/x?u=http://y"},
      {"/x%2Fy?X-Amz-Date=1%2F2", "a.example:444", "/x%2Fy?X-Amz-Date=1%2F2"},
      {"/x//y", "a.example:444", "/x//y"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.location);
    const auto to = resolve_reference(*from, row.location);
    REQUIRE(to);
    CHECK(to->endpoint() == row.origin);
    CHECK(to->target == row.target);
  }
  for (const char* bad : {"javascript:1", "/a b", "ftp://b.example/", "//", "//b.example:0/", "/%", ":", "1:2"}) {
    CAPTURE(bad);
    const auto to = resolve_reference(*from, bad);
    REQUIRE_FALSE(to);
    CHECK(to.error().code == Errc::protocol);
  }
}

TEST_CASE("a proxy is an http address with nothing behind its port") {
  const auto proxy = parse_proxy_url("http://Aladdin:open%20sesame@proxy.example:3128");
  REQUIRE(proxy);
  CHECK(proxy->endpoint() == "proxy.example:3128");
  CHECK(proxy->user->reveal() == "Aladdin:open%20sesame");
  CHECK(parse_proxy_url("proxy.example:3128/")->endpoint() == "proxy.example:3128");
  CHECK(parse_proxy_url("http://[::1]")->endpoint() == "[::1]:80");
  for (const char* text : {"", "https://proxy.example", "socks5://proxy.example", "http://", "http://u:5ecret@",
                           "http://u:5ecret@proxy.example:0", "http://a b", "http://proxy.example/5ecret",
                           "http://proxy.example?5ecret", "http://proxy.example#5ecret"}) {
    CAPTURE(text);
    const auto wrong = parse_proxy_url(text);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().detail.find("5ecret") == std::string::npos);
  }
}

TEST_CASE("host and port are read, the port only where it is there") {
  CHECK(parse_host_port("A.Example")->host == "a.example");
  CHECK_FALSE(parse_host_port("a.example")->port);
  CHECK(parse_host_port("127.0.0.1:9464")->port == 9464);
  CHECK(parse_host_port("127.0.0.1:0")->port == 0);
  CHECK(parse_host_port("[::1]:9464")->host == "::1");
  for (const char* text :
       {"", ":1", "a:", "a:65536", "a:x", "::1", "[::1", "[zz]", "a/b", "me@a", "a b", "$a", "a?b"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_host_port(text));
  }
}

TEST_CASE("an address of this machine is known as such by how it is written") {
  for (const char* host : {"localhost", "127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"}) {
    CAPTURE(host);
    CHECK(is_loopback(host));
  }
  for (const char* host :
       {"", "a.localhost", "127.evil.example", "127.1", "126.0.0.1", "128.0.0.1", "::2", "0.0.0.0"}) {
    CAPTURE(host);
    CHECK_FALSE(is_loopback(host));
  }
  CHECK(is_ip_address("10.0.0.1"));
  CHECK(is_ip_address("fe80::1"));
  for (const char* host : {"", "10.0.0", "10.0.0.256", "10.0.0.01", "a.example", "[::1]", "10.0.0.1:80"}) {
    CAPTURE(host);
    CHECK_FALSE(is_ip_address(host));
  }
}

TEST_CASE("whatever the address, it is refused or its parts could stand in a request") {
  std::mt19937 chance(20261122);
  const std::string signs = "ahtps://.:@?#[]%2Ff1$ \\\n";
  int taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = i % 2 == 0 ? "https://" : "http://a";
    for (auto left = chance() % 12; left > 0; --left) text += signs[chance() % signs.size()];
    const auto url = parse_url(text);
    if (!url) continue;
    ++taken;
    CAPTURE(text);
    REQUIRE_FALSE(url->host.empty());
    REQUIRE(url->host.find_first_of("$%@ /?#\\\n") == std::string::npos);
    REQUIRE(url->port != 0);
    REQUIRE(url->target.starts_with('/'));
    REQUIRE(url->target.find_first_of(" #\n\\") == std::string::npos);
    const auto again = parse_url(std::string(url->scheme()) + "://" + url->authority() + url->target);
    REQUIRE(again);
    REQUIRE(again->endpoint() == url->endpoint());
    REQUIRE(again->target == url->target);
  }
  CHECK(taken > 1000);
}

}  // namespace
