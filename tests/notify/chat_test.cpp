#include "notify/chat.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

namespace vtmirror {
namespace {

core::Notice notice_of(std::string message, std::string remedy) {
  core::Notice notice{.topic = core::Topic::warning, .code = "cycle_failed"};
  notice.message = std::move(message);
  if (!remedy.empty()) notice.fields = {{"reason", std::string("v1/a.zip: ...")}, {"remedy", std::move(remedy)}};
  return notice;
}

TEST_CASE("a notice's headline names the program, the host and what happened, and no internal code") {
  const auto notice = notice_of("resolved: delta 20 Nov was published", "");
  CHECK(notify::headline(notice, "fleet1") == "[vtmirror fleet1] resolved: delta 20 Nov was published");
  CHECK(notify::headline(notice_of("a\nb\x1b[0m", ""), "fl\neet").find('\n') == std::string::npos);
}

TEST_CASE("a notice with few words of its own has them as its headline, and the whole message below") {
  auto notice = notice_of("token request to login.example/T failed: HTTP 404", "check service.token_url");
  notice.fields.push_back({std::string(core::headline_field), std::string("token request failed: HTTP 404")});
  CHECK(notify::headline(notice, "h") == "[vtmirror h] token request failed: HTTP 404");
  const auto slack = boost::json::parse(notify::slack_json(notice, "h"));
  CHECK(slack.at("text").as_string() ==
        "[vtmirror h] token request failed: HTTP 404\ntoken request to login.example/T failed: HTTP 404\n"
        "What to do: check service.token_url");
  const auto teams = boost::json::parse(notify::teams_json(notice, "h"));
  const auto& body = teams.at("attachments").at(0).at("content").at("body").as_array();
  REQUIRE(body.size() == 3);
  CHECK(body.at(1).at("text").as_string() == "token request to login.example/T failed: HTTP 404");
}

TEST_CASE("Slack gets one text with what to do, and nothing in it is markup") {
  const auto json = notify::slack_json(notice_of("<!here> & more", "check service.token_url"), "fleet1");
  const auto message = boost::json::parse(json).as_object();
  CHECK(message.size() == 1);
  CHECK(message.at("text").as_string() ==
        "[vtmirror fleet1] &lt;!here&gt; &amp; more\nWhat to do: check service.token_url");
  const auto bare = boost::json::parse(notify::slack_json(notice_of("done", ""), "h")).as_object();
  CHECK(bare.at("text").as_string() == "[vtmirror h] done");
}

TEST_CASE("Teams gets an adaptive card that wraps, with what to do in a block of its own") {
  const auto json = notify::teams_json(notice_of("bulk_1 is *late*", "wait"), "fleet1");
  const auto message = boost::json::parse(json).as_object();
  CHECK(message.at("type").as_string() == "message");
  const auto& attachment = message.at("attachments").as_array().at(0).as_object();
  CHECK(attachment.at("contentType").as_string() == "application/vnd.microsoft.card.adaptive");
  const auto& card = attachment.at("content").as_object();
  CHECK(card.at("type").as_string() == "AdaptiveCard");
  const auto& body = card.at("body").as_array();
  REQUIRE(body.size() == 2);
  CHECK(body.at(0).at("text").as_string() == "\\[vtmirror fleet1\\] bulk\\_1 is \\*late\\*");
  CHECK(body.at(0).at("wrap").as_bool());
  CHECK(body.at(1).at("text").as_string() == "What to do: wait");
  const auto bare = boost::json::parse(notify::teams_json(notice_of("done", ""), "h"));
  CHECK(bare.at("attachments").at(0).at("content").at("body").as_array().size() == 1);
}

}  // namespace
}  // namespace vtmirror
