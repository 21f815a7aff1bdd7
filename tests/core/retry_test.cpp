#include "vtmirror/core/retry.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <vector>

using namespace vtmirror;
using base::Errc;
using base::Error;
using core::Attempts;
using core::Decision;
using core::Next;
using core::next_attempt;
using namespace std::chrono_literals;

namespace {

const Attempts first{.failed = 1, .total = 1};

std::vector<Errc> all_codes() {
  std::vector<Errc> codes;
  for (const auto& code : test::every<Errc>()) codes.push_back(code.value);
  return codes;
}

/// What the caller does with a decision, before the same error comes again.
void carry_out(Next next, bool brought_bytes, Attempts& attempts) {
  attempts.link_was_fresh = next == Next::renew_link || next == Next::start_over;
  attempts.token_was_fresh = next == Next::renew_token;
  attempts.started_over = attempts.started_over || next == Next::start_over;
  attempts.failed = brought_bytes ? 0 : attempts.failed + 1;
  ++attempts.total;
}

}  // namespace

TEST_CASE("every error has its answer to the first failure") {
  struct Case {
    Errc code;
    int status;
    Next expected;
  };
  std::set<Errc> met;
  for (const Case& row : {Case{Errc::cancelled, 0, Next::give_up},
                          {Errc::timed_out, 0, Next::wait},
                          {Errc::unreachable, 0, Next::wait},
                          {Errc::tls, 0, Next::wait},
                          {Errc::http_status, 500, Next::wait},
                          {Errc::http_status, 502, Next::wait},
                          {Errc::http_status, 599, Next::wait},
                          {Errc::http_status, 408, Next::wait},
                          {Errc::http_status, 400, Next::give_up},
                          {Errc::http_status, 403, Next::give_up},
                          {Errc::http_status, 404, Next::give_up},
                          {Errc::http_status, 302, Next::give_up},
                          {Errc::http_status, 0, Next::give_up},
                          {Errc::protocol, 0, Next::wait},
                          {Errc::unauthorised, 401, Next::renew_token},
                          {Errc::forbidden, 403, Next::give_up},
                          {Errc::rate_limited, 429, Next::wait},
                          {Errc::link_refused, 403, Next::renew_link},
                          {Errc::empty_listing, 0, Next::give_up},
                          {Errc::changed_upstream, 412, Next::start_over},
                          {Errc::integrity, 0, Next::start_over},
                          {Errc::no_space, 0, Next::give_up},
                          {Errc::io, 0, Next::give_up},
                          {Errc::catalogue, 0, Next::give_up},
                          {Errc::catalogue_busy, 0, Next::wait},
                          {Errc::catalogue_damaged, 0, Next::give_up},
                          {Errc::config, 0, Next::give_up},
                          {Errc::locked, 0, Next::give_up}}) {
    met.insert(row.code);
    const auto& code = row.code;
    const auto& status = row.status;
    const auto& expected = row.expected;
    CAPTURE(base::name(code));
    CAPTURE(status);
    const Decision decision = next_attempt({code, "", status}, first, 0.5);
    CHECK(decision.next == expected);
    if (expected != Next::wait) CHECK(decision.pause == 0ms);
  }
  for (const auto& code : test::every<Errc>()) CHECK_MESSAGE(met.contains(code.value), code.word, " has no row");
}

TEST_CASE("a download that failed with a fresh link, a fresh token or a fresh file is given up") {
  Attempts attempts = first;
  attempts.link_was_fresh = true;
  CHECK(next_attempt({Errc::link_refused}, attempts, 0).next == Next::give_up);
  CHECK(next_attempt({Errc::unauthorised}, attempts, 0).next == Next::renew_token);
  CHECK(next_attempt({Errc::timed_out}, attempts, 0).next == Next::wait);
  attempts = first;
  attempts.token_was_fresh = true;
  CHECK(next_attempt({Errc::unauthorised}, attempts, 0).next == Next::give_up);
  CHECK(next_attempt({Errc::link_refused}, attempts, 0).next == Next::renew_link);
  attempts = first;
  attempts.started_over = true;
  CHECK(next_attempt({Errc::integrity}, attempts, 0).next == Next::give_up);
  CHECK(next_attempt({Errc::changed_upstream}, attempts, 0).next == Next::give_up);
  CHECK(next_attempt({Errc::unreachable}, attempts, 0).next == Next::wait);
}

