// One row for each way in which a store goes wrong: what the mirror holds in the end, and what it took.
#include "support/agent_rig.hpp"
#include "vtmirror/report/sentence.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

using Script = std::function<void(const StoreRequest&, StoreAnswer&)>;

constexpr std::int64_t file_size = 100'000;
const std::string file = delta_name(18);

/// The first `times` answers are changed; 0: all of them.
Script the_first(int times, std::function<void(const StoreRequest&, StoreAnswer&)> change) {
  return [=](const StoreRequest& request, StoreAnswer& answer) {
    if (times == 0 || request.number <= times) change(request, answer);
  };
}

Script status(int times, int code, std::optional<std::chrono::seconds> retry_after = {}) {
  return the_first(times, [=](const StoreRequest&, StoreAnswer& answer) {
    answer = ScriptedService::refusal(code, "<Error><Code>Refused</Code></Error>");
    answer.head.retry_after = retry_after;
  });
}

StoreAnswer whole(int version) {
  StoreAnswer answer;
  answer.head.status = 200;
  answer.head.total = file_size;
  answer.head.length = file_size;
  answer.head.etag = "\"version-" + std::to_string(version) + "\"";
  answer.head.content_type = "application/zip";
  answer.body = numbered_bytes(version, 0, file_size);
  return answer;
}

void page(StoreAnswer& answer) {
  answer = ScriptedService::refusal(200, "<html>please log in</html>");
  answer.head.content_type = "text/html; charset=utf-8";
}

Script cut_at(int times, std::size_t bytes, base::Errc code) {
  return the_first(times, [=](const StoreRequest&, StoreAnswer& answer) {
    answer.body.resize(std::min(answer.body.size(), bytes));
    answer.end = base::Error{code, "cut"};
  });
}

struct Row {
  std::string name;
  Script script;
  bool held;
  int listings;             ///< made in the whole cycle
  int requests;             ///< to the store
  std::string reason = {};  ///< of the failure: how the report's error reads on after the name
};

