#include "net/url.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using net::parse_url;
using net::resolve_reference;

TEST_CASE("an address is taken apart") {
  const auto url = parse_url("HTTPS://Store.Example:8443/v1/a.zip?X-Amz-Date=1&b=%2F#part", false);
  REQUIRE(url);
  CHECK(url->tls);
  CHECK(url->host == "store.example");
  CHECK(url->port == 8443);
  CHECK(url->target == "/v1/a.zip?X-Amz-Date=1&b=%2F");
  CHECK(url->authority() == "store.example:8443");
  CHECK(url->without_query() == "https://store.example:8443/v1/a.zip");
}

TEST_CASE("ports and paths have defaults, and IPv6 literals keep their brackets") {
  struct Row {
    const char *text, *host, *authority, *endpoint, *target;
  };
  const Row rows[] = {
      {"https://a.example", "a.example", "a.example", "a.example:443", "/"},
      {"https://a.example?x", "a.example", "a.example", "a.example:443", "/?x"},
      {"http://a.example:80/b", "a.example", "a.example", "a.example:80", "/b"},
      {"https://[::1]:99/", "::1", "[::1]:99", "[::1]:99", "/"},
      {"https://[2001:DB8::1]/", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443", "/"},
      {"https://10.0.0.1:444/x", "10.0.0.1", "10.0.0.1:444", "10.0.0.1:444", "/x"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const auto url = parse_url(row.text, true);
    REQUIRE(url);
    CHECK(url->host == row.host);
    CHECK(url->authority() == row.authority);
    CHECK(url->endpoint() == row.endpoint);
    CHECK(url->target == row.target);
  }
}

TEST_CASE("what is no address is refused") {
  for (const char* text : {"",
                           "https://",
                           "https:///x",
                           "ftp://a.example/",
                           "//a.example/",
                           "a.example/x",
                           "https://user@a.example/",
                           "https://user:pw@a.example/",
                           "https://a.example:0/",
                           "https://a.example:65536/",
                           "https://a.example:/",
                           "https://a.example:1x/",
                           "https://a b.example/",
                           "https://a.example/a b",
                           "https://a.example/\r\nX: y",
                           "https://a.example/\x01",
                           "https://a.ex\xc3\xa4mple/",
                           "https://[::1/",
                           "https://[x]/",
                           "https://[::1]x/",
                           "https://a.example:-1/",
                           "https://a%41.example/"}) {
    CAPTURE(text);
    const auto url = parse_url(text, true);
    REQUIRE(!url);
    CHECK(url.error().code == base::Errc::protocol);
    CHECK(url.error().detail.find("pw") == std::string::npos);
  }
}

TEST_CASE("plain http is a mistake of the configuration unless it is allowed") {
  CHECK(parse_url("http://a.example/?token=x", false).error().code == base::Errc::config);
  CHECK(parse_url("http://a.example/?token=x", false).error().detail.find("token") == std::string::npos);
  CHECK(parse_url("http://a.example/", true));
}

TEST_CASE("a location is read as seen from the address that was asked") {
  const auto from = parse_url("https://a.example:444/b/c/d?q=1", false);
  REQUIRE(from);
  struct Row {
    const char *location, *origin, *target;
  };
  const Row rows[] = {
      {"https://b.example/x?y", "b.example:443", "/x?y"},
      {"//b.example/x", "b.example:443", "/x"},
      {"/x?y=/../z", "a.example:444", "/x?y=/../z"},
      {"x", "a.example:444", "/b/c/x"},
      {"../x", "a.example:444", "/b/x"},
      {"../../../x", "a.example:444", "/x"},
      {"./x/./y/..", "a.example:444", "/b/c/x/"},
      {"?z", "a.example:444", "/b/c/d?z"},
      {"#f", "a.example:444", "/b/c/d?q=1"},
      {"..", "a.example:444", "/b/"},
      {"x?u=http://y", "a.example:444", "/b/c/x?u=http://y"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.location);
    const auto to = resolve_reference(*from, row.location, false);
    REQUIRE(to);
    CHECK(to->endpoint() == row.origin);
    CHECK(to->target == row.target);
  }
  for (const char* bad : {"http://b.example/", "javascript:1", "https://u@b.example/", "/a b"})
    CHECK(!resolve_reference(*from, bad, false));
}
