#include "vtmirror/report/cycle_words.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace vtmirror::report {
namespace {

using namespace std::chrono_literals;
using Every = ProgressLines::Every;
using Phase = ports::DownloadProgress::Phase;
using Lines = std::vector<std::string>;

constexpr const char* name = "v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip";
constexpr std::int64_t size = 37'700'000'000;

ports::CycleProgress at(std::int64_t received, Phase phase = Phase::fetching) {
  ports::CycleProgress progress;
  progress.downloads.push_back({.name = name, .size = size, .received = received, .phase = phase});
  return progress;
}

base::Steady after(base::Milliseconds time) { return {10s + time}; }

Lines due(ProgressLines& lines, std::int64_t received, base::Milliseconds time, double rate = 98e6) {
  Lines texts;
  for (const auto& event : lines.due(at(received), {.total = rate, .files = {{name, rate}}}, after(time)))
    texts.push_back(event.message);
  return texts;
}

TEST_CASE("each minute a file that is still downloaded has a line, and none before the first minute is over") {
  ProgressLines lines(Every::minute);
  CHECK(due(lines, size / 100, 0s).empty());
  CHECK(due(lines, size / 4, 59s).empty());
  CHECK(due(lines, size / 100 * 37, 60s) == Lines{"bulk 15 Nov: 37% of 37.7 GB, 98.0 MB/s, 4 min left"});
  CHECK(due(lines, size / 100 * 38, 61s).empty());
  CHECK(due(lines, size / 100 * 74, 120s).size() == 1);
}

TEST_CASE("each tenth of a file has a line, but not what was there before and not the end") {
  ProgressLines lines(Every::tenth);
  CHECK(due(lines, size / 100 * 25, 0s).empty());
  CHECK(due(lines, size / 100 * 29, 10s).empty());
  CHECK(due(lines, size / 100 * 31, 20s) == Lines{"bulk 15 Nov: 31% of 37.7 GB, 98.0 MB/s, 4 min left"});
  CHECK(due(lines, size / 100 * 39, 30s).empty());
  CHECK(due(lines, size / 100 * 61, 40s).size() == 1);
  CHECK(due(lines, size, 50s).empty());
}

TEST_CASE("a file that grows by a tenth in less than a second has no line for it") {
  ProgressLines lines(Every::tenth);
  CHECK(due(lines, 0, 0s).empty());
  CHECK(due(lines, size / 2, 500ms).empty());
  CHECK(due(lines, size / 100 * 90, 1500ms).size() == 1);
}

TEST_CASE("a file that starts over counts its tenths again") {
  ProgressLines lines(Every::tenth);
  CHECK(due(lines, 0, 0s).empty());
  CHECK(due(lines, size / 100 * 31, 10s).size() == 1);
  CHECK(due(lines, 0, 20s).empty());
  CHECK(due(lines, size / 100 * 11, 30s).size() == 1);
}

std::string delta_name(int day) {
  const auto text = std::to_string(day);
  return "v1/public/delta/year=2026/month=11/day=" + text + "/delta-light-vehicle_" + text + "-11-2026.zip";
}

/// Ten deltas of 3 MB beside a bulk file, each with its percentage.
Lines due(ProgressLines& lines, int percent_of_bulk, int percent_of_deltas, base::Milliseconds time) {
  auto progress = at(size / 100 * percent_of_bulk);
  for (int day = 10; day < 20; ++day)
    progress.downloads.push_back({.name = delta_name(day),
                                  .size = 3'000'000,
                                  .received = std::int64_t{30'000} * percent_of_deltas,
                                  .phase = Phase::fetching});
  Lines texts;
  for (const auto& event : lines.due(progress, {}, after(time)))
    texts.push_back(event.message.substr(0, event.message.find(',')));
  return texts;
}

TEST_CASE("many small slow files have one line a minute together, beside each tenth of a big one") {
  ProgressLines lines(Every::tenth);
  CHECK(due(lines, 0, 0, 0s).empty());
  CHECK(due(lines, 11, 11, 30s) == Lines{"bulk 15 Nov: 11% of 37.7 GB"});
  CHECK(due(lines, 21, 21, 60s) == Lines{"bulk 15 Nov: 21% of 37.7 GB", "delta 10 Nov: 21% of 3.00 MB"});
  CHECK(due(lines, 31, 31, 90s) == Lines{"bulk 15 Nov: 31% of 37.7 GB"});
  CHECK(due(lines, 31, 41, 120s) == Lines{"delta 11 Nov: 41% of 3.00 MB"});
  CHECK(due(lines, 31, 51, 179s).empty());
  CHECK(due(lines, 31, 51, 180s) == Lines{"delta 12 Nov: 51% of 3.00 MB"});
}

TEST_CASE("of small files alone, each tenth of the largest has a line") {
  ProgressLines lines(Every::tenth);
  const auto largest = [&lines](int percent, base::Milliseconds time) {
    ports::CycleProgress progress;
    for (const int megabytes : {2, 3})
      progress.downloads.push_back({.name = delta_name(10 + megabytes),
                                    .size = std::int64_t{megabytes} * 1'000'000,
                                    .received = std::int64_t{megabytes} * 10'000 * percent,
                                    .phase = Phase::fetching});
    Lines texts;
    for (const auto& event : lines.due(progress, {}, after(time)))
      texts.push_back(event.message.substr(0, event.message.find(',')));
    return texts;
  };
  CHECK(largest(0, 0s).empty());
  CHECK(largest(11, 10s) == Lines{"delta 13 Nov: 11% of 3.00 MB"});
  CHECK(largest(21, 20s) == Lines{"delta 13 Nov: 21% of 3.00 MB"});
}

TEST_CASE("a file that waits, is checked or is finished has no line") {
  for (const auto phase : {Phase::waiting, Phase::checking, Phase::published, Phase::failed}) {
    ProgressLines lines(Every::minute);
    CHECK(lines.due(at(1, phase), {}, after(0s)).empty());
    CHECK(lines.due(at(1, phase), {}, after(10min)).empty());
  }
}

TEST_CASE("the time left is rounded as far away as it is, and a file without bytes says so") {
  const auto line = [](std::int64_t received, double rate) {
    ProgressLines lines(Every::minute);
    CHECK(due(lines, received, 0s).empty());
    return due(lines, received, 60s, rate).at(0);
  };
  CHECK(line(size - 4'000'000'000, 100e6).ends_with(", 100 MB/s, 40 s left"));
  CHECK(line(0, 5e6).ends_with(", 5.00 MB/s, 2 h 6 min left"));
  CHECK(line(0, 0) == "bulk 15 Nov: 0% of 37.7 GB, no byte is arriving");
}

TEST_CASE("a line names its file and the bytes that are there, for programs") {
  ProgressLines lines(Every::minute);
  CHECK(lines.due(at(1000), {}, after(0s)).empty());
  const auto events = lines.due(at(1000), {}, after(60s));
  REQUIRE(events.size() == 1);
  CHECK(events[0].kind == ports::EventKind::fetch_progress);
  REQUIRE(events[0].fields.size() == 2);
  CHECK(events[0].fields[0].value == name);
  CHECK(events[0].fields[1].value == "1000");
}

}  // namespace
}  // namespace vtmirror::report
