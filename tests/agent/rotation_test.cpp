#include "vtmirror/agent/rotation.hpp"

#include "support/jumping_clock.hpp"
#include "support/memory_secrets.hpp"
#include "support/secret_service.hpp"
#include "support/silent_journal.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <exception>
#include <optional>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

namespace {

/// What survives a process: the service, the disk, the journal.
struct Place {
  JumpingClock clock;
  LoadedDice dice;
  SecretService service;
  SilentJournal journal;
  MemorySecrets secrets;
  agent::RotationSettings settings;

  Place() {
    settings.service.base_url = "https://api.example/";
    settings.service.token_url = "https://issuer.example/token";
    settings.service.client_id = "client";
    settings.service.client_secret = base::Secret("old");
    settings.service.api_key = base::Secret("key");
    settings.email = "a@b.example";
    settings.given = "print of old";
  }

  /// A process that does one thing with the secret that is in use.
  template <class Call>
  auto process(Call call) {
    using Value = typename decltype(call(std::declval<agent::Rotation&>()))::value_type;
    settings.service.client_secret = base::Secret(secrets.kept.value_or("old"));
    boost::asio::io_context loop;
    boost::asio::thread_pool pool(1);
    std::optional<Value> outcome;
    {
      agent::Rotation rotation({clock, dice, service, journal}, pool, secrets, settings);
      auto ended = [&](std::exception_ptr failure, Value value) {
        if (failure) std::rethrow_exception(failure);
        outcome.emplace(std::move(value));
      };
      boost::asio::co_spawn(loop, call(rotation), ended);
      loop.run();
      pool.join();
    }
    return std::move(*outcome);
  }
  base::Result<void> rotate() {
    return process([](agent::Rotation& rotation) { return rotation.rotate(); });
  }
  base::Result<bool> finish() {
    return process([](agent::Rotation& rotation) { return rotation.finish(); });
  }
  base::Result<void> set(const char* secret) {
    return process([secret](agent::Rotation& rotation) { return rotation.set(base::Secret(secret)); });
  }
  void answer(int status, std::string body, std::string type = "application/json") {
    service.credentials_script = [=]() -> base::Result<ports::Response> {
      return ports::Response{.status = status, .body = body, .content_type = type};
    };
  }
  std::string in_use() const { return secrets.kept.value_or("old"); }
};

bool mentions(const base::Error& error, const std::string& words) {
  return error.detail.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a new secret is requested once, verified, and then in use") {
  Place place;
  REQUIRE(place.rotate());
  CHECK(place.in_use() == "new-1");
  CHECK_FALSE(place.secrets.fresh);
  CHECK(place.service.asked == 1);
  CHECK(place.service.tried == std::vector<std::string>{"old", "new-1"});
  REQUIRE(place.secrets.records.size() == 1);
  CHECK(place.secrets.records[0].fingerprint == "print of new-1");
  CHECK(place.secrets.records[0].by_service);
  CHECK(place.secrets.records[0].given == "print of old");
  CHECK(place.journal.count(ports::EventKind::secret_changed) == 1);
}

TEST_CASE("the request is made as the settings say, with both headers") {
  Place place;
  place.settings.credentials_method = "POST";
  place.settings.credentials_path = "/v2/secrets";
  place.settings.key_property = "awsApiKeyValue";
  REQUIRE(place.rotate());
  const auto& request = place.service.last_asked;
  CHECK(request.method == "POST");
  CHECK(request.url == "https://api.example/v2/secrets");
  CHECK(request.body == R"({"awsApiKeyValue":"key","email":"a@b.example"})");
  std::string headers;
  for (const auto& header : request.headers) headers += header.name + ": " + header.value + "\n";
  CHECK(headers.find("Authorization: Bearer token-of-old\n") != std::string::npos);
  CHECK(headers.find("X-API-Key: key\n") != std::string::npos);
}

TEST_CASE("whatever step a process dies at, no secret that was issued is lost, and the old one works until then") {
  for (const bool after : {false, true}) {
    for (int call = 1;; ++call) {
      CAPTURE(after);
      CAPTURE(call);
      Place place;
      place.secrets.die_at(call, after);
      const auto first = place.rotate();
      const bool died = place.secrets.died();
      const auto issued = place.service.issued;
      CHECK((place.in_use() == "old" || place.in_use() == "new-1"));
      place.secrets.restart();
      const auto found = place.finish();
      REQUIRE(found);
      if (!issued.empty() && !place.secrets.lost) CHECK(place.in_use() == issued[0]);
      if (place.in_use() != "old") {
        CHECK_FALSE(place.secrets.fresh);
        REQUIRE(place.secrets.records.size() == 1);
        CHECK(place.secrets.records[0].fingerprint == "print of " + place.in_use());
      }
      CHECK(place.service.asked <= 1);
      if (!died) {
        CHECK(first);
        break;
      }
      CHECK_FALSE(first);
    }
  }
}

TEST_CASE("a secret that was left unverified is verified and used instead of requesting another") {
  Place place;
  place.secrets.fresh = "left";
  place.service.accepted.insert("left");
  REQUIRE(place.rotate());
  CHECK(place.in_use() == "left");
  CHECK(place.service.asked == 0);
}

TEST_CASE("a new secret that the issuer does not know yet is tried again, kept, and never asked for twice") {
  Place place;
  place.answer(200, R"({"clientSecret":"slow"})");
  const auto rotated = place.rotate();
  REQUIRE_FALSE(rotated);
  CHECK(rotated.error().code == Errc::forbidden);
  CHECK(mentions(rotated.error(), "the old one stays in use"));
  CHECK(mentions(rotated.error(), "remove client_secret.new"));
  CHECK(place.in_use() == "old");
  CHECK(place.secrets.fresh == "slow");
  CHECK(std::count(place.service.tried.begin(), place.service.tried.end(), "slow") == 5);
  CHECK_FALSE(place.rotate());
  CHECK(place.service.asked == 1);
  place.service.accepted.insert("slow");
  CHECK(place.finish().value());
  CHECK(place.in_use() == "slow");
}

TEST_CASE("an answer that holds no secret leaves everything as it was, and says that one may have been issued") {
  const std::vector<std::pair<std::string, std::string>> answers{
      {"{}", "application/json"},
      {R"({"clientSecret":""})", "application/json"},
      {R"({"clientSecret":7})", "application/json"},
      {R"({"clientSecret":")" + std::string(1 << 20, 'x') + "\"}", "application/json"},
      {R"({"clientSecret":"marked"})", "text/html"},
      {"<html>marked</html>", "text/html"},
      {"", "application/json"}};
  for (const auto& answer : answers) {
    const auto& body = answer.first;
    const auto& type = answer.second;
    CAPTURE(type);
    Place place;
    place.answer(200, body, type);
    const auto rotated = place.rotate();
    REQUIRE_FALSE(rotated);
    CHECK(rotated.error().code == Errc::protocol);
    CHECK(mentions(rotated.error(), "may still have issued a new secret"));
    CHECK_FALSE(mentions(rotated.error(), "marked"));
    CHECK(place.in_use() == "old");
    CHECK_FALSE(place.secrets.fresh);
    CHECK(place.service.asked == 1);
  }
}

