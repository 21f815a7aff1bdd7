#include "catalogue/made.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

namespace vtmirror::test {
namespace {

using catalogue::SecretWarning;
using core::RotationOutcome;

base::Date day(const char* text) { return base::parse_date(text).value(); }

catalogue::CredentialRecord known(const catalogue::Catalogue& catalogue, const std::string& fingerprint) {
  const auto record = catalogue.credential(fingerprint).value();
  REQUIRE(record);
  return *record;
}

TEST_CASE("a secret is first seen once, and a catalogue that never saw it says so") {
  auto catalogue = opened(":memory:");
  CHECK_FALSE(catalogue.credential("a").value());
  REQUIRE(catalogue.keep_credential("a", at(1)));
  REQUIRE(catalogue.keep_credential("a", at(5)));
  CHECK(known(catalogue, "a").first_seen == at(1));
  CHECK_FALSE(known(catalogue, "a").refused_at);
}

TEST_CASE("a refusal keeps the time of its beginning and the last cause, until the secret is accepted again") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_credential("a", at(1)));
  const core::Cause wrong{.code = base::Errc::forbidden,
                          .detail = "wrong",
                          .status = 401,
                          .fields = {{"service_code", "AADSTS7000215"}, {"why", "refused"}}};
  REQUIRE(catalogue.keep_refused("a", at(2), {.code = base::Errc::forbidden, .detail = "expired"}));
  REQUIRE(catalogue.keep_refused("a", at(3), wrong));
  CHECK(known(catalogue, "a").refused_at == at(2));
  CHECK(known(catalogue, "a").refusal == wrong);
  REQUIRE(catalogue.keep_accepted("a"));
  CHECK_FALSE(known(catalogue, "a").refused_at);
  CHECK(known(catalogue, "a").refusal == core::Cause());
  REQUIRE(catalogue.keep_refused("a", at(9), {.detail = "again"}));
  CHECK(known(catalogue, "a").refused_at == at(9));
}

TEST_CASE("warnings survive a restart, each for its secret and day of expiry, once each") {
  const TemporaryDirectory directory;
  const auto path = (directory / "catalogue.db").string();
  {
    auto catalogue = opened(path);
    REQUIRE(catalogue.keep_credential("a", at(1)));
    REQUIRE(catalogue.keep_credential("b", at(1)));
    REQUIRE(catalogue.keep_warning("a", {day("2027-03-01"), 30}, at(2)));
    REQUIRE(catalogue.keep_warning("a", {day("2027-03-01"), 30}, at(3)));
    REQUIRE(catalogue.keep_warning("a", {day("2027-03-01"), 14}, at(3)));
    REQUIRE(catalogue.keep_warning("b", {day("2029-03-01"), 30}, at(3)));
  }
  const auto catalogue = opened(path);
  CHECK(known(catalogue, "a").warnings == std::vector<SecretWarning>{{day("2027-03-01"), 30}, {day("2027-03-01"), 14}});
  CHECK(known(catalogue, "b").warnings == std::vector<SecretWarning>{{day("2029-03-01"), 30}});
}

TEST_CASE("a rotation that was begun and not ended was cut off") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_credential("a", at(1)));
  REQUIRE(catalogue.keep_rotation_begun("a", at(4)));
  CHECK(known(catalogue, "a").rotation_began == at(4));
  CHECK(known(catalogue, "a").rotation_end == core::RotationEnd());
  REQUIRE(catalogue.keep_rotation_end("a", {RotationOutcome::in_use}));
  CHECK(known(catalogue, "a").rotation_end == core::RotationEnd{RotationOutcome::in_use});
  CHECK(known(catalogue, "a").rotation_began == at(4));
}

TEST_CASE("a postponed rotation can begin again, and can be interrupted like the first one") {
  auto catalogue = opened(":memory:");
  REQUIRE(catalogue.keep_credential("a", at(1)));
  REQUIRE(catalogue.keep_rotation_begun("a", at(4)));
  const core::RotationEnd postponed{
      RotationOutcome::postponed,
      core::cause_of(
          {.code = base::Errc::unreachable, .detail = "nobody was there", .status = 503, .service_code = "PC-01"})};
  REQUIRE(catalogue.keep_rotation_end("a", postponed));
  CHECK_FALSE(known(catalogue, "a").rotation_began);
  CHECK(known(catalogue, "a").rotation_end == postponed);
  REQUIRE(catalogue.keep_rotation_begun("a", at(5)));
  CHECK(known(catalogue, "a").rotation_end == core::RotationEnd());
}

TEST_CASE("nothing can be said of a secret that was never seen") {
  auto catalogue = opened(":memory:");
  CHECK_FALSE(catalogue.keep_refused("a", at(2), {.detail = "expired"}));
  CHECK_FALSE(catalogue.keep_rotation_begun("a", at(2)));
  CHECK_FALSE(catalogue.keep_rotation_end("a", {RotationOutcome::in_use}));
  CHECK_FALSE(catalogue.keep_rotation_end("a", {RotationOutcome::postponed}));
  CHECK_FALSE(catalogue.keep_warning("a", {day("2027-03-01"), 30}, at(2)));
  CHECK(catalogue.keep_accepted("a"));
  CHECK_FALSE(catalogue.credential("a").value());
}

}  // namespace
}  // namespace vtmirror::test
