// Statuses of a daemon for tests: one of a quiet week, and as many generated ones as are asked for.
#pragma once

#include "support/every.hpp"
#include "vtmirror/report/status.hpp"

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace vtmirror::test {

inline base::Time at(const char* text) { return base::parse_time(text).value(); }
inline base::Date day(const char* text) { return base::parse_date(text).value(); }

inline report::Status quiet() {
  report::Status status;
  status.version = "1.0.0";
  status.state = core::State::idle;
  status.since = at("2026-11-18T08:10:22Z");
  status.next_wake = at("2026-11-19T08:03:10Z");
  status.last_cycle = report::LastCycleStatus{
      at("2026-11-18T08:03:10Z"), at("2026-11-18T08:10:22Z"), core::Outcome::complete, 2, 95'800'000, ""};
  status.mirror = {"/var/lib/vtmirror/mirror", 12, 41'300'000'000, 210'000'000'000, 42};
  status.chain = {true, day("2026-11-18"), {}, {}};
  status.secret = {day("2027-03-01"), false, 103, {30}};
  status.api_key = {at("2026-11-18T08:03:12Z"), at("2027-02-16T08:03:12Z")};
  return status;
}

/// Any status that a daemon could send: what may be empty is at times, texts hold what needs quoting.
class AnyStatus {
 public:
  explicit AnyStatus(std::uint32_t seed) : random_(seed) {}

  report::Status make() {
    report::Status status;
    status.version = text();
    status.state = any<core::State>();
    status.since = time();
    if (coin()) status.next_wake = time();
    if (coin()) status.last_cycle = report::LastCycleStatus{time(), time(), outcome(), count(), bytes(), text()};
    if (status.last_cycle && coin()) status.last_cycle->code = any<base::Errc>();
    if (status.last_cycle && coin()) status.last_cycle->service_code = text();
    if (status.last_cycle && coin()) status.last_cycle->advice = text();
    if (status.last_cycle && coin()) status.last_cycle->problem = any<core::ProblemCode>();
    if (coin()) status.cycle = cycle();
    status.mirror = {text(), bytes(), bytes(), bytes(), bytes(), bytes(), bytes()};
    if (coin()) status.mirror.outlook = outlook();
    status.chain.complete = coin();
    if (coin()) status.chain.through = date();
    for (auto n = below(4); n > 0; --n) status.chain.missing.push_back(text());
    for (auto n = below(4); n > 0; --n) status.chain.absent_upstream.push_back(date());
    for (auto n = below(4); n > 0; --n) status.chain.unaccounted.push_back(date());
    if (coin()) status.secret.expires_on = date();
    status.secret.estimated = coin();
    if (coin()) status.secret.days_left = static_cast<std::int64_t>(below(2'000)) - 1'000;
    for (auto n = below(3); n > 0; --n) status.secret.warned.push_back(count());
    if (coin()) status.api_key.last_used = time();
    if (coin()) status.api_key.revoked_after = time();
    for (auto n = below(3); n > 0; --n) status.consumers.push_back(consumer());
    for (auto n = below(4); n > 0; --n) status.problems.push_back(problem());
    if (coin()) status.verification = report::VerificationStatus{time(), count(), count(), bytes(), bytes()};
    return status;
  }

 private:
  report::CycleStatus cycle() {
    report::CycleStatus cycle{time(), count(), count(), bytes(), bytes(), bytes(), {}, {}};
    cycle.published = count();
    cycle.fetched = bytes();
    cycle.step = any<ports::Step>();
    if (coin()) cycle.asking = ports::Asking{.since = time()};
    if (cycle.asking && coin()) cycle.asking->until = time();
    if (cycle.asking && coin()) cycle.asking->reason = text();
    if (coin()) cycle.eta = std::chrono::seconds(bytes());
    for (auto n = below(4); n > 0; --n) {
      cycle.downloads.push_back({text(), bytes(), bytes(), bytes(), count(), count()});
    }
    return cycle;
  }

  core::Outlook outlook() {
    core::Outlook outlook{.today = date(), .free = bytes(), .reserve = bytes(), .keep_cycles = count()};
    if (coin()) outlook.forecast = core::Forecast{.chain_bytes = bytes(), .chain_days = count(), .soon = coin()};
    if (outlook.forecast && coin())
      outlook.forecast->full_on = std::chrono::sys_days(outlook.today) + std::chrono::days(below(2'000));
    for (auto n = below(4); n > 0; --n) outlook.savings.push_back({count(), bytes()});
    return outlook;
  }
  report::ConsumerStatus consumer() {
    report::ConsumerStatus consumer{.name = text(), .created = time(), .asked = time()};
    consumer.acknowledged = text();
    if (coin()) consumer.acknowledged_at = time();
    if (coin()) consumer.through = date();
    if (coin()) consumer.behind_since = time();
    consumer.files = bytes();
    consumer.bytes = bytes();
    consumer.ticket = text();
    if (coin()) consumer.offered_at = time();
    return consumer;
  }

  report::ProblemStatus problem() {
    report::ProblemStatus problem{text(), time(), text(), text()};
    if (coin()) problem.severity = core::Severity::error;
    problem.subject = text();
    if (coin()) problem.next_try = time();
    return problem;
  }

  template <class Enum>
  Enum any() {
    const auto all = every<Enum>();
    return all[below(all.size())].value;
  }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool coin() { return below(2) == 0; }
  int count() { return static_cast<int>(below(1'000'000)); }
  /// Of every order of magnitude.
  std::int64_t bytes() { return static_cast<std::int64_t>(random_() >> (1 + below(63))); }
  base::Time time() { return std::chrono::sys_seconds(std::chrono::seconds(below(4'000'000'000))); }
  base::Date date() { return base::Date(std::chrono::sys_days(std::chrono::days(below(40'000)))); }
  core::Outcome outcome() {
    constexpr auto all = test::every<core::Outcome>();
    return all[below(all.size())].value;
  }
  std::string text() {
    const std::vector<std::string> parts{
        "", "v1/public/delta/delta-light-vehicle_16-11-2026.zip", "\"", "\\", "\n", "ä", " and ", "\x01", "a word"};
    std::string made;
    for (auto n = below(6); n > 0; --n) made += parts[below(parts.size())];
    return made;
  }

  std::mt19937_64 random_;
};

}  // namespace vtmirror::test