TEST_CASE("a secret that comes with any answer of success is taken") {
  for (const int status : {200, 201, 202}) {
    CAPTURE(status);
    Place place;
    place.service.accepted.insert("given");
    place.answer(status, R"({"clientSecret":"given"})");
    CHECK(place.rotate());
    CHECK(place.in_use() == "given");
  }
}

TEST_CASE("a refusal is reported once, with the service's message, with and without an error code") {
  for (const auto& body :
       {std::string(R"({"errorCode":"MOTH-BR-01","errorMessage":"no such address"})"), std::string()}) {
    Place place;
    place.answer(400, body, "application/json");
    const auto rotated = place.rotate();
    REQUIRE_FALSE(rotated);
    CHECK(mentions(rotated.error(), "HTTP 400"));
    CHECK(mentions(rotated.error(), "issued no new secret"));
    CHECK(mentions(rotated.error(), "check credentials.email and service.credentials_key_property"));
    CHECK(mentions(rotated.error(), "no such address") == !body.empty());
    CHECK(place.in_use() == "old");
    CHECK(place.service.asked == 1);
  }
}

TEST_CASE("at the ceiling of active secrets it says so in clear text and does not ask again") {
  Place place;
  place.answer(412, R"({"errorCode":"MOTH-PC-01","errorMessage":"Limit of active client secrets reached"})");
  const auto rotated = place.rotate();
  REQUIRE_FALSE(rotated);
  CHECK(mentions(rotated.error(), "as many secrets as it allows to be active"));
  CHECK(place.service.asked == 1);
  CHECK(place.in_use() == "old");
  CHECK_FALSE(place.secrets.fresh);
}

