#include "vtmirror/core/cause_json.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/core/request.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace vtmirror::core {
namespace {

std::optional<Cause> read(const std::string& text) {
  const auto parsed = boost::json::parse(text).as_object();
  return cause_in(base::JsonObject(parsed));
}

std::string written(const Cause& cause) {
  return boost::json::serialize(boost::json::object{{"cause", cause_json(cause)}});
}

}  // namespace

TEST_CASE("a cause is read from JSON as it was written") {
  const Cause whole{.code = base::Errc::no_space,
                    .subject = "v1/a.zip",
                    .detail = "the disk is full",
                    .status = 507,
                    .fields = {{"needed", std::int64_t{5'000'000'000}}, {"why", "full"}, {"left", std::int64_t{-1}}}};
  CHECK(read(written(whole)) == whole);
  CHECK(read(written(Cause{})) == Cause{});
  CHECK(written(Cause{}) == R"({"cause":{"code":null,"subject":null,"detail":null,"status":null,"fields":[]}})");
}

TEST_CASE("an error is the same after it was a cause, but for the pause that a server asked for") {
  base::Error error{.code = base::Errc::forbidden, .detail = "token request failed: HTTP 401", .status = 401};
  error.service_code = std::string(wrong_secret);
  error.subject = name(ServiceRequest::token);
  error.why = "HTTP 401";
  error.diagnosis = base::Diagnosis::clock_differs;
  CHECK(error_of(whole_cause_of(error)) == error);
  const base::Error of_file{.code = base::Errc::io, .detail = "not permitted", .subject = "v1/a.zip"};
  CHECK(error_of(whole_cause_of(of_file)) == of_file);
  const base::Error larger{.code = base::Errc::no_space,
                           .diagnosis = base::Diagnosis::other_version,
                           .shortage = base::Shortage{.needed = 9, .free = -3, .reserve = 7}};
  CHECK(error_of(whole_cause_of(larger)) == larger);
}

TEST_CASE("an answer without a cause, or with one of another form, is read as far as it goes") {
  for (const auto* none : {"{}", R"({"cause":null})", R"({"cause":"io"})", R"({"cause":[]})"}) CHECK_FALSE(read(none));
  CHECK(read(R"({"cause":{"code":"of_tomorrow","detail":7,"status":"x","fields":7}})") == Cause{});
  CHECK(read(R"({"cause":{"code":"io","status":-1,"fields":[7,{"key":"a"},{"key":"b","value":[]},{"value":1},
                 {"key":"c","value":2}]}})") == Cause{.code = base::Errc::io, .fields = {{"c", std::int64_t{2}}}});
}

TEST_CASE("what is read of a cause may be shown, and what is written is UTF-8") {
  const auto cause =
      read(R"({"cause":{"code":"io","detail":"a\u001b[2J","fields":[{"key":"why","value":"b\u0007"}]}})");
  REQUIRE(cause.has_value());
  CHECK(cause->detail.find('\x1b') == std::string::npos);
  CHECK(why(*cause).find('\a') == std::string_view::npos);
  CHECK(base::valid_utf8(written({.subject = "\xff", .detail = "row \xff", .fields = {{"why", "\xfe"}}})));
}

}  // namespace vtmirror::core
