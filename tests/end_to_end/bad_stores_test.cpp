// The table of bad stores: one file behind a store that misbehaves in one way, with the real program. Each row says how
// the cycle ends, after how many requests to the store, and with which words. Whatever the row, a file that is public
// has the bytes that the service lists.
// Every sixth row runs by default; VTMIRROR_STORES=all runs the table, and VTMIRROR_STORES=NAME one row.
#include "end_to_end/rig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

using namespace vtmirror::test;

namespace {

enum class End { whole, without };

struct Row {
  std::string name;
  std::string effects;  ///< the members of a fault of the simulator's script
  End end;
  std::size_t requests;
  std::string logged{};  ///< somewhere on stderr
  int attempts = 2;      ///< the setting: failures in a row without a new byte
};

std::string status(int number, const std::string& more = "") { return R"("status":)" + std::to_string(number) + more; }
std::string always(const std::string& effects) { return effects + R"(,"times":0)"; }
std::string header(const std::string& name, const std::string& value) {
  return R"(,"headers":{")" + name + R"(":")" + value + R"("})";
}
std::string busy_until(const std::string& moment) { return status(503, header("Retry-After", moment)); }
std::string part(const std::string& range, const std::string& body = "0123456789") {
  return status(206, header("Content-Range", range) + R"(,"body":")" + body + R"(")");
}
std::string error(int number, const std::string& code) {
  return status(number, R"(,"content_type":"application/xml","body":"<Error><Code>)" + code + R"(</Code></Error>")");
}
std::string redirect(const std::string& to) { return R"("redirect":")" + to + R"(")"; }
std::string number(const std::string& member, const std::string& value) { return '"' + member + "\":" + value; }
/// The first request's body is cut, and what comes behind it has these effects.
std::string after_a_cut(const std::string& effects) {
  return number("cut_after", "30000") + "},{\"at\":\"store\"," + effects;
}

void add_refusals(std::vector<Row>& rows) {
  for (const int code : {400, 401, 408, 410, 412, 416, 429, 500, 501, 502, 503, 504, 505, 507, 508, 511, 599})
    rows.push_back({std::to_string(code), always(status(code)), End::without, 2, "HTTP " + std::to_string(code)});
  // Asking again would be refused again.
  for (const int code : {201, 202, 203, 204, 205, 207, 226, 300, 304, 306, 399, 402, 405, 406, 407, 409,
                         411, 413, 414, 415, 417, 418, 421, 422, 423, 424, 425, 426, 428, 431, 451})
    rows.push_back({std::to_string(code), always(status(code)), End::without, 1, "HTTP " + std::to_string(code)});
  rows.push_back({"403 without a body", always(status(403)), End::without, 2, "HTTP 403"});
  rows.push_back({"403 AccessDenied", always(error(403, "AccessDenied")), End::without, 2, "AccessDenied"});
  rows.push_back({"403 once", status(403), End::whole, 2, "next try with a fresh link"});
  rows.push_back({"403 SlowDown", always(error(403, "SlowDown")), End::without, 2, "HTTP 403"});
  rows.push_back({"404", always(error(404, "NoSuchKey")), End::without, 2, "does not have the file"});
  rows.push_back({"500 once", error(500, "InternalError"), End::whole, 2, "HTTP 500"});
  rows.push_back({"503 SlowDown once", error(503, "SlowDown"), End::whole, 2, "HTTP 503"});
}

void add_waits(std::vector<Row>& rows) {
  rows.push_back({"503 for one second", busy_until("1"), End::whole, 2, "HTTP 503"});
  rows.push_back({"503 until the past", busy_until("Wed, 18 Nov 2015 07:00:00 GMT"), End::whole, 2, "HTTP 503"});
  rows.push_back({"503 until a negative number", busy_until("-5"), End::whole, 2, "HTTP 503"});
  rows.push_back({"503 until a word", busy_until("soon"), End::whole, 2, "HTTP 503"});
  rows.push_back({"503 until nothing", busy_until(""), End::whole, 2, "HTTP 503"});
  rows.push_back({"503 until too large a number", busy_until("99999999999999999999"), End::without, 1, "asks to wait"});
  rows.push_back({"429 for one second", status(429, header("Retry-After", "1")), End::whole, 2, "HTTP 429"});
}

void add_redirects(std::vector<Row>& rows) {
  rows.push_back({"a redirect to plain HTTP", always(redirect("http://localhost/a")), End::without, 2,
                  "plain http is not allowed"});
  rows.push_back(
      {"a redirect to a file", always(redirect("file:///etc/passwd")), End::without, 2, "not https or http"});
  rows.push_back({"a redirect to the root", always(redirect("/")), End::without, 12, "more than 5 redirects"});
  rows.push_back({"a redirect to no host", always(redirect("https://nowhere.example/a")), End::without, 2,
                  "the name cannot be resolved"});
  rows.push_back({"a redirect to nothing", always(redirect("")), End::without, 1, "HTTP 302"});
  rows.push_back({"a redirect once, to what is refused", redirect("/sign-in"), End::whole, 3, "HTTP 403"});
}

void add_bodies(std::vector<Row>& rows) {
  rows.push_back({"a login page once", "\"html\":true", End::whole, 2, "a page instead of a file"});
  rows.push_back({"a login page", always("\"html\":true"), End::without, 2, "a page instead of a file"});
  rows.push_back({"an error with status 200", always(error(200, "InternalError")), End::without, 2});
  rows.push_back({"an empty answer", always(status(200)), End::without, 2});
  rows.push_back({"no answer once", "\"close\":true", End::whole, 2});
  rows.push_back({"no answer", always("\"close\":true"), End::without, 2});
  rows.push_back({"a head that is too large once", "\"huge_header\":true", End::whole, 2});
  rows.push_back({"a head that is too large", always("\"huge_header\":true"), End::without, 2});
  rows.push_back({"a body without a length", always("\"no_length\":true"), End::whole, 1});
  rows.push_back({"a body without a length, cut", "\"no_length\":true,\"cut_after\":30000", End::whole, 2});
  rows.push_back(
      {"a body without a length, cut always", always("\"no_length\":true,\"cut_after\":30000"), End::without, 2});
  rows.push_back({"a packed body", always(status(200, header("Content-Encoding", "gzip"))), End::without, 2});
  const auto drip = number("rate", "20") + ",\"body\":\"" + std::string(4000, 'x') + '"';  // of 200 s
  rows.push_back({"a refusal with a dripping body once", status(503, "," + drip), End::whole, 2, "HTTP 503"});
  rows.push_back({"a slow body", number("rate", "60000"), End::whole, 1});
}

void add_cuts(std::vector<Row>& rows) {
  for (const std::string at : {"1", "30000", "59999"})
    rows.push_back({"a cut at " + at, number("cut_after", at), End::whole, 2, "resumes"});
  rows.push_back({"a cut at once", number("cut_after", "0"), End::whole, 2});
  rows.push_back({"a cut at once always", always(number("cut_after", "0")), End::without, 2});
  rows.push_back({"a cut at 20000 always", always(number("cut_after", "20000")), End::whole, 3, "resumes"});
  for (const std::string at : {"1", "30000", "59999"})
    rows.push_back({"a stall at " + at, number("stall_after", at), End::whole, 2, "1s"});
  rows.push_back({"a stall at once", number("stall_after", "0"), End::whole, 2, "1s"});
  rows.push_back({"a stall at once always", always(number("stall_after", "0")), End::without, 2, "1s"});
}

void add_ranges(std::vector<Row>& rows) {
  rows.push_back({"206 without a range", always(status(206)), End::without, 2, "without a valid Content-Range"});
  for (const std::string range :
       {"bytes 10-59999/60000", "bytes 0-59999/*", "bytes */60000", "items 0-59999/60000", "bytes 9-0/60000",
        "bytes -5-9/60000", "bytes 0-60000/60000", "bytes 0-99999999999999999999/60000",
        "bytes 0-59999/99999999999999999999", "0-59999/60000"})
    rows.push_back({"206 with " + range, always(part(range)), End::without, 2});
  rows.push_back(
      {"206 with the first bytes only", always(part("bytes 0-9/60000")), End::without, 3, "instead of 10-59999"});
  rows.push_back({"206 with a short body", always(part("bytes 0-59999/60000")), End::without, 2});
  rows.push_back({"ranges are ignored after a cut", after_a_cut(always("\"ignore_range\":true")), End::whole, 2});
  rows.push_back({"another range after a cut", after_a_cut("\"wrong_range\":true"), End::whole, 3, "instead of", 4});
  rows.push_back(
      {"another range after each cut", after_a_cut(always("\"wrong_range\":true")), End::without, 4, "instead of", 4});
  rows.push_back({"416 once after a cut", after_a_cut(status(416)), End::whole, 3, "starts over", 4});
  rows.push_back({"416 after a cut", after_a_cut(always(status(416))), End::without, 3, "starts over", 4});
  rows.push_back({"412 after a cut", after_a_cut(status(412)), End::whole, 3, "HTTP 412", 4});
}

void add_versions(std::vector<Row>& rows) {
  rows.push_back({"a shorter file", always(number("truncate_total", "59999")), End::without, 2, "the listing says"});
  rows.push_back({"an empty file", always(number("truncate_total", "0")), End::without, 2, "HTTP 416"});
  // A range that ends behind its own total is none.
  for (const std::string total : {"1", "59999"})
    rows.push_back(
        {"a total of " + total, always(number("wrong_total", total)), End::without, 2, "valid Content-Range"});
  for (const std::string total : {"60001", "100000000000000000"})
    rows.push_back({"a total of " + total, always(number("wrong_total", total)), End::without, 2, "the listing says"});
  rows.push_back({"a shorter total once", number("wrong_total", "59999"), End::whole, 2, "valid Content-Range"});
  rows.push_back({"another total after a cut", after_a_cut(number("wrong_total", "60001")), End::whole, 3, "", 4});
  rows.push_back({"an ETag that is weak", always(R"("etag":"W/\"1\"")"), End::whole, 1});
  rows.push_back({"an ETag that is empty", always(R"("etag":"\"\"")"), End::whole, 1});
  rows.push_back({"an ETag without quotes", always(R"("etag":"1")"), End::whole, 1});
  rows.push_back({"another ETag after a cut", after_a_cut(always(R"("etag":"\"1\"")")), End::whole, 3, "", 4});
  rows.push_back({"another ETag after a cut, whatever is asked",
                  after_a_cut(always(R"("etag":"\"1\"","ignore_if_match":true)")), End::whole, 3, "", 4});
  for (const std::string at : {"0", "30", "30000", "59998"})
    rows.push_back({"a flipped byte at " + at, number("flip_at", at), End::whole, 2, "once more from the start"});
  rows.push_back({"a flipped byte always", always(number("flip_at", "30000")), End::without, 2, "quarantine"});
}

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  add_refusals(rows);
  add_waits(rows);
  add_redirects(rows);
  add_bodies(rows);
  add_cuts(rows);
  add_ranges(rows);
  add_versions(rows);
  return rows;
}

std::vector<Row> wanted_rows() {
  auto rows = all_rows();
  const char* given = std::getenv("VTMIRROR_STORES");
  const std::string wanted = given == nullptr ? "" : given;
  if (wanted == "all") return rows;
  std::vector<Row> some;
  for (std::size_t at = 0; at < rows.size(); ++at)
    if (wanted.empty() ? at % 6 == 0 : rows[at].name == wanted) some.push_back(rows[at]);
  return some;
}

constexpr auto one_file =
    R"({"bulk_bytes": 60000, "absent": ["2026-11-15", "2026-11-16", "2026-11-17", "2026-11-18"],)";

void check(const Row& row) {
  CAPTURE(row.name);
  Rig rig(one_file + (R"("faults":[{"at":"store",)" + row.effects + "}]}"));
  // A busy machine may be slow for a second: only a row that stalls waits for no longer than that.
  rig.set("download", "stall_timeout", row.effects.find("stall_after") == std::string::npos ? "\"20s\"" : "\"1s\"");
  rig.set("download", "attempts", std::to_string(row.attempts));
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == (row.end == End::whole ? 0 : 1));
  CHECK(rig.requests("store").size() == row.requests);
  CHECK(ended.err.find(row.logged) != std::string::npos);
  const auto held = rig.held();
  if (row.end == End::whole)
    CHECK(held == rig.upstream());
  else
    CHECK(held.empty());
}

}  // namespace

TEST_CASE("a file comes whole or not at all, whatever the store does") {
  const auto rows = wanted_rows();
  REQUIRE_FALSE(rows.empty());
  for (const auto& row : rows) check(row);
  MESSAGE(rows.size(), " bad stores of ", all_rows().size(), " were tried");
}

TEST_CASE("no two rows of the table of bad stores have one name") {
  std::vector<std::string> names;
  for (const auto& row : all_rows()) names.push_back(row.name);
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
  CHECK(names.size() >= 60);
}
