#include "vtmirror/core/expiry.hpp"

#include "vtmirror/core/rotation_end.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace vtmirror;
using namespace std::chrono_literals;
using core::ExpirySource;

namespace {

/// A zone a fixed time ahead of UTC.
class Ahead : public core::Zone {
 public:
  explicit Ahead(base::Milliseconds by) : by_(by) {}
  base::Date day_of(base::Time time) const override { return std::chrono::floor<std::chrono::days>(time + by_); }
  base::Time instant(base::Date day, std::chrono::minutes since_midnight) const override {
    return std::chrono::sys_days(day) + since_midnight - by_;
  }

 private:
  base::Milliseconds by_;
};

const Ahead utc(0h);
base::Date day(const char* text) { return base::parse_date(text).value(); }
base::Time at(const char* text) { return base::parse_time(text).value(); }
core::SecretIssue issued(const char* when, bool by_service = true) {
  return {.fingerprint = "new", .at = at(when), .by_service = by_service, .given = "old", .date_then = {}};
}

const std::vector<int> usual{30, 14};

}  // namespace

TEST_CASE("a day in the settings is the expiry of the secret that they name, and no estimate") {
  const core::SecretFacts facts{
      .in_settings = day("2027-03-01"), .issue = {}, .first_seen = at("2026-11-18T08:00:00Z")};
  CHECK(core::expiry_of(facts, utc) == core::Expiry{day("2027-03-01"), ExpirySource::settings, false});
}

TEST_CASE("without other facts, the expiry is estimated: two years after the secret was first seen") {
  const core::SecretFacts facts{.in_settings = {}, .issue = {}, .first_seen = at("2026-11-18T08:00:00Z")};
  CHECK(core::expiry_of(facts, utc) == core::Expiry{day("2028-11-18"), ExpirySource::first_seen, true});
}

TEST_CASE("the day on which a secret was first seen is the local one") {
  const core::SecretFacts facts{.in_settings = {}, .issue = {}, .first_seen = at("2026-11-18T23:30:00Z")};
  CHECK(core::expiry_of(facts, Ahead(1h)).on == day("2028-11-19"));
  CHECK(core::expiry_of(facts, utc).on == day("2028-11-18"));
}

TEST_CASE("a secret that the service made ends two years later; one that a person gave, by estimate") {
  core::SecretFacts facts{.in_settings = {}, .issue = issued("2027-02-10T10:00:00Z"), .first_seen = {}};
  CHECK(core::expiry_of(facts, utc) == core::Expiry{day("2029-02-10"), ExpirySource::issue, false});
  facts.issue->by_service = false;
  CHECK(core::expiry_of(facts, utc) == core::Expiry{day("2029-02-10"), ExpirySource::issue, true});
}

TEST_CASE("a secret that a person sets again is as old as when it was first seen") {
  core::SecretFacts facts{
      .in_settings = {}, .issue = issued("2027-02-10T10:00:00Z", false), .first_seen = at("2026-01-05T08:00:00Z")};
  CHECK(core::expiry_of(facts, utc) == core::Expiry{day("2028-01-05"), ExpirySource::first_seen, true});
  facts.first_seen = at("2027-02-10T10:00:01Z");
  CHECK(core::expiry_of(facts, utc) == core::Expiry{day("2029-02-10"), ExpirySource::issue, true});
}

TEST_CASE("the old secret's day in the settings says nothing of one that was issued since") {
  core::SecretFacts facts{.in_settings = day("2027-03-01"), .issue = issued("2027-02-10T10:00:00Z"), .first_seen = {}};
  facts.issue->date_then = day("2027-03-01");
  CHECK(core::expiry_of(facts, utc).on == day("2029-02-10"));
  facts.in_settings = day("2029-01-31");  // written into the settings after the rotation: it is meant for the new one
  CHECK(core::expiry_of(facts, utc) == core::Expiry{day("2029-01-31"), ExpirySource::settings, false});
}

TEST_CASE("two years after a leap day comes the last day of February") {
  CHECK(core::two_years_after(day("2028-02-29")) == day("2030-02-28"));
  CHECK(core::two_years_after(day("2026-02-28")) == day("2028-02-28"));
}

