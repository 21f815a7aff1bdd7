#include "net/destination.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using net::parse_destination;
using net::redirected;

TEST_CASE("a text that is not an address, or one with a user, is refused, and the password is not shown") {
  for (const char* text :
       {"", "https://", "ftp://a.example/", "a.example/x", "https://user@a.example/", "https://user:pw@a.example/",
        "https://@a.example/", "https://a.example:0/", "https://a.example/\r\nX: y"}) {
    CAPTURE(text);
    const auto url = parse_destination(text, true);
    REQUIRE(!url);
    CHECK(url.error().code == base::Errc::protocol);
    CHECK(url.error().detail.find("pw") == std::string::npos);
  }
  CHECK(parse_destination("https://a.example/", false)->endpoint() == "a.example:443");
}

TEST_CASE("plain http is a mistake of the configuration unless it is allowed") {
  CHECK(parse_destination("http://a.example/?token=x", false).error().code == base::Errc::config);
  CHECK(parse_destination("http://a.example/?token=x", false).error().detail.find("token") == std::string::npos);
  CHECK(parse_destination("http://a.example/", true));
  CHECK(parse_destination("http://a.example/token", false, true).error().detail ==
        "plain http is not allowed: a.example:80");
}

TEST_CASE("an error names no private path, and never a query") {
  const auto url = base::parse_url("https://hooks.example:8443/services/T0KEN?key=K3Y").value();
  CHECK(net::shown(url, false) == "https://hooks.example:8443/services/T0KEN");
  CHECK(net::shown(url, true) == "hooks.example:8443");
  const auto refused = net::parse_destination("http://hooks.example/services/T0KEN", false, true);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().detail.find("T0KEN") == std::string::npos);
}

TEST_CASE("a redirect leads to no user, and to plain http only where it is allowed") {
  const auto from = parse_destination("https://a.example:444/b/c/d?q=1", false);
  REQUIRE(from);
  CHECK(redirected(*from, "../x", false)->target == "/b/x");
  for (const char* bad : {"http://b.example/", "javascript:1", "https://u@b.example/", "//u@b.example/", "/a b"}) {
    CAPTURE(bad);
    CHECK(!redirected(*from, bad, false));
  }
  CHECK(redirected(*from, "http://b.example/", true));
}