TEST_CASE("a connection that is cut after the request was sent may have cost a secret, and it says so") {
  Place place;
  place.service.credentials_script = []() -> base::Result<ports::Response> {
    return base::Error{Errc::unreachable, "api.example:443: the answer was cut"};
  };
  const auto rotated = place.rotate();
  REQUIRE_FALSE(rotated);
  CHECK(mentions(rotated.error(), "may still have issued a new secret"));
  CHECK(place.service.asked == 1);
}

TEST_CASE("a connection that never stood has cost nothing, and it says so") {
  Place place;
  place.service.connect_script = [](const ports::Request& request) -> std::optional<base::Error> {
    if (request.url.ends_with("/token")) return std::nullopt;
    return base::Error{Errc::unreachable, "api.example:443 refuses the connection"};
  };
  const auto rotated = place.rotate();
  REQUIRE_FALSE(rotated);
  CHECK(mentions(rotated.error(), "no new secret was requested"));
  CHECK_FALSE(mentions(rotated.error(), "may have issued"));
}

TEST_CASE("if the old secret is refused, the error says what helps, and no new one is requested") {
  Place place;
  place.service.accepted.clear();
  const auto rotated = place.rotate();
  REQUIRE_FALSE(rotated);
  CHECK(rotated.error().code == Errc::forbidden);
  CHECK(mentions(rotated.error(), "`vtmirror secret set`"));
  CHECK(place.service.tokens == 1);
  CHECK(place.service.asked == 0);
}

TEST_CASE("two processes never change the secret at one time") {
  Place place;
  place.secrets.turn_taken = true;
  const auto rotated = place.rotate();
  REQUIRE_FALSE(rotated);
  CHECK(rotated.error().code == Errc::locked);
  CHECK(place.service.tokens == 0);
}

TEST_CASE("a secret from a person is verified before it touches the disk") {
  Place place;
  place.service.accepted.insert("sent");
  REQUIRE(place.set("sent"));
  CHECK(place.in_use() == "sent");
  CHECK_FALSE(place.secrets.records.at(0).by_service);
  CHECK(place.service.asked == 0);

  const auto wrong = place.set("mistyped");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == Errc::forbidden);
  CHECK(mentions(wrong.error(), "nothing has changed"));
  CHECK_FALSE(mentions(wrong.error(), "mistyped"));
  CHECK(place.in_use() == "sent");
  CHECK_FALSE(place.secrets.fresh);
}

TEST_CASE("a secret from a person is known for one, whatever step the process dies at") {
  for (const bool after : {false, true}) {
    for (int call = 1; call < 12; ++call) {
      CAPTURE(after);
      CAPTURE(call);
      Place place;
      place.service.accepted.insert("sent");
      place.secrets.die_at(call, after);
      static_cast<void>(place.set("sent"));
      place.secrets.restart();
      CHECK(place.finish());
      CHECK((place.in_use() == "old" || !place.secrets.records.at(0).by_service));
    }
  }
}

TEST_CASE("a secret from a person works after the old one has expired") {
  Place place;
  place.service.accepted = {"sent"};
  REQUIRE(place.set("sent"));
  CHECK(place.in_use() == "sent");
}

TEST_CASE("no event contains a secret") {
  Place place;
  REQUIRE(place.rotate());
  place.service.accepted.insert("sent");
  REQUIRE(place.set("sent"));
  for (const auto& event : place.journal.events) {
    CHECK(event.message.find("new-1") == std::string::npos);
    CHECK(event.message.find("sent") == std::string::npos);
  }
}