TEST_CASE("each warning is due once, on its day") {
  CHECK_FALSE(core::warning_due(usual, {}, 31));
  CHECK(core::warning_due(usual, {}, 30) == 30);
  CHECK_FALSE(core::warning_due(usual, std::vector{30}, 29));
  CHECK_FALSE(core::warning_due(usual, std::vector{30}, 15));
  CHECK(core::warning_due(usual, std::vector{30}, 14) == 14);
  CHECK_FALSE(core::warning_due(usual, std::vector{30, 14}, 13));
}

TEST_CASE("a daemon that was off from day 31 to day 13 sends the 14-day warning, and not both") {
  CHECK(core::warning_due(usual, {}, 13) == 14);
  CHECK_FALSE(core::warning_due(usual, std::vector{14}, 13));
}

TEST_CASE("a clock that is set back repeats no warning") { CHECK_FALSE(core::warning_due(usual, std::vector{14}, 25)); }

TEST_CASE("on the day of expiry the last warning may still be due, and after it there is none") {
  CHECK(core::warning_due(usual, {}, 0) == 14);
  CHECK_FALSE(core::warning_due(usual, {}, -1));
  CHECK_FALSE(core::warning_due({}, {}, 3));
}

TEST_CASE("however the days jump, no warning comes twice, none after a more urgent one, and one before the end") {
  std::mt19937 dice(7);
  for (int life = 0; life < 2'000; ++life) {
    std::vector<int> warn_days{60, 30, 14, 1};
    std::shuffle(warn_days.begin(), warn_days.end(), dice);
    std::vector<int> sent;
    std::int64_t days_left = 90;
    bool seen_last_days = false;
    while (days_left >= 0) {
      seen_last_days = seen_last_days || days_left <= 60;
      if (const auto due = core::warning_due(warn_days, sent, days_left)) {
        CHECK(days_left <= *due);
        CHECK(std::all_of(sent.begin(), sent.end(), [&](int days) { return *due < days; }));
        sent.push_back(*due);
      }
      days_left -= static_cast<std::int64_t>(dice() % 25) - 3;
    }
    CHECK(sent.empty() != seen_last_days);
  }
}

TEST_CASE("the last warning is the smallest number, in whatever order they stand") {
  CHECK_FALSE(core::last_warning_reached(std::vector{14, 30}, 15));
  CHECK(core::last_warning_reached(std::vector{14, 30}, 14));
  CHECK_FALSE(core::last_warning_reached({}, 0));
}

TEST_CASE("a secret issued after the given one wins, until the given one is replaced") {
  const auto issue = issued("2027-02-10T10:00:00Z");
  CHECK(core::choose_secret("old", "new", issue).which == core::WhichSecret::kept);
  CHECK(core::choose_secret("newest", "new", issue).which == core::WhichSecret::given);
}

TEST_CASE("a secret in the state directory without a record yields to the given one") {
  CHECK(core::choose_secret("old", "new", std::nullopt).which == core::WhichSecret::given);
  CHECK(core::choose_secret("same", "same", issued("2027-02-10T10:00:00Z")).which == core::WhichSecret::given);
}

TEST_CASE("a given secret that could not be read at the issue is taken for the one that was replaced") {
  auto issue = issued("2027-02-10T10:00:00Z");
  issue.given.reset();
  CHECK(core::choose_secret("old", "new", issue).which == core::WhichSecret::kept);
  issue.given = "";  // there was none: it came later, so it is meant
  CHECK(core::choose_secret("old", "new", issue).which == core::WhichSecret::given);
}

TEST_CASE("how a rotation ended is read as it was recorded, and an older version's sentence as that") {
  const core::Cause cause{.code = base::Errc::io, .detail = "no room"};
  for (const auto& each : test::every<core::RotationOutcome>()) {
    const auto outcome = each.value;
    const auto word = each.word;
    CAPTURE(word);
    if (outcome == core::RotationOutcome::none || outcome == core::RotationOutcome::older) continue;
    CHECK(name(outcome) == word);
    CHECK(core::rotation_end_of(word, cause) == core::RotationEnd{outcome, cause});
  }
  CHECK(core::rotation_end_of("", cause) == core::RotationEnd());
  const auto older = core::rotation_end_of("a new client secret is in use", {});
  CHECK(older.outcome == core::RotationOutcome::older);
  CHECK(older.cause.detail == "a new client secret is in use");
}