std::vector<Row> rows() {
  using base::Errc;
  const auto shifted = [](const StoreRequest&, StoreAnswer& answer) {
    answer.head.range = core::Range{answer.head.range->begin + 1, answer.head.range->end};
  };
  const auto total = [](const StoreRequest&, StoreAnswer& answer) { answer.head.total = file_size + 1; };
  const auto no_range = [](const StoreRequest&, StoreAnswer& answer) { answer.head.range.reset(); };
  const auto shorter = [](const StoreRequest&, StoreAnswer& answer) {
    if (answer.head.range->size() <= 40'000) return;
    answer.head.range->end = answer.head.range->begin + 40'000;
    answer.body.resize(40'000);
  };
  const auto ignore = [](const StoreRequest&, StoreAnswer& answer) { answer = whole(1); };
  const auto ignore_and_cut = [](const StoreRequest& request, StoreAnswer& answer) {
    answer = whole(1);
    if (request.number > 2) return;
    answer.body.resize(std::size_t{30'000} * static_cast<std::size_t>(request.number));
    answer.end = base::Error{Errc::unreachable, "cut"};
  };
  const auto ignore_and_cut_always = [](const StoreRequest&, StoreAnswer& answer) {
    answer = whole(1);
    answer.body.resize(30'000);
    answer.end = base::Error{Errc::unreachable, "cut"};
  };
  const auto longer_than_listed = [](const StoreRequest&, StoreAnswer& answer) {
    answer = whole(1);
    answer.head.total.reset();
    answer.head.length.reset();
    answer.body += "and more";
  };
  const auto login = [](const StoreRequest&, StoreAnswer& answer) { page(answer); };
  const auto damaged = [](const StoreRequest&, StoreAnswer& answer) { answer.body[50] ^= 1; };
  const auto ends_early = [](const StoreRequest&, StoreAnswer& answer) { answer.body.resize(answer.body.size() / 2); };
  const auto ends_at_once = [](const StoreRequest&, StoreAnswer& answer) { answer.body.clear(); };
  const auto bare = [](const StoreRequest&, StoreAnswer& answer) { answer.head.etag.clear(); };
  const auto bare_after_a_break = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.number > 1) answer.head.etag.clear();
    if (request.number > 2) return;
    answer.body.resize(30'000);
    answer.end = base::Error{Errc::unreachable, "cut"};
  };
  const auto nameless_once = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.number == 1) answer.body.resize(30'000);
    if (request.number == 1) answer.end = base::Error{Errc::unreachable, "cut"};
    if (request.number != 2) return;
    answer.head.etag.clear();
    answer.head.total.reset();
  };
  return {
      {"honours the range", {}, true, 1, 1},
      {"never sends an ETag", the_first(0, bare), true, 1, 1},
      {"leaves the ETag out after each break", the_first(0, bare_after_a_break), true, 1, 3},
      {"leaves ETag and total out of an answer once", the_first(0, nameless_once), true, 1, 3},
      {"ignores the range and answers 200", the_first(0, ignore), true, 1, 1},
      {"ignores the range and cuts the body twice", the_first(0, ignore_and_cut), true, 1, 3},
      {"ignores the range and cuts every body at the same byte", the_first(0, ignore_and_cut_always), false, 1, 8,
       "unreachable"},
      {"ignores the range and sends more than the listing says, without a length", the_first(0, longer_than_listed),
       false, 2, 2, "changed_upstream"},
      {"answers 206 with a shorter part", the_first(0, shorter), true, 1, 3},
      {"answers 206 with another range once", the_first(1, shifted), true, 1, 2},
      {"answers 206 with another range always", the_first(0, shifted), false, 1, 8, "protocol: 206 with bytes"},
      {"answers 206 without a range", the_first(0, no_range), false, 1, 8, "protocol: 206 without"},
      {"answers 403 once", status(1, 403), true, 2, 2},
      {"answers 403 always", status(0, 403), false, 2, 2, "link_refused"},
      {"answers 400 always", status(0, 400), false, 2, 2, "link_refused"},
      {"answers 401 always", status(0, 401), false, 2, 2, "link_refused"},
      {"answers 404 once", status(1, 404), true, 2, 2},
      {"answers 404 always", status(0, 404), false, 2, 2, "link_refused"},
      {"answers 410 always", status(0, 410), false, 2, 2, "link_refused"},
      {"answers 412 once", status(1, 412), true, 2, 2},
      {"answers 412 always", status(0, 412), false, 2, 2, "changed_upstream"},
      {"answers 416 once", status(1, 416), true, 2, 2},
      {"answers 416 always", status(0, 416), false, 2, 2, "changed_upstream"},
      {"answers 429 three times", status(3, 429, std::chrono::seconds(7)), true, 1, 4},
      {"answers 429 always", status(0, 429, std::chrono::seconds(7)), false, 1, 8, "rate_limited"},
      {"answers 500 seven times", status(7, 500), true, 1, 8},
      {"answers 500 always", status(0, 500), false, 1, 8, "http_status"},
      {"answers 503 once", status(1, 503), true, 1, 2},
      {"answers 418", status(0, 418), false, 1, 1, "http_status"},
      {"answers a page once", the_first(1, login), true, 1, 2},
      {"answers pages always", the_first(0, login), false, 1, 8, "protocol: the store at store.example sent a page"},
      {"has a file of another size", the_first(0, total), false, 2, 2, "changed_upstream"},
      {"cuts the body at 33,333 bytes", cut_at(1, 33'333, Errc::unreachable), true, 1, 2},
      {"cuts every body at 9,000 bytes", cut_at(0, 9'000, Errc::unreachable), true, 1, 12},
      {"stalls after 10,000 bytes", cut_at(2, 10'000, Errc::timed_out), true, 1, 3},
      {"brings no byte at all", cut_at(0, 0, Errc::timed_out), false, 1, 8, "timed_out"},
      {"ends the first body at its half", the_first(1, ends_early), true, 1, 2},
      {"ends every body before its first byte", the_first(0, ends_at_once), false, 1, 8,
       "unreachable: the store at store.example ended the response too early"},
      {"damages a byte once", the_first(1, damaged), true, 1, 2},
      {"damages a byte always", the_first(0, damaged), false, 1, 2, "integrity"},
  };
}

/// Without a bulk file a listing is not used; this one is held already.
void list_beside_a_held_bulk(AgentRig& rig) {
  constexpr std::int64_t size = 1'000;
  rig.list(file, core::Kind::delta, "2026-11-18", file_size);
  rig.list(bulk_name, core::Kind::bulk, "2026-11-15", size);
  rig.storage.published[bulk_name] = numbered_bytes(1, 0, size);
  core::FileRecord bulk{.kind = core::Kind::bulk, .name = bulk_name, .date = base::parse_date("2026-11-15").value()};
  bulk.size = size;
  bulk.sha256 = "digest-of-version-1";
  bulk.published_at = rig.clock.now();  // so that it is not asked for its ETag today
  REQUIRE(rig.catalogue.publish(bulk));
}

}  // namespace

TEST_CASE("a store that misbehaves never makes a wrong file public, and costs a bounded number of requests") {
  for (const auto& row : rows()) {
    CAPTURE(row.name);
    AgentRig rig;
    rig.settings.connections = 1;
    list_beside_a_held_bulk(rig);
    rig.service.store_script = row.script;
    const auto report = rig.cycle();
    REQUIRE(report.has_value());
    CHECK(rig.holds_everything() == row.held);
    CHECK(rig.nothing_wrong_is_public());
    CHECK((report->outcome == core::Outcome::complete) == row.held);
    CHECK(rig.service.tokens == 1);
    CHECK(rig.service.listings == row.listings);
    CHECK(rig.service.requests.size() == static_cast<std::size_t>(row.requests));
    const std::string expected = row.reason.empty() ? "" : file + ": " + row.reason;
    if (!report->failures.empty()) {
      const auto& cause = report->failures.front().cause;
      REQUIRE(cause.code.has_value());
      const auto coded = cause.subject + ": " + std::string(base::name(*cause.code)) + ": " + report::reason(cause);
      CHECK(coded.substr(0, expected.size()) == expected);
    }
    CHECK(report::reason(*report).empty() == row.held);
  }
}

TEST_CASE("Retry-After of the store is waited for") {
  AgentRig rig;
  rig.settings.connections = 1;
  list_beside_a_held_bulk(rig);
  rig.service.store_script = status(2, 503, std::chrono::seconds(90));
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.clock.waits == std::vector<base::Milliseconds>(2, std::chrono::seconds(90)));
}

TEST_CASE("a broken body is resumed at the byte after the last one that came, with the ETag as a condition") {
  AgentRig rig;
  rig.settings.connections = 1;
  list_beside_a_held_bulk(rig);
  rig.service.store_script = cut_at(2, 33'333, base::Errc::unreachable);
  REQUIRE(rig.cycle().has_value());
  REQUIRE(rig.service.requests.size() == 3);
  CHECK(rig.service.requests[0].range == core::Range{0, file_size});
  CHECK(rig.service.requests[0].if_match.empty());
  CHECK(rig.service.requests[1].range == core::Range{33'333, file_size});
  CHECK(rig.service.requests[1].if_match == "\"version-1\"");
  CHECK(rig.service.requests[2].range == core::Range{66'666, file_size});
}

TEST_CASE("a file that is replaced while it is fetched is fetched again from nothing, whatever the store claims") {
  for (const bool conditions : {true, false}) {
    CAPTURE(conditions);
    AgentRig rig;
    rig.settings.connections = 1;
    list_beside_a_held_bulk(rig);
    rig.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
      if (request.number == 1) {
        answer.body.resize(50'000);
        answer.end = base::Error{base::Errc::unreachable, "cut"};
        rig.service.files[file].version = 2;
      } else if (!conditions) {
        answer = rig.service.honest(file, request.range);
      }
    };
    const auto report = rig.cycle();
    REQUIRE(report.has_value());
    CHECK(report->outcome == core::Outcome::complete);
    CHECK(rig.holds_everything());
    CHECK(rig.service.requests.back().range == core::Range{0, file_size});
  }
}

TEST_CASE("a file that is replaced by a larger one while it is fetched leaves the reserve, or is not fetched") {
  constexpr std::int64_t larger = 3 * file_size;
  for (const std::int64_t missing : {0, 1}) {
    CAPTURE(missing);
    AgentRig rig;
    rig.settings.connections = 1;
    list_beside_a_held_bulk(rig);
    rig.settings.policy.reserve = 50'000;
    // What the plan needs; when the partial of the first version is removed, its space is free again.
    rig.storage.free = rig.settings.policy.reserve + larger - missing;
    rig.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
      if (request.number != 1) return;
      answer.body.resize(50'000);
      answer.end = base::Error{base::Errc::unreachable, "cut"};
      rig.service.files[file].version = 2;
      rig.service.files[file].size = larger;
      rig.storage.free -= file_size;
    };
    const auto report = rig.cycle();
    REQUIRE(report.has_value());
    CHECK((report->outcome == core::Outcome::complete) == (missing == 0));
    CHECK(rig.holds_everything() == (missing == 0));
    if (missing == 0) continue;
    REQUIRE(report->failures.size() == 1);
    CHECK(report->failures[0].kind == core::FailureKind::no_space);
    CHECK(report->failures[0].cause.subject == file);
    CHECK(report->failures[0].cause == core::Cause{.code = base::Errc::no_space,
                                                   .subject = file,
                                                   .fields = {{"needed", std::int64_t{larger - file_size}},
                                                              {"free", std::int64_t{larger - file_size} - missing},
                                                              {"reserve", rig.settings.policy.reserve},
                                                              {"diagnosis", "other_version"}}});
    CHECK(std::ranges::none_of(rig.service.requests,
                               [](const StoreRequest& request) { return request.range.end > file_size; }));
    // The next cycle plans with the new size, and names what is missing.
    rig.storage.free += 1;
    CHECK(rig.cycle()->outcome == core::Outcome::complete);
    CHECK(rig.holds_everything());
  }
}

TEST_CASE("a file that fails its checks twice is quarantined with the reason, and the next cycle tries again") {
  AgentRig rig;
  rig.settings.connections = 1;
  list_beside_a_held_bulk(rig);
  rig.service.store_script = the_first(2, [](const StoreRequest&, StoreAnswer& answer) { answer.body[50] ^= 1; });
  auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::partial);
  REQUIRE(rig.storage.quarantined.contains(file));
  CHECK(rig.storage.quarantined[file].find("wrong checksum") != std::string::npos);
  CHECK(rig.catalogue.quarantined().value().size() == 1);
  REQUIRE(rig.storage.published.size() == 1);
  CHECK(rig.storage.published.contains(bulk_name));

  report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(rig.holds_everything());
  CHECK(rig.catalogue.quarantined().value().empty());
  CHECK(rig.storage.quarantined.empty());
}
