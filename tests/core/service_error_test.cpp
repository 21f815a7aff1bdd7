#include "vtmirror/core/answer.hpp"
#include "vtmirror/core/request.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/base/time.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace vtmirror;
using base::Errc;
using core::FailedAnswer;
using namespace std::chrono_literals;
using std::chrono::seconds;

namespace {

const base::Time now = base::parse_time("2026-11-18T08:07:12Z").value();

std::string coded(const std::string& code) {
  return R"({"errorCode":")" + code + R"(","errorMessage":"no","requestId":"1"})";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the API's codes mean what their end says, whatever their prefix and case") {
  struct Case {
    int status;
    const char* code;
    Errc expected;
  };
  for (const Case& row :
       {Case{400, "BR-01", Errc::http_status}, {401, "UA-01", Errc::unauthorised}, {403, "UA-01", Errc::forbidden},
        {403, "FB-01", Errc::forbidden},       {403, "FB-02", Errc::unauthorised}, {403, "FB-03", Errc::forbidden},
        {403, "FB-04", Errc::unauthorised},    {400, "FB-02", Errc::unauthorised}, {429, "RL-01", Errc::rate_limited},
        {429, "RL-02", Errc::rate_limited},    {400, "RL-03", Errc::rate_limited}, {404, "NF-02", Errc::http_status},
        {412, "PC-01", Errc::http_status},     {500, "UN-01", Errc::http_status},  {403, "XX-99", Errc::http_status},
        {403, "", Errc::http_status},          {403, "FB-020", Errc::http_status}, {403, "XFB-02", Errc::http_status},
        {401, "", Errc::unauthorised},         {429, "", Errc::rate_limited},      {503, "", Errc::rate_limited},
        {400, "UA-01", Errc::http_status},     {400, "FB-03", Errc::http_status},  {502, "", Errc::http_status}}) {
    const auto& status = row.status;
    const auto& code = row.code;
    const auto& expected = row.expected;
    for (const std::string& written :
         {std::string{code}, "MOTH-" + std::string{code}, "a-b-" + base::lower(code), "x_" + std::string{code}}) {
      const std::string body = coded(*code ? written : "");
      CAPTURE(body);
      CAPTURE(status);
      const auto error = core::api_error({status, body});
      CHECK(error.code == expected);
      CHECK(error.status == status);
      if (!std::string_view(code).starts_with("X")) CHECK(error.service_code == code);
    }
  }
}

TEST_CASE("an API error contains status, code, message and request ID") {
  CHECK(core::api_error({403, R"({"errorCode":"MOTH-FB-01","errorMessage":"No permission","requestId":"4711"})"})
            .detail == R"(HTTP 403 MOTH-FB-01 "No permission" (request id 4711))");
  CHECK(core::api_error({400, R"({"errorCode":"BR-01","requestId":4711})"}).detail ==
        "HTTP 400 BR-01 (request id 4711)");
  CHECK(core::api_error({403, R"({"message":"Forbidden"})"}).detail == R"(HTTP 403 "Forbidden")");
}

TEST_CASE("an unknown API key is said in plain words, whatever the service says of it") {
  for (const auto* body : {R"({"errorCode":"MOTH-FB-03"})", R"({"errorCode":"FB-03","errorMessage":"denied"})"})
    CHECK(core::api_error({403, body}).detail.starts_with("the service does not know the API key: HTTP 403 "));
}

TEST_CASE("an API error without a readable body contains only its status") {
  for (const auto* body :
       {"", "<html><body>Bad gateway</body></html>", "null", "[]", "7", "{", R"({"errorCode":{},"message":[]})",
        R"({"errorCode":null,"errorMessage":7,"requestId":{"a":1}})", "plain access_token=5ecret"}) {
    CAPTURE(body);
    CHECK(core::api_error({502, body}).detail == "HTTP 502");
  }
  CHECK(core::api_error({502, std::string(100'000, '[')}).detail == "HTTP 502");
}

TEST_CASE("a rate limit waits as long as it says, else as long as its code means") {
  CHECK(core::api_error({429, coded("MOTH-RL-01")}).retry_after == seconds{24h});
  CHECK(core::api_error({429, coded("MOTH-RL-02")}).retry_after == seconds{2min});
  CHECK(core::api_error({429, coded("MOTH-RL-01"), 10s}).retry_after == 10s);
  CHECK(core::api_error({429, coded("MOTH-RL-02"), 0s}).retry_after == 0s);
  CHECK(core::api_error({429, ""}).retry_after == std::nullopt);
  CHECK(core::api_error({503, "", 30s}).retry_after == 30s);
  CHECK(core::api_error({403, coded("FB-03")}).retry_after == std::nullopt);
}

TEST_CASE("a wrong secret and an expired one are distinguished by the issuer's own codes, and by nothing else") {
  struct Case {
    std::string body;
    std::string_view code;
    std::string detail;
  };
  for (const auto& row :
       {Case{R"({"error":"invalid_client","error_description":"Invalid client secret","error_codes":[7000215]})",
             core::wrong_secret, "the client secret is wrong (AADSTS7000215)"},
        Case{R"({"error":"invalid_client","error_codes":[7000222]})", core::expired_secret,
             "the client secret has expired (AADSTS7000222)"},
        Case{R"({"error":"invalid_client","error_description":"Client authentication failed"})", "invalid_client",
             R"(HTTP 401 invalid_client "Client authentication failed")"},
        Case{R"({"error":"invalid_client","error_description":"AADSTS7000215: no codes"})", core::wrong_secret,
             "the client secret is wrong (AADSTS7000215)"},
        Case{R"({"error":"invalid_client","error_codes":[50012,7000222]})", core::expired_secret,
             "the client secret has expired (AADSTS7000222)"},
        Case{R"({"error":"invalid_client","error_codes":[7000222,7000215]})", "invalid_client",
             "HTTP 401 invalid_client (codes 7000222,7000215)"},
        Case{R"({"error":"invalid_client","error_description":"see AADSTS7000215","error_codes":[17000222]})",
             "invalid_client", R"(HTTP 401 invalid_client "see AADSTS7000215" (codes 17000222))"}}) {
    CAPTURE(row.body);
    const auto error = core::token_error({401, row.body});
    CHECK(error.code == Errc::forbidden);
    CHECK(error.service_code == row.code);
    CHECK(error.detail == row.detail);
  }
}

TEST_CASE("the issuer's refusal of the client needs a person, whatever the status") {
  const auto error = core::token_error(
      {401,
       R"({"error":"invalid_client","error_description":"7000223: the secret has expired","error_codes":[7000223,7]})"});
  CHECK(error.code == Errc::forbidden);
  CHECK(error.status == 401);
  CHECK(error.detail == R"(HTTP 401 invalid_client "7000223: the secret has expired" (codes 7000223,7))");
  CHECK(error.service_code == "invalid_client");
  CHECK(core::token_error({400, R"({"error":"Invalid_Scope"})"}).service_code == "invalid_scope");
  CHECK(core::token_error({400, R"({"error":"invalid_client"})"}).code == Errc::forbidden);
}

TEST_CASE("a 401 of the issuer is a refused client, whatever the issuer calls it") {
  const auto error = core::token_error(
      {401, R"({"error":"unauthorized_client","error_description":"Invalid client or Invalid client credentials"})"});
  CHECK(error.code == Errc::forbidden);
  CHECK(error.service_code == "invalid_client");
  CHECK(error.detail == R"(HTTP 401 unauthorized_client "Invalid client or Invalid client credentials")");
  CHECK(core::token_error({400, R"({"error":"unauthorized_client"})"}).code == Errc::http_status);
  CHECK(core::token_error({401, "<html>log in</html>"}).code == Errc::http_status);
}

TEST_CASE("other errors of the issuer follow their status") {
  CHECK(core::token_error({400, R"({"error":"invalid_scope"})"}).code == Errc::http_status);
  CHECK(core::token_error({400, R"({"error":"invalid_scope"})"}).detail == "HTTP 400 invalid_scope");
  CHECK(core::token_error({429, "", 7s}) ==
        base::Error{Errc::rate_limited, "too many requests (HTTP 429); it asks to wait 7s", 429, 7s});
  CHECK(core::token_error({503, "<html>"}).code == Errc::rate_limited);
  CHECK(core::token_error({503, "<html>"}).detail == "the token issuer is unavailable (HTTP 503)");
  CHECK(core::api_error({503, "<html>"}).detail == "the service is unavailable (HTTP 503)");
  CHECK(core::token_error({500, "not JSON invalid_client"}).code == Errc::http_status);
}

TEST_CASE("the store's status says whether a fresh link may help") {
  struct Case {
    int status;
    Errc expected;
  };
  for (const Case& row : {Case{400, Errc::link_refused},
                          {401, Errc::link_refused},
                          {403, Errc::link_refused},
                          {404, Errc::link_refused},
                          {410, Errc::link_refused},
                          {412, Errc::changed_upstream},
                          {416, Errc::changed_upstream},
                          {429, Errc::rate_limited},
                          {503, Errc::rate_limited},
                          {405, Errc::http_status},
                          {408, Errc::http_status},
                          {500, Errc::http_status},
                          {502, Errc::http_status},
                          {302, Errc::http_status}}) {
    const auto& status = row.status;
    const auto& expected = row.expected;
    CAPTURE(status);
    const auto error = core::store_error({status, "", 3s});
    CHECK(error.code == expected);
    CHECK(error.status == status);
    CHECK(error.retry_after == 3s);
  }
}

TEST_CASE("of the store's error body, only code and message are reported") {
  const auto error = core::store_error({403, R"(<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code>
    <Message>The signature &amp;quot;does not&quot; match &lt;here&gt;</Message><AWSAccessKeyId>AKIA5ecret</AWSAccessKeyId>
    <StringToSign>5ecret</StringToSign><SignatureProvided>5ecret</SignatureProvided><HostId>5ecret</HostId></Error>)"});
  CHECK(error.detail ==
        R"(the store answered HTTP 403 SignatureDoesNotMatch "The signature &quot;does not" match <here>")");
  CHECK(core::store_error({403, "<Error><Message>\n  Request has expired\n</Message></Error>"}).detail ==
        R"(the store answered HTTP 403 "Request has expired")");
}

TEST_CASE("a refusal of the store names its host, if that is known") {
  CHECK(core::store_error({.status = 404, .host = "files.example"}).detail ==
        "the store at files.example answered HTTP 404");
  CHECK(core::store_error({.status = 404}).detail == "the store answered HTTP 404");
}

TEST_CASE("a store's error body that is broken or of another kind is ignored") {
  for (const auto* body :
       {"", "AccessDenied 5ecret", "<Code>", "<Code>5ecret", "<Code></Code>", "<Code><b>5ecret</b></Code>",
        "<Message>5ecret</Code>", R"({"message":"5ecret"})", "<html>5ecret</html>"}) {
    CAPTURE(body);
    CHECK(core::store_error({403, body}).detail == "the store answered HTTP 403");
  }
}

TEST_CASE("no error contains a key, a token or a signature that a message quotes, nor a control character") {
  const std::string json =
      R"({"errorCode":"X-Amz-Signature=5ecret","errorMessage":"at https:\/\/a.example?sig=5ecret&x\n)"
      R"(client_secret=5ecret","requestId":"access_token=5ecret","error":"sig=5ecret\u001b",)"
      R"("error_description":"client_secret=5ecret\r","error_codes":["sig=5ecret"]})";
  const std::string xml =
      "<Error><Code>sig=5ecret</Code><Message>&lt;AWSAccessKeyId&gt;5ecret&lt;/AWSAccessKeyId&gt;\n"
      "X-Amz-Credential=5ecret</Message></Error>";
  for (const auto& error :
       {core::api_error({400, json}), core::token_error({400, json}), core::store_error({400, xml})}) {
    CAPTURE(error.detail);
    CHECK_FALSE(has(error.detail, "5ecret"));
    CHECK(has(error.detail, "***"));
    for (const char c : error.detail) CHECK(static_cast<unsigned char>(c) >= ' ');
  }
}

TEST_CASE("an error's text is short, however long the body") {
  const std::string body = R"({"errorCode":")" + std::string(9'000, 'c') + R"(","errorMessage":")" +
                           std::string(9'000, 'm') + R"(","requestId":")" + std::string(9'000, 'r') + "\"}";
  CHECK(core::api_error({400, body}).detail.size() < 500);
  CHECK(core::store_error({400, "<Message>" + std::string(90'000, 'm') + "</Message>"}).detail.size() < 500);
}

TEST_CASE("any bytes make an error of the status they came with") {
  std::mt19937 random{8};
  const std::string letters = "{}[]\",:<>/CodeMessage&lt;errorCode\\u0\x80\xff";
  for (int i = 0; i < 5'000; ++i) {
    std::string body;
    for (auto left = random() % 80; left > 0; --left) body += letters[random() % letters.size()];
    REQUIRE(core::api_error({500, body}).code == Errc::http_status);
    REQUIRE(core::token_error({500, body}).status == 500);
    REQUIRE(core::store_error({403, body}).code == Errc::link_refused);
  }
}

TEST_CASE("Retry-After is a number of seconds or a date") {
  CHECK(core::retry_after("120", std::nullopt) == 120s);
  CHECK(core::retry_after(" 0 ", now) == 0s);
  CHECK(core::retry_after("Wed, 18 Nov 2026 08:09:12 GMT", now) == 120s);
  CHECK(core::retry_after("Wed, 18 Nov 2026 08:07:12 GMT", now + 1ms) == 0s);
  CHECK(core::retry_after("Wed, 18 Nov 2026 08:07:13 GMT", now + 1ms) == 1s);
  CHECK(core::retry_after("Wed, 18 Nov 2026 08:00:00 GMT", now) == 0s);
  CHECK(core::retry_after("Wed, 18 Nov 2026 08:09:12 GMT", std::nullopt) == std::nullopt);
  CHECK(core::retry_after("9223372036854775807", now).value() > 24h);
  CHECK(core::retry_after("99999999999999999999", now) == core::retry_after("9223372036854775807", now));
  for (const auto* header : {"", "-5", "soon", "1.5", "5s"}) {
    CAPTURE(header);
    CHECK(core::retry_after(header, now) == std::nullopt);
  }
}

TEST_CASE("no eight characters of a known secret are in an error, wherever the limits cut the body") {
  std::mt19937 random{29};
  const auto text = [&random](std::size_t size) {
    std::string made;
    while (made.size() < size) made += "abcdef0123456789ABCDEF~._-"[random() % 26];
    return made;
  };
  for (int i = 0; i < 3'000; ++i) {
    base::KnownSecrets known;
    const auto secret = text(8 + random() % 50);
    known.add(base::Secret(secret));
    const auto field = [&] { return std::string(random() % 330, ' ') + secret + text(random() % 4); };
    const auto json = R"({"errorCode":")" + field() + R"(","errorMessage":")" + field() + R"(","requestId":")" +
                      field() + R"(","error":")" + field() + R"(","error_description":")" + field() +
                      R"(","error_codes":[")" + field() + "\"]}";
    const auto xml = "<Error><Code>" + field() + "</Code><Message>" + field() + "</Message></Error>";
    const FailedAnswer answer{.status = 403, .body = json, .known = &known};
    for (const auto& error : {core::api_error(answer), core::token_error(answer),
                              core::store_error({.status = 403, .body = xml, .known = &known})}) {
      const auto shown = base::lower(error.detail + "\n" + error.service_code);
      CAPTURE(secret);
      for (std::size_t at = 0; at + 8 <= secret.size(); ++at)
        REQUIRE(shown.find(base::lower(secret.substr(at, 8))) == std::string::npos);
    }
  }
}

TEST_CASE("what stands between two fields completes no part of a secret") {
  base::KnownSecrets known;
  known.add(base::Secret("Qx7~fuzz-s3cr3t-42"));
  // A blank counts as "-", so that " s3cr3t-" has eight characters of it.
  const auto error = core::api_error({.status = 403, .body = R"({"errorCode":"s3cr3t-z"})", .known = &known});
  CHECK_FALSE(known.appear_in(error.detail));
  CHECK(error.detail.starts_with("HTTP 403***z"));
}

TEST_CASE("an error keeps its code and its words around a known secret") {
  base::KnownSecrets known;
  known.add(base::Secret("key-0123456789abcdef"));
  const auto error =
      core::api_error({.status = 403,
                       .body = R"({"errorCode":"MOTH-FB-03","errorMessage":"no key key-0123456789abcdef",)"
                               R"("requestId":"4711"})",
                       .known = &known});
  CHECK(error.service_code == "FB-03");
  CHECK(error.detail.starts_with(
      R"(the service does not know the API key: HTTP 403 MOTH-FB-03 "no key ***" (request id 4711))"));
}
