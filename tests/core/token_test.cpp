#include "vtmirror/core/token.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace vtmirror;
using namespace std::chrono_literals;

TEST_CASE("the token request is a form with every reserved character encoded") {
  const auto form = core::token_form("client 1", base::Secret("a&b=c+d/%~é"), "https://x.example/.default");
  CHECK(form.reveal() ==
        "grant_type=client_credentials&client_id=client%201&client_secret=a%26b%3Dc%2Bd%2F%25~%C3%A9"
        "&scope=https%3A%2F%2Fx.example%2F.default");
}

TEST_CASE("a token's lifetime is what expires_in says, within an hour") {
  const auto lifetime = [](const std::string& rest) {
    return core::parse_token(R"({"token_type":"Bearer","access_token":"abc.def-1_2")" + rest + "}").value().lifetime;
  };
  CHECK(lifetime(R"(,"expires_in":3599)") == 3599s);
  CHECK(lifetime(R"(,"expires_in":"1199")") == 1199s);
  CHECK(lifetime(R"(,"expires_in":86400)") == 3600s);
  CHECK(lifetime(R"(,"expires_in":-5)") == 1199s);
  CHECK(lifetime(R"(,"expires_in":null)") == 1199s);
  CHECK(lifetime("") == 1199s);
}

TEST_CASE("an answer that is not a bearer token is an error that does not quote it") {
  for (const std::string text : {
           R"(<html>login</html>)",
           R"([])",
           R"({"token_type":"Bearer"})",
           R"({"token_type":"mac","access_token":"marked-secret"})",
           R"({"token_type":"Bearer","access_token":""})",
           R"({"token_type":"Bearer","access_token":17})",
           R"({"token_type":"Bearer","access_token":"marked-secret\r\nX-Evil: 1"})",
       }) {
    CAPTURE(text);
    const auto token = core::parse_token(text);
    REQUIRE(token.has_error());
    CHECK(token.error().code == base::Errc::protocol);
    CHECK(token.error().detail.find("marked-secret") == std::string::npos);
  }
}

TEST_CASE("a token is left unused in its last minute, a short one in the last tenth of its life") {
  CHECK(core::token_usable_for(1199s) == 1139s);
  CHECK(core::token_usable_for(600s) == 540s);
  CHECK(core::token_usable_for(100s) == 90s);
  CHECK(core::token_usable_for(5s) == 4500ms);
  CHECK(core::token_usable_for(0s) == 0s);
}
