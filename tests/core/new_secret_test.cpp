#include "vtmirror/core/token.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace vtmirror;

namespace {

std::string refusal(const std::string& body, const std::string& type = "application/json") {
  const auto secret = core::parse_new_secret(type, body);
  REQUIRE(secret.has_error());
  CHECK(secret.error().code == base::Errc::protocol);
  return secret.error().detail;
}

}  // namespace

TEST_CASE("the request names the key by the property that the settings say, and the registered address") {
  CHECK(core::credentials_body("cloudApiKeyValue", base::Secret("key-1"), "a@b.example").reveal() ==
        R"({"cloudApiKeyValue":"key-1","email":"a@b.example"})");
  CHECK(core::credentials_body("awsApiKeyValue", base::Secret("a\"b\\c\n"), "x").reveal() ==
        R"({"awsApiKeyValue":"a\"b\\c\u000a","email":"x"})");
}

TEST_CASE("the new secret is taken out of the answer, whatever else is in it") {
  CHECK(core::parse_new_secret("application/json; charset=utf-8", R"({"x":[1],"clientSecret":"s~1 .-_"})")->reveal() ==
        "s~1 .-_");
  CHECK(core::parse_new_secret("", R"({"clientSecret":"s"})")->reveal() == "s");
}

TEST_CASE("an answer without a secret that could be one is refused, and nothing of it is repeated") {
  CHECK(refusal("{}").ends_with("has no clientSecret"));
  CHECK(refusal(R"({"clientSecret":null})").ends_with("has no clientSecret"));
  CHECK(refusal(R"({"clientSecret":["marked"]})").find("marked") == std::string::npos);
  CHECK(refusal(R"({"clientSecret":""})").ends_with("is empty"));
  CHECK(refusal(R"({"clientSecret":")" + std::string(1 << 20, 'x') + "\"}").ends_with("is larger than 4 KiB"));
  CHECK(refusal("{\"clientSecret\":\"marked\\n\"}").find("marked") == std::string::npos);
  CHECK(refusal("marked").ends_with("is not a JSON object"));
  CHECK(refusal("[]").ends_with("is not a JSON object"));
  CHECK(refusal("").ends_with("is not a JSON object"));
  CHECK(refusal(std::string(100'000, '[')).ends_with("is not a JSON object"));
}

TEST_CASE("another content type is no answer, whatever its body looks like") {
  CHECK(refusal(R"({"clientSecret":"marked"})", "text/html; charset=utf-8").find("text/html") != std::string::npos);
  CHECK(refusal(R"({"clientSecret":"marked"})", "text/plain").find("marked") == std::string::npos);
}
