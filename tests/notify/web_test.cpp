#include "notify/channel_rig.hpp"
#include "notify/chat.hpp"

#include <doctest/doctest.h>

namespace vtmirror::test {
namespace {

const auto url = base::parse_url("https://hooks.example:8443/services/T0KEN?key=S3CRET").value();

core::Notice cycle(core::Urgency urgency) {
  core::Notice notice{.topic = core::Topic::cycle, .code = "cycle"};
  notice.urgency = urgency;
  notice.id = "0123abcd";
  return notice;
}

TEST_CASE("a webhook gets the notice as JSON, with its id as the key by which a repeated one is known") {
  ChannelRig rig;
  const auto logged = rig.log(notify::make_webhook(rig.resources(), {url}), published());
  REQUIRE(logged);
  CHECK(*logged == "HTTP 204 from hooks.example:8443");
  REQUIRE(rig.http.requests.size() == 1);
  const auto& request = rig.http.requests.front();
  CHECK(request.method == "POST");
  CHECK(request.url == url.text());
  CHECK(request.body == core::notice_json(published()));
  REQUIRE(request.headers.size() == 2);
  CHECK(request.headers[0].value == "application/json");
  CHECK(request.headers[1].name == "Idempotency-Key");
  CHECK(request.headers[1].value == "0123abcd");
}

TEST_CASE("Slack and Teams get warnings alone, in the form that they accept, with the same id") {
  ChannelRig rig;
  struct Case {
    notify::WebhookFormat format;
    std::string body;
  };
  for (const auto& each : {Case{notify::WebhookFormat::slack, notify::slack_json(published(), "fleet1")},
                           Case{notify::WebhookFormat::teams, notify::teams_json(published(), "fleet1")}}) {
    CAPTURE(each.body);
    const auto webhook = notify::make_webhook(rig.resources(), {url, each.format, "fleet1"});
    CHECK(webhook->topics() == std::vector<core::Topic>{core::Topic::warning});
    CHECK(rig.log(webhook, published()));
    CHECK(rig.http.requests.back().body == each.body);
    CHECK(rig.http.requests.back().headers.at(1).value == "0123abcd");
  }
}

TEST_CASE("only an answer of the 2xx kind is a delivery") {
  ChannelRig rig;
  const auto webhook = notify::make_webhook(rig.resources(), {url});
  struct Case {
    int status;
    std::optional<base::Errc> code;
  };
  for (const auto& each :
       {Case{200, {}}, Case{299, {}}, Case{301, base::Errc::http_status}, Case{404, base::Errc::forbidden},
        Case{408, base::Errc::http_status}, Case{429, base::Errc::rate_limited}, Case{500, base::Errc::http_status},
        Case{503, base::Errc::rate_limited}}) {
    CAPTURE(each.status);
    rig.http.answer = ports::Response{.status = each.status, .retry_after = std::chrono::seconds(7)};
    const auto logged = rig.log(webhook, published());
    CHECK(logged.has_value() == !each.code);
    if (logged.has_error()) CHECK(logged.error().code == *each.code);
    if (logged.has_error()) CHECK(logged.error().retry_after == std::chrono::seconds(7));
  }
}

TEST_CASE("a web page in the place of a chat service's answer is no delivery; their own answers are") {
  ChannelRig rig;
  for (const auto format : {notify::WebhookFormat::slack, notify::WebhookFormat::teams}) {
    const auto webhook = notify::make_webhook(rig.resources(), {url, format, "fleet1"});
    // Slack calls its "ok" HTML.
    for (const std::string answer : {"ok", "1", "", "{\"ok\": true}"}) {
      CAPTURE(answer);
      rig.http.answer = ports::Response{.status = 200, .body = answer, .content_type = "text/html"};
      CHECK(rig.log(webhook, published()));
    }
    for (const std::string page : {"<!DOCTYPE html><title>Log in</title>", "\xef\xbb\xbf\r\n  <html>"}) {
      CAPTURE(page);
      rig.http.answer = ports::Response{.status = 200, .body = page, .content_type = "text/html"};
      const auto logged = rig.log(webhook, published());
      REQUIRE_FALSE(logged);
      CHECK(logged.error().code == base::Errc::protocol);
      CHECK(
          logged.error().detail ==
          "HTTP 200 from hooks.example:8443, but with a web page: a proxy or a login page answers in its place, or the "
          "address is that of a page");
    }
  }
}

TEST_CASE("a receiver of one's own may answer with a web page, which is said") {
  ChannelRig rig;
  rig.http.answer = ports::Response{.status = 200, .body = "<html>thanks</html>"};
  const auto logged = rig.log(notify::make_webhook(rig.resources(), {url}), published());
  REQUIRE(logged);
  CHECK(*logged == "HTTP 200 from hooks.example:8443, with a web page");
  CHECK(rig.log(notify::make_heartbeat(rig.resources(), url), cycle(core::Urgency::info)));
}

TEST_CASE("messages contain nothing of an address but its host") {
  ChannelRig rig;
  rig.http.answer = base::Error{base::Errc::protocol, "hooks.example:8443: connection refused"};
  const auto sent = rig.log(notify::make_webhook(rig.resources(), {url}), published());
  REQUIRE_FALSE(sent);
  CHECK(sent.error().detail.find("hooks.example:8443") != std::string::npos);
  // Network errors would name the address otherwise (tests/net/destination_test.cpp).
  CHECK(rig.http.requests.back().private_path);
  rig.http.answer = ports::Response{.status = 404, .body = "no such hook T0KEN"};
  CHECK(rig.log(notify::make_webhook(rig.resources(), {url}), published()).error().detail ==
        "HTTP 404 from hooks.example:8443");
}

TEST_CASE("a heartbeat is a plain GET after a complete cycle, and one with /fail after another") {
  ChannelRig rig;
  const auto heartbeat =
      notify::make_heartbeat(rig.resources(), base::parse_url("https://ping.example/4711/?a=b").value());
  CHECK(rig.log(heartbeat, cycle(core::Urgency::info)));
  CHECK(rig.log(heartbeat, cycle(core::Urgency::error)));
  REQUIRE(rig.http.requests.size() == 2);
  CHECK(rig.http.requests[0].method == "GET");
  CHECK(rig.http.requests[0].url == "https://ping.example/4711/?a=b");
  CHECK(rig.http.requests[0].body.empty());
  CHECK(rig.http.requests[1].url == "https://ping.example/4711/fail?a=b");
}

}  // namespace
}  // namespace vtmirror::test