TEST_CASE("a refused certificate is tried a second time and no third") {
  core::Attempts attempts;
  const auto after = [&attempts](Errc code) {
    attempts.count({code});
    return next_attempt({code}, attempts, 0).next;
  };
  CHECK(after(Errc::unreachable) == Next::wait);
  CHECK(after(Errc::unreachable) == Next::wait);
  CHECK(after(Errc::tls) == Next::wait);
  CHECK(after(Errc::timed_out) == Next::wait);
  CHECK(after(Errc::tls) == Next::wait);
  CHECK(after(Errc::tls) == Next::give_up);
}

TEST_CASE("pauses double from a second to a minute while nothing comes") {
  std::vector<std::int64_t> pauses;
  for (int failed = 1; failed <= 9; ++failed) {
    pauses.push_back(next_attempt({Errc::timed_out}, {.failed = failed, .total = failed, .limit = 100}, 0.5).pause /
                     1s);
  }
  CHECK(pauses == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 60, 60, 60});
}

TEST_CASE("a failure that brought bytes is answered by the shortest pause") {
  CHECK(next_attempt({Errc::unreachable}, {.failed = 0, .total = 50}, 0.5) == Decision{Next::wait, 1s});
}

TEST_CASE("the dice move a pause between half and one and a half of it") {
  const Attempts late{.failed = 7, .total = 7};
  CHECK(next_attempt({Errc::timed_out}, late, 0.0).pause == 30s);
  CHECK(next_attempt({Errc::timed_out}, late, 0.25).pause == 45s);
  CHECK(next_attempt({Errc::timed_out}, late, 0.999).pause < 90s);
  for (const double dice : {-5.0, 7.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto pause = next_attempt({Errc::timed_out}, late, dice).pause;
    CHECK(pause >= 30s);
    CHECK(pause <= 90s);
  }
}

TEST_CASE("the other side's own waiting time is honoured up to an hour") {
  struct Case {
    std::chrono::seconds logged;
    Decision expected;
  };
  for (const Case& row : {Case{1s, {Next::wait, 1s}},
                          {2min, {Next::wait, 2min}},
                          {1h, {Next::wait, 1h}},
                          {1h + 1s, {Next::give_up, 0ms}},
                          {24h, {Next::give_up, 0ms}},
                          {std::chrono::seconds::max(), {Next::give_up, 0ms}},
                          {0s, {Next::wait, 1s}},
                          {-1s, {Next::wait, 1s}}}) {
    const auto& logged = row.logged;
    const auto& expected = row.expected;
    CAPTURE(logged.count());
    CHECK(next_attempt({Errc::rate_limited, "", 429, logged}, first, 0.5) == expected);
    CHECK(next_attempt({Errc::http_status, "", 502, logged}, first, 0.5) == expected);
  }
}

TEST_CASE("as many failures in a row as the limit allows are the end") {
  for (const Errc code : all_codes()) {
    CHECK(next_attempt({code, "", 500}, {.failed = 8, .total = 8}, 0.5).next == Next::give_up);
    CHECK(next_attempt({code, "", 500}, {.failed = 1, .total = 1, .limit = 1}, 0.5).next == Next::give_up);
    CHECK(next_attempt({code, "", 500}, {.failed = 0, .total = 128}, 0.5).next == Next::give_up);
  }
  CHECK(next_attempt({Errc::timed_out}, {.failed = 7, .total = 7}, 0.5).next == Next::wait);
  CHECK(next_attempt({Errc::timed_out}, {.failed = 0, .total = 127}, 0.5).next == Next::wait);
}

TEST_CASE("no wait is longer than an hour, and only a wait has a pause") {
  std::mt19937 random{21};
  const auto codes = all_codes();
  for (int i = 0; i < 50'000; ++i) {
    Error error{codes[random() % codes.size()], "", static_cast<int>(random() % 600)};
    if (random() % 2 == 0) error.retry_after = std::chrono::seconds{static_cast<int>(random() % 10'000) - 1'000};
    const Attempts attempts{.failed = static_cast<int>(random() % 40),
                            .total = static_cast<int>(random() % 1'000),
                            .limit = static_cast<int>(random() % 50),
                            .link_was_fresh = random() % 2 == 0,
                            .token_was_fresh = random() % 2 == 0,
                            .started_over = random() % 2 == 0};
    const Decision decision = next_attempt(error, attempts, std::uniform_real_distribution{0.0, 1.0}(random));
    REQUIRE(decision.pause <= 1h);
    REQUIRE((decision.pause > 0ms) == (decision.next == Next::wait));
  }
}

TEST_CASE("every error that comes again and again is given up in the end, even when each try brings a byte") {
  for (const Errc code : all_codes()) {
    for (const bool brings_bytes : {false, true}) {
      CAPTURE(base::name(code));
      Attempts attempts{.failed = brings_bytes ? 0 : 1, .total = 1};
      int steps = 0;
      for (Next next{}; next != Next::give_up && steps < 1'000; ++steps) {
        next = next_attempt({code, "", 503}, attempts, 0.5).next;
        carry_out(next, brings_bytes, attempts);
      }
      CHECK(steps <= (brings_bytes ? 128 : 8));
    }
  }
}

TEST_CASE("errors in any order are given up in the end") {
  std::mt19937 random{33};
  const auto codes = all_codes();
  for (int i = 0; i < 1'000; ++i) {
    Attempts attempts{.failed = 1, .total = 1};
    int steps = 0;
    for (Next next{}; next != Next::give_up && steps < 1'000; ++steps) {
      next = next_attempt({codes[random() % codes.size()], "", 500}, attempts, 0.5).next;
      carry_out(next, random() % 4 != 0, attempts);
    }
    REQUIRE(steps <= 128);
  }
}

TEST_CASE("another listing is asked for during five minutes, and not after a wait that the service asked for") {
  struct Case {
    Errc code;
    std::optional<std::chrono::seconds> logged;
    base::Milliseconds asked_for;
    Next expected;
  };
  for (const Case& row : {Case{Errc::empty_listing, {}, 0s, Next::wait},
                          {Errc::unreachable, {}, 5min - 1ms, Next::wait},
                          {Errc::unreachable, {}, 5min, Next::give_up},
                          {Errc::empty_listing, {}, 5min, Next::give_up},
                          {Errc::rate_limited, 60s, 0s, Next::give_up},
                          {Errc::forbidden, {}, 0s, Next::give_up}}) {
    CAPTURE(base::name(row.code));
    const Error error{.code = row.code, .retry_after = row.logged};
    CHECK(core::before_another_listing(error, first, row.asked_for, 0.5).next == row.expected);
  }
  CHECK(core::before_another_listing({Errc::unreachable}, first, 0s, 0.5).pause == 8s);
}

TEST_CASE(
    "a file that fails its checks is downloaded once more, and quarantined after that or if its check is deadly") {
  using core::AfterDownload;
  for (const auto& code : test::every<Errc>()) {
    for (const bool again : {false, true}) {
      for (const bool is_deadly : {false, true}) {
        CAPTURE(code.word);
        CAPTURE(again);
        CAPTURE(is_deadly);
        const auto of_damage = again || is_deadly ? AfterDownload::quarantine : AfterDownload::again;
        const auto expected = code.value == Errc::integrity ? of_damage : AfterDownload::give_up;
        const auto diagnosis = is_deadly ? base::Diagnosis::died_in_checks : base::Diagnosis::none;
        CHECK(core::after_download({.code = code.value, .diagnosis = diagnosis}, again) == expected);
      }
    }
  }
}
