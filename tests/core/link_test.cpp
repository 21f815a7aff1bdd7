#include "vtmirror/core/listing.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace vtmirror;
using core::link_lifetime;
using namespace std::chrono_literals;
using namespace std::string_literals;
using std::chrono::seconds;

namespace {

const base::Time signed_at = base::parse_time("2023-12-07T11:08:08Z").value();

std::string link_of(const std::string& date, const std::string& expires) {
  return "https://store.example/v1/a.zip?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=" + date +
         "&X-Amz-Expires=" + expires + "&X-Amz-Signature=0a";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '"' || c == '\\' ? "\\"s + c : c == '\n' ? "\\n"s : std::string(1, c);
  return result;
}

/// Why a listing with that link refuses its entry; empty when it takes it.
std::string refusal(const std::string& link, core::ListingRules rules = {}) {
  const auto read =
      core::parse_listing(R"({"bulk":[],"delta":[{"filename":"a.zip","fileSize":1,"fileCreatedOn":"2026-11-16",)"
                          R"("downloadUrl":")" +
                              escaped(link) + "\"}]}",
                          rules);
  REQUIRE(read);
  REQUIRE(read->entries.size() + read->refused.size() == 1);
  if (read->refused.empty()) REQUIRE(read->entries.front().link.reveal() == link);
  return read->refused.empty() ? "" : read->refused.front().why;
}

}  // namespace

