#include "vtmirror/report/metrics.hpp"

#include "support/daemon_status.hpp"
#include "support/skip.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace vtmirror;
using report::Counters;

namespace {

ports::Event event(ports::EventKind kind, std::vector<ports::Field> fields) {
  return {.kind = kind, .level = ports::Level::info, .message = "", .fields = std::move(fields)};
}

/// With every metric there is.
std::string rich_text() {
  auto status = test::quiet_status();
  status.api_key = {test::instant("2026-11-18T08:03:12Z"), test::instant("2027-02-16T08:03:12Z")};
  status.mirror.outlook = core::Outlook{.today = test::date("2026-11-18")};
  status.mirror.outlook->forecast = core::Forecast{
      .chain_bytes = 38'400'000'000, .chain_days = 7, .full_on = test::date("2026-12-06"), .soon = false};
  status.problems = {{"late_delta", test::instant("2026-11-18T14:00:00Z"), "late"},
                     {"cycle_failed", test::instant("2026-11-18T14:00:00Z"), "failed"}};
  status.consumers.push_back({.name = "warehouse"});
  status.consumers.back().files = 2;
  status.consumers.back().behind_since = test::instant("2026-11-18T11:00:00Z");
  status.consumers.push_back({.name = "reports"});
  Counters counters;
  counters.count(event(ports::EventKind::published, {{"file", "v1/x.zip"}}));
  counters.count(event(ports::EventKind::fetch_retried, {{"reason", "timed_out"}}));
  counters.count(event(ports::EventKind::request_retried, {{"reason", "timed_out"}}));
  ports::CycleProgress progress;
  progress.downloads.push_back({.name = "v1/x.zip", .size = 95'800'000, .fetched = 95'800'000});
  counters.arrive(progress);
  counters.count(event(ports::EventKind::cycle_finished, {{"outcome", "complete"}, {"bytes", "95800000"}}));
  const report::DaemonFacts facts{.last_cycle = status.last_cycle,
                                  .mirror = status.mirror,
                                  .chain = status.chain,
                                  .api_key = status.api_key,
                                  .newest_delta = test::date("2026-11-18"),
                                  .last_success = status.last_cycle->finished};
  return report::metrics_text(status, facts, counters, test::instant("2026-11-18T12:00:00Z"));
}

bool has(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("cycles are counted by outcome and retries by reason") {
  const auto text = rich_text();
  CAPTURE(text);
  CHECK(has(text, "vtmirror_cycles_total{outcome=\"complete\"} 1"));
  CHECK(has(text, "vtmirror_retries_total{reason=\"timed_out\"} 2"));
  CHECK(has(text, "vtmirror_fetched_bytes_total 95800000"));
  CHECK(has(text, "vtmirror_published_files_total 1"));
}

TEST_CASE("bytes are counted as they arrive, once, also beyond the end of a cycle") {
  Counters counters;
  ports::CycleProgress progress;
  progress.downloads = {{.name = "a", .fetched = 100}, {.name = "b", .fetched = 10}};
  counters.arrive(progress);
  CHECK(counters.bytes == 110);
  counters.arrive(progress);
  CHECK(counters.bytes == 110);
  progress.downloads[0].fetched = 150;
  counters.arrive(progress);
  CHECK(counters.bytes == 160);
  counters.count(event(ports::EventKind::cycle_finished, {{"outcome", "complete"}, {"bytes", "160"}}));
  counters.arrive(progress);  // of a metrics request before the next cycle
  CHECK(counters.bytes == 160);
  ports::CycleProgress next;
  next.started = base::Time(std::chrono::hours(1));
  next.downloads.push_back({.name = "a", .fetched = 7});
  counters.arrive(next);
  CHECK(counters.bytes == 167);
}

TEST_CASE("the version and the next wake-up are exported, the latter while it is known") {
  const auto text = rich_text();
  CHECK(text.find("vtmirror_build_info{version=\"" + test::quiet_status().version + "\"} 1\n") != std::string::npos);
  auto status = test::quiet_status();
  status.next_wake = test::instant("2026-11-19T08:03:10Z");
  CHECK(has(report::metrics_text(status, {}, {}, {}), "vtmirror_next_wake_timestamp_seconds 1795075390"));
  status.next_wake.reset();
  CHECK(report::metrics_text(status, {}, {}, {}).find("next_wake") == std::string::npos);
}

TEST_CASE("the growth and the day on which the disk is full are exported when they are known, and never as a guess") {
  const auto text = rich_text();
  CHECK(has(text, "vtmirror_chain_growth_bytes 38400000000"));
  CHECK(has(text, "vtmirror_disk_full_timestamp_seconds 1796515200"));
  const auto exported = [](std::optional<core::Forecast> forecast) {
    auto status = test::quiet_status();
    status.mirror.outlook = core::Outlook{.forecast = forecast};
    return report::metrics_text(status, {}, {}, test::instant("2026-11-18T12:00:00Z"));
  };
  CHECK(exported(std::nullopt).find("vtmirror_chain_growth_bytes") == std::string::npos);
  CHECK(exported(core::Forecast()).find("vtmirror_disk_full_timestamp_seconds") == std::string::npos);
}

TEST_CASE("each consumer has its lag, which is 0 once it has loaded everything") {
  const auto text = rich_text();
  CAPTURE(text);
  CHECK(has(text, "vtmirror_consumer_files{consumer=\"warehouse\"} 2"));
  CHECK(has(text, "vtmirror_consumer_files{consumer=\"reports\"} 0"));
  CHECK(has(text, "vtmirror_consumer_behind_seconds{consumer=\"warehouse\"} 3600"));
  CHECK(has(text, "vtmirror_consumer_behind_seconds{consumer=\"reports\"} 0"));
  CHECK(report::metrics_text(test::quiet_status(), {}, {}, {}).find("vtmirror_consumer") == std::string::npos);
}

TEST_CASE("an outcome that has not occurred yet is exported as 0, so that the first one shows as an increase") {
  const auto text = rich_text();
  CHECK(has(text, "vtmirror_cycles_total{outcome=\"failed\"} 0"));
  CHECK(has(text, "vtmirror_cycles_total{outcome=\"partial\"} 0"));
}

TEST_CASE("each problem is exported with its code and severity") {
  const auto text = rich_text();
  CAPTURE(text);
  CHECK(has(text, "vtmirror_problems 2"));
  CHECK(text.find("vtmirror_problem{code=\"late_delta\",severity=\"") != std::string::npos);
  CHECK(text.find("vtmirror_problem{code=\"cycle_failed\",severity=\"") != std::string::npos);
}

TEST_CASE("expiries are exported as times, and only if they are known") {
  const auto text = rich_text();
  CHECK(has(text, "vtmirror_secret_expiry_timestamp_seconds 1803859200"));
  CHECK(has(text, "vtmirror_secret_expiry_estimated 0"));
  CHECK(has(text, "vtmirror_api_key_revocation_timestamp_seconds 1802764992"));
  const auto bare = report::metrics_text({}, {}, {}, test::instant("2026-11-18T12:00:00Z"));
  CHECK(bare.find("expiry") == std::string::npos);
  CHECK(bare.find("revocation") == std::string::npos);
  CHECK(bare.find("last_success") == std::string::npos);
}

TEST_CASE("Prometheus's own check finds nothing wrong with the metrics") {
  if (const auto why = test::absent("promtool", "prometheus")) return test::skip(*why);
  const test::TemporaryDirectory directory;
  test::write_file(directory / "metrics", rich_text());
  const auto check = "cd '" + directory.path().string() + "' && promtool check metrics <metrics >logged 2>&1";
  const int status = std::system(check.c_str());
  CHECK_MESSAGE(status == 0, test::read_file(directory / "logged"));
}
