// One row for each way in which a store goes wrong: the events that it causes, and the steps that follow. The same rows
// run over real coroutines in tests/agent/stores_that_misbehave_test.cpp.
#include "core/transfer_rig.hpp"

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using base::Errc;

namespace {

Line line(const core::TransferEvent& event, std::string expected) { return {1, 0, event, std::move(expected)}; }
Line came(std::int64_t bytes, const core::TransferEvent& event, std::string expected) {
  return {1, bytes, event, std::move(expected)};
}

/// A connection asks for all that is missing.
Script asks(std::int64_t from = 0, int listing = 1) {
  const std::string condition = from > 0 ? " if \"1\"" : "";
  return {line(done(), "link"), line(link(listing), "ask " + std::to_string(from) + "-100000" + condition)};
}

/// The part that was asked for comes, and the ETag with it.
Script brings_the_part() {
  return {line(part(0, file_size), "record \"1\""), line(done(), "receive 0-100000"), came(file_size, done(), "leave")};
}

/// The same failure, again and again, brings no byte: seven pauses, then the end.
Script fails_eight_times(const core::TransferEvent& event, const std::string& close, const std::string& code,
                         std::vector<int> pauses = {1, 2, 4, 8, 16, 32, 60}) {
  const auto retry = "retry " + code + "; " + close;
  Script script = asks();
  for (const int seconds : pauses) {
    const auto wait = "wait " + std::to_string(seconds) + "000 ms";
    script.push_back(line(event, retry + wait));
    script = script + asks();
  }
  script.push_back(line(event, "close all; leave"));
  return script;
}

/// A link is refused, and the next one works, or is refused too.
Script renews(const core::TransferEvent& refusal, const Script& then) {
  return asks() + Script{line(refusal, "retry link_refused; link after 1"), line(link(2), "ask 0-100000")} + then;
}

Script starts_over(const core::TransferEvent& change) {
  return asks() + Script{line(change, "retry changed_upstream from nothing; close all; leave")};
}

struct Row {
  std::string name;
  Script first;
  std::string end;
  Script second{};  ///< the round after it, where the first one ended to start over
  std::string second_end{};
};

const std::string finished = "finished";
const std::string over = "start over";

std::vector<Row> refusals() {
  std::vector<Row> rows;
  for (const int status : {400, 401, 403, 404, 410}) {
    const auto name = "answers " + std::to_string(status);
    rows.push_back({name + " once", renews(refused(status), brings_the_part()), finished});
    rows.push_back({name + " always", renews(refused(status), {line(refused(status), "close all; leave")}),
                    "give up link_refused"});
  }
  for (const int status : {412, 416}) {
    const auto name = "answers " + std::to_string(status);
    rows.push_back({name + " once", starts_over(refused(status)), over, asks(0, 2) + brings_the_part(), finished});
    rows.push_back({name + " always", starts_over(refused(status)), over,
                    asks(0, 2) + Script{line(refused(status), "close all; leave")}, "give up changed_upstream"});
  }
  const auto busy = refused(429, 7s);
  Script three_times = asks();
  Script seven_times = asks();
  for (int n = 0; n < 3; ++n)
    three_times = three_times + Script{line(busy, "retry rate_limited; wait 7000 ms")} + asks();
  for (const auto* wait : {"1000", "2000", "4000", "8000", "16000", "32000", "60000"})
    seven_times =
        seven_times + Script{line(refused(500), std::string("retry http_status; wait ") + wait + " ms")} + asks();
  rows.push_back({"answers 429 three times", three_times + brings_the_part(), finished});
  rows.push_back({"answers 429 always", fails_eight_times(busy, "", "rate_limited", {7, 7, 7, 7, 7, 7, 7}),
                  "give up rate_limited"});
  rows.push_back({"answers 500 seven times", seven_times + brings_the_part(), finished});
  rows.push_back({"answers 500 always", fails_eight_times(refused(500), "", "http_status"), "give up http_status"});
  rows.push_back({"answers 503 once",
                  asks() + Script{line(refused(503), "retry rate_limited; wait 1000 ms")} + asks() + brings_the_part(),
                  finished});
  rows.push_back({"answers 418", asks() + Script{line(refused(418), "close all; leave")}, "give up http_status"});
  rows.push_back(
      {"asks for a day's wait", asks() + Script{line(refused(429, 24h), "close all; leave")}, "give up rate_limited"});
  return rows;
}

std::vector<Row> answers() {
  const auto shifted = part(1, file_size);
  const auto another_size = part(0, file_size, file_size + 1);
  const std::string wrong = "retry protocol; close; wait 1000 ms";
  const std::string started_over = "retry changed_upstream from nothing; close all; leave";
  const Script breaks = asks() + Script{line(part(0, file_size), "record \"1\""), line(done(), "receive 0-100000"),
                                        came(5'000, failed(Errc::unreachable), "retry unreachable; wait 1000 ms")};
  const auto bare = bare_part(5'000, file_size);
  const auto nameless = bare_part(5'000, file_size, std::nullopt);
  const std::string doubt = "retry protocol; close; wait 2000 ms";
  const Line rest = came(95'000, done(), "leave");
  const Script surplus{line(whole({}), "record \"1\""), line(done(), "receive 0-100000"),
                       came(file_size, done(), "expect end")};
  return {
      {"honours the range", asks() + brings_the_part(), finished},
      {"ignores the range and answers 200",
       asks() + Script{line(whole(), "record \"1\""), line(done(), "receive 0-100000"),
                       came(file_size, done(), "expect end"), line(done(), "leave")},
       finished},
      {"ignores the range and sends more than the listing says, without a length",
       asks() + surplus + Script{line(core::MoreCame{}, started_over)}, over,
       asks(0, 2) + surplus + Script{line(core::MoreCame{}, "close all; leave")}, "give up changed_upstream"},
      {"answers 206 with a shorter part",
       asks() + Script{line(part(0, 40'000), "record \"1\""), line(done(), "receive 0-40000"),
                       came(40'000, done(), "link"), line(link(1), "ask 40000-100000 if \"1\""),
                       line(part(40'000, 80'000), "receive 40000-80000"), came(40'000, done(), "link"),
                       line(link(1), "ask 80000-100000 if \"1\""),
                       line(part(80'000, file_size), "receive 80000-100000"), came(20'000, done(), "leave")},
       finished},
      {"answers 206 with another range once", asks() + Script{line(shifted, wrong)} + asks() + brings_the_part(),
       finished},
      {"answers 206 with another range always", fails_eight_times(shifted, "close; ", "protocol"), "give up protocol"},
      {"answers 206 without a range", fails_eight_times(without_range(), "close; ", "protocol"), "give up protocol"},
      {"answers a page once", asks() + Script{line(page(), wrong)} + asks() + brings_the_part(), finished},
      {"answers pages always", fails_eight_times(page(), "close; ", "protocol"), "give up protocol"},
      {"has a file of another size", starts_over(another_size), over,
       asks(0, 2) + Script{line(another_size, "close all; leave")}, "give up changed_upstream"},
      {"has a file that is listed with another size by now",
       {line(done(), "link"), line(link(2, file_size + 1), started_over)},
       over,
       asks(0, 3) + brings_the_part(),
       finished},
      {"answers with another ETag after a break",
       asks() +
           Script{line(part(0, file_size), "record \"1\""), line(done(), "receive 0-100000"),
                  came(5'000, failed(Errc::unreachable), "retry unreachable; wait 1000 ms")} +
           asks(5'000) +
           Script{line(
               [] {
                 auto answer = part_head(5'000, file_size);
                 answer.etag = "\"2\"";
                 return core::TransferEvent(core::AnswerCame{answer});
               }(),
               started_over)},
       over, asks(0, 2) + brings_the_part(), finished},
      {"leaves the ETag out of an answer", breaks + asks(5'000) + Script{line(bare, "receive 5000-100000"), rest},
       finished},
      {"leaves ETag and total out of an answer once",
       breaks + asks(5'000) + Script{line(nameless, doubt)} + asks(5'000) +
           Script{line(part(5'000, file_size), "receive 5000-100000"), rest},
       finished},
      {"leaves ETag and total out of two answers",
       breaks + asks(5'000) + Script{line(nameless, doubt)} + asks(5'000) + Script{line(nameless, started_over)}, over,
       asks(0, 2) + brings_the_part(), finished},
      {"leaves the ETag out of the answer for a file of another size",
       breaks + asks(5'000) + Script{line(bare_part(5'000, file_size, file_size + 1), started_over)}, over,
       asks(0, 2) + brings_the_part(), finished},
      {"never sends an ETag",
       asks() + Script{line(bare_part(0, file_size), "receive 0-100000"), came(file_size, done(), "leave")}, finished},
  };
}

std::vector<Row> bodies() {
  const auto cut = failed(Errc::unreachable);
  const std::string waits = "retry unreachable; wait 1000 ms";
  const Script first_part{line(part(0, file_size), "record \"1\""), line(done(), "receive 0-100000")};
  const Script first_whole{line(whole(), "record \"1\""), line(done(), "receive 0-100000")};

  Script crawls = asks() + first_part;
  std::int64_t at = 9'000;
  for (; at < 99'000; at += 9'000)
    crawls = crawls + Script{came(9'000, cut, waits)} + asks(at) +
             Script{line(part(at, file_size), "receive " + std::to_string(at) + "-100000")};
  crawls = crawls + Script{came(9'000, cut, waits)} + asks(at) +
           Script{line(part(at, file_size), "receive 99000-100000"), came(1'000, done(), "leave")};

  Script cut_at_the_same_byte = asks() + first_whole + Script{came(30'000, cut, waits)};
  for (const auto* wait : {"2000", "4000", "8000", "16000", "32000", "60000"})
    cut_at_the_same_byte = cut_at_the_same_byte + asks(30'000) +
                           Script{line(whole(), "receive 30000-100000 behind 30000"),
                                  line(cut, std::string("retry unreachable; wait ") + wait + " ms")};
  cut_at_the_same_byte = cut_at_the_same_byte + asks(30'000) +
                         Script{line(whole(), "receive 30000-100000 behind 30000"), line(cut, "close all; leave")};

  Script no_byte = asks() + first_part + Script{line(failed(Errc::timed_out), "retry timed_out; wait 1000 ms")};
  for (const auto* wait : {"2000", "4000", "8000", "16000", "32000", "60000", ""}) {
    const std::string after = *wait ? std::string("retry timed_out; wait ") + wait + " ms" : "close all; leave";
    no_byte = no_byte + Script{line(done(), "link"), line(link(1), "ask 0-100000 if \"1\""),
                               line(part(0, file_size), "receive 0-100000"), line(failed(Errc::timed_out), after)};
  }

  Script busy_for_ever = asks() + Script{line(part(0, file_size), "record \"1\"")};
  for (const auto* wait : {"1000", "2000", "4000", "8000", "16000", "32000", "60000"})
    busy_for_ever = busy_for_ever + Script{line(failed(Errc::catalogue_busy),
                                                std::string("retry catalogue_busy; wait ") + wait + " ms"),
                                           line(done(), "record \"1\"")};
  busy_for_ever = busy_for_ever + Script{line(failed(Errc::catalogue_busy), "close all; leave")};

  const auto cut_once = [&](std::int64_t bytes, Errc code) {
    return asks() + first_part +
           Script{came(bytes, failed(code), "retry " + std::string(base::name(code)) + "; wait 1000 ms")} +
           asks(bytes) + Script{line(part(bytes, file_size), "receive " + std::to_string(bytes) + "-100000")};
  };
  return {
      {"ignores the range and cuts the body twice",
       asks() + first_whole + Script{came(30'000, cut, waits)} + asks(30'000) +
           Script{line(whole(), "receive 30000-100000 behind 30000"), came(30'000, cut, waits)} + asks(60'000) +
           Script{line(whole(), "receive 60000-100000 behind 60000"), came(40'000, done(), "expect end"),
                  line(done(), "leave")},
       finished},
      {"ignores the range and cuts every body at the same byte", cut_at_the_same_byte, "give up unreachable"},
      {"cuts the body at 33,333 bytes", cut_once(33'333, Errc::unreachable) + Script{came(66'667, done(), "leave")},
       finished},
      {"cuts every body at 9,000 bytes", crawls, finished},
      {"stalls after 10,000 bytes",
       cut_once(10'000, Errc::timed_out) +
           Script{came(10'000, failed(Errc::timed_out), "retry timed_out; wait 1000 ms")} + asks(20'000) +
           Script{line(part(20'000, file_size), "receive 20000-100000"), came(80'000, done(), "leave")},
       finished},
      {"brings no byte at all", no_byte, "give up timed_out"},
      {"ends the first body at its half", cut_once(50'000, Errc::unreachable) + Script{came(50'000, done(), "leave")},
       finished},
      {"damages a byte, which only the checks can find", asks() + brings_the_part(), finished},
      {"breaks while it brings the ETag's first byte, and the catalogue refuses the record",
       asks() + Script{line(part(0, file_size), "record \"1\""), line(failed(Errc::catalogue), "close all; leave")},
       "give up catalogue"},
      {"brings the ETag while the catalogue is busy for a while",
       asks() + Script{line(part(0, file_size), "record \"1\""),
                       line(failed(Errc::catalogue_busy), "retry catalogue_busy; wait 1000 ms"),
                       line(done(), "record \"1\""),
                       line(failed(Errc::catalogue_busy), "retry catalogue_busy; wait 2000 ms"),
                       line(done(), "record \"1\""), line(done(), "receive 0-100000"), came(100'000, done(), "leave")},
       finished},
      {"brings the ETag while the catalogue is busy for ever", busy_for_ever, "give up catalogue_busy"},
  };
}

void check(const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    CAPTURE(row.name);
    Rig rig(1, file_size);
    CHECK(rig.opened == std::vector<int>{1});
    rig.run(row.first);
    CHECK(rig.end() == row.end);
    if (row.end != over) continue;
    rig.transfer.start_over(file_size);
    CHECK(rig.transfer.durable_ranges().empty());
    CHECK(rig.transfer.identity().etag.empty());
    CHECK(rig.transfer.begin() == std::vector<int>{2});
    auto second = row.second;
    for (auto& each : second) each.connection = 2;
    rig.run(second);
    CHECK(rig.end() == row.second_end);
  }
}

}  // namespace

TEST_CASE("a store that refuses a request is asked again, with another link, from nothing, or not at all") {
  check(refusals());
}

TEST_CASE("an answer that is not of the part that was asked for, or of another object, brings no byte") {
  check(answers());
}

TEST_CASE("a body that breaks is resumed behind the last byte that came") { check(bodies()); }

TEST_CASE("bytes of an earlier process are kept for one answer without the ETag, and not for two in a row") {
  const Script doubted = asks(5'000) + Script{line(bare_part(5'000, file_size), "retry protocol; close; wait 1000 ms")};
  const auto resumed = [] { return Rig(1, file_size, core::RangeSet(std::vector<core::Range>{{0, 5'000}}), "\"1\""); };

  auto forgot_once = resumed();
  forgot_once.run(doubted + asks(5'000) +
                  Script{line(part(5'000, 50'000), "receive 5000-50000"), came(45'000, done(), "link")} +
                  Script{line(link(1), "ask 50000-100000 if \"1\""),
                         line(bare_part(50'000, file_size), "receive 50000-100000"), came(50'000, done(), "leave")});
  CHECK(forgot_once.end() == finished);

  auto forgot_twice = resumed();
  forgot_twice.run(doubted + asks(5'000) +
                   Script{line(bare_part(5'000, file_size), "retry changed_upstream from nothing; close all; leave")});
  CHECK(forgot_twice.end() == over);
}