TEST_CASE("links with a host are taken whole") {
  for (const auto& link :
       {"https://store.example/a.zip?X-Amz-Signature=0a%2F+b==&x"s, "https://store.example:8443/a"s,
        "HTTPS://store.example"s, "https://s-3_a.store.example?x"s, "https://192.0.2.1/a"s,
        "https://[2001:db8::1]:8443/a"s, "https://[2001:db8::1]/a"s, "https://store.example/mail@home"s,
        "https://store.example/" + std::string(8'192 - 22, 'x')}) {
    CAPTURE(link);
    CHECK(refusal(link).empty());
  }
}

TEST_CASE("links that are not addresses of a store are refused, and not quoted") {
  struct Case {
    std::string link;
    const char* reason;
  };
  for (const Case& row : {Case{"", "empty"},
                          {"store.example/5ecret", "not https"},
                          {"ftp://store.example/5ecret", "not https"},
                          {"file:///etc/5ecret", "not https"},
                          {"://store.example/5ecret", "not https"},
                          {"xhttps://store.example/5ecret", "not https"},
                          {"https:/store.example/5ecret", "not https"},
                          {"https:///5ecret", "host"},
                          {"https://?5ecret", "host"},
                          {"https://:443/5ecret", "host"},
                          {"https://[]/5ecret", "host"},
                          {"https://[::1/5ecret", "host"},
                          {"https://st%6fre.example/5ecret", "host"},
                          {"https://store.example:0/5ecret", "port"},
                          {"https://store.example:65536/5ecret", "port"},
                          {"https://store.example:/5ecret", "port"},
                          {"https://store.example:x/5ecret", "port"},
                          {"https://user:5ecret@store.example/", "user part"},
                          {"https://store.example@evil.example/5ecret", "user part"},
                          {"https://store.example/5ecret b", "space"},
                          {"https://store.example/5ecret\n", "control"},
                          {"https://store.example/5ecret\x7f", "control"},
                          {"https://store.example/\xc3\xa9/5ecret", "another character"},
                          {"https://store.example\\@evil.example/5ecret", "another character"},
                          {"https://store.example/" + std::string(8'192 - 21, 'x'), "8 KiB"}}) {
    const auto& link = row.link;
    const auto& reason = row.reason;
    CAPTURE(link);
    const std::string why = refusal(link);
    CHECK(why.find("downloadUrl") == 0);
    CHECK(why.find(reason) != std::string::npos);
    CHECK(why.find("5ecret") == std::string::npos);
  }
}

TEST_CASE("plain http is taken only where it is allowed") {
  CHECK_FALSE(refusal("http://localhost:8080/a").empty());
  CHECK(refusal("http://localhost:8080/a", {.allow_http = true}).empty());
  CHECK(refusal("https://localhost:8080/a", {.allow_http = true}).empty());
  CHECK_FALSE(refusal("ftp://localhost/a", {.allow_http = true}).empty());
}

TEST_CASE("a link lives until its date and its lifetime are over, in both forms of the date") {
  for (const auto* date :
       {"20231207T110808Z", "2023-12-07T110808Z", "2023-12-07T11%3A08%3A08Z", "2023%2d12%2D07T110808Z"}) {
    CAPTURE(date);
    const std::string link = link_of(date, "300");
    CHECK(link_lifetime(link, signed_at) == 300s);
    CHECK(link_lifetime(link, signed_at + 1min) == 240s);
    CHECK(link_lifetime(link, signed_at + 5min) == 0s);
    CHECK(link_lifetime(link, signed_at + 24h) == 0s);
    CHECK(link_lifetime(link, signed_at - 1h) == 300s);
    CHECK(link_lifetime(link, std::nullopt) == 300s);
  }
}

TEST_CASE("a link's own lifetime is accepted between a second and a week") {
  CHECK(link_lifetime(link_of("20231207T110808Z", "1"), signed_at) == 1s);
  CHECK(link_lifetime(link_of("20231207T110808Z", "604800"), signed_at) == 168h);
  CHECK(link_lifetime(link_of("20231207T110808Z", "%36%30"), signed_at) == 60s);
  for (const auto* expires : {"0", "604801", "-5", "", "abc", "99999999999999999999", "300s", "3e2"}) {
    CAPTURE(expires);
    CHECK(link_lifetime(link_of("20231207T110808Z", expires), signed_at + 1h) == 300s);
  }
}

TEST_CASE("a link whose date is unreadable lives 300 seconds from receipt, or less when it says so") {
  for (const auto* date : {"", "yesterday", "20231307T110808Z", "20231207T110808", "20231231T250000Z", "%zz"}) {
    CAPTURE(date);
    CHECK(link_lifetime(link_of(date, "3600"), signed_at) == 300s);
    CHECK(link_lifetime(link_of(date, "60"), signed_at) == 60s);
  }
}

TEST_CASE("a link that says nothing lives 300 seconds") {
  for (const auto* link :
       {"", "https://store.example/a.zip", "https://store.example/a.zip?", "https://store.example/a?&&=&x",
        "https://store.example/a.zip#X-Amz-Expires=60", "https://store.example/X-Amz-Expires=60"}) {
    CHECK(link_lifetime(link, signed_at) == 300s);
    CHECK(link_lifetime(link, std::nullopt) == 300s);
  }
  CHECK(link_lifetime("https://store.example/a?x-amz-expires=60", std::nullopt) == 60s);
}

TEST_CASE("a lifetime is never negative and never more than a week, whatever the link and the clock say") {
  std::mt19937_64 random{4};
  const std::string letters = "0123456789TZ-:%&=?#X";
  for (int i = 0; i < 20'000; ++i) {
    std::string date, expires;
    for (auto left = random() % 18; left > 0; --left) date += letters[random() % letters.size()];
    for (auto left = random() % 8; left > 0; --left) expires += letters[random() % letters.size()];
    const base::Time now = signed_at + seconds{static_cast<std::int64_t>(random() % 10'000'000'000) - 5'000'000'000};
    const auto lifetime = link_lifetime(link_of(random() % 2 ? date : "20231207T110808Z", expires), now);
    REQUIRE(lifetime >= 0s);
    REQUIRE(lifetime <= 168h);
  }
}

TEST_CASE("a link is left unused in its last ten seconds, a short one in the last fifth of its life") {
  CHECK(core::link_usable_for(300s) == 290s);
  CHECK(core::link_usable_for(50s) == 40s);
  CHECK(core::link_usable_for(10s) == 8s);
  CHECK(core::link_usable_for(2s) == 1600ms);
  CHECK(core::link_usable_for(0s) == 0s);
}
