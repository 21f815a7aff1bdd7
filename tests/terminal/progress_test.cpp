#include "vtmirror/terminal/progress.hpp"

#include "vtmirror/report/cycle_words.hpp"
#include "vtmirror/report/table.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::terminal {
namespace {

using ports::DownloadProgress;
using Phase = DownloadProgress::Phase;
using Lines = std::vector<std::string>;

constexpr std::int64_t gigabyte = 1'000'000'000;

ports::CycleProgress week() {
  ports::CycleProgress progress;
  progress.files = 5;
  progress.done = 3;
  progress.bytes = 40 * gigabyte;
  progress.received = 10 * gigabyte;
  progress.downloads = {
      {.name = "v1/public/bulk/bulk-light-vehicle_15-11-2026.zip",
       .size = 38 * gigabyte,
       .received = 9 * gigabyte,
       .connections = 4,
       .phase = Phase::fetching},
      {.name = "v1/public/delta/delta-light-vehicle_16-11-2026.zip",
       .size = 95'800'000,
       .received = 95'800'000,
       .phase = Phase::checking},
  };
  return progress;
}

report::Rates rates() { return {100e6, {{"v1/public/bulk/bulk-light-vehicle_15-11-2026.zip", 98.1e6}}}; }

ProgressLook wide(std::size_t width, bool utf8 = false) { return {.width = width, .utf8 = utf8}; }

Lines drawn(const ports::CycleProgress& progress, std::size_t width, bool utf8 = false) {
  return render(progress, rates(), wide(width, utf8));
}

TEST_CASE("at 80 columns each file has its bytes, rate and time left, beside a bar") {
  CHECK(drawn(week(), 79) == Lines{"bulk 15 Nov   [###-------------]  23.6%  9.00 GB / 38.0 GB  98.1 MB/s    4m 56s",
                                   "delta 16 Nov  [################]   100%  95.8 MB / 95.8 MB   checking",
                                   "3 of 5 files  [####------------]  25.0%  10.0 GB / 40.0 GB   100 MB/s    5m 00s"});
}

TEST_CASE("at 60 columns the bytes are left out, and the time left stays") {
  CHECK(drawn(week(), 59) == Lines{"bulk 15 Nov   [###------------]  23.6%  98.1 MB/s    4m 56s",
                                   "delta 16 Nov  [###############]   100%   checking",
                                   "3 of 5 files  [###------------]  25.0%   100 MB/s    5m 00s"});
}

TEST_CASE("at 40 columns the rate is left out too, and the time left stays") {
  CHECK(drawn(week(), 39) == Lines{"bulk 15 Nov   [#-----]  23.6%    4m 56s", "delta 16 Nov  [######]   100%  checking",
                                   "3 of 5 files  [#-----]  25.0%    5m 00s"});
}

TEST_CASE("below that the bar is left out, and then the time left") {
  CHECK(drawn(week(), 30).front() == "bulk 15 Nov   23.6%    4m 56s");
  CHECK(drawn(week(), 20).front() == "bulk 15 Nov   23.6%");
}

TEST_CASE("where the terminal knows them, bars grow by an eighth of a column") {
  CHECK(drawn(week(), 79, true) ==
        Lines{"bulk 15 Nov   [███▊            ]  23.6%  9.00 GB / 38.0 GB  98.1 MB/s    4m 56s",
              "delta 16 Nov  [████████████████]   100%  95.8 MB / 95.8 MB   checking",
              "3 of 5 files  [████            ]  25.0%  10.0 GB / 40.0 GB   100 MB/s    5m 00s"});
}

TEST_CASE("files that wait have one line together") {
  auto progress = week();
  progress.files = 10;
  for (int i = 0; i < 5; ++i) progress.downloads.push_back({.name = "v1/x.zip", .size = 95'800'000});
  const auto lines = drawn(progress, 79);
  REQUIRE(lines.size() == 4);
  CHECK(lines[2] == "+5 waiting");
  CHECK(lines[3].starts_with("3 of 10 files  ["));
}

constexpr auto two_hours = [](base::Time) { return std::chrono::hours(2); };

ports::CycleProgress asking(std::optional<base::Time> until, const std::string& reason = {}) {
  ports::CycleProgress progress;
  progress.step = ports::Step::listing;
  progress.asking =
      ports::Asking{.since = base::parse_time("2026-11-18T19:27:00Z").value(), .until = until, .reason = reason};
  return progress;
}

Lines drawn_at(const ports::CycleProgress& progress, const char* now, std::size_t width = 79) {
  return render(progress, {}, {.width = width, .now = base::parse_time(now).value(), .utc_offset = two_hours});
}

TEST_CASE("before the listing there is no bar, but the time since it was asked for") {
  CHECK(drawn_at(asking({}), "2026-11-18T19:27:00Z") == Lines{"asking for the listing"});
  CHECK(drawn_at(asking({}), "2026-11-18T19:27:03Z") == Lines{"asking for the listing (3s)"});
  ports::CycleProgress begun;
  begun.step = ports::Step::listing;
  CHECK(render(begun, {}, wide(79)) == Lines{"asking for the listing"});
}

TEST_CASE("a pause says until when by the reader's clock, and why") {
  const std::string why = "the service asks for fewer requests (HTTP 429)";
  const auto until = base::parse_time("2026-11-18T19:27:29Z").value();
  CHECK(drawn_at(asking(until, why), "2026-11-18T19:27:03Z") ==
        Lines{"waiting until 21:27:29: the service asks for fewer requests (HTTP 429)"});
  CHECK(drawn_at(asking(until, why), "2026-11-18T19:27:03Z", 39) ==
        Lines{"waiting until 21:27:29: the service", "asks for fewer requests (HTTP 429)"});
  CHECK(drawn_at(asking(base::parse_time("2026-11-18T22:05:00Z").value(), why), "2026-11-18T21:55:00Z", 99).front() ==
        "waiting until 2026-11-19 00:05:00: the service asks for fewer requests (HTTP 429)");
}

TEST_CASE("while files are downloaded, a pause before another listing has a line above the whole") {
  auto progress = week();
  progress.asking = asking(base::parse_time("2026-11-18T19:27:29Z").value(), "the service is away").asking;
  const auto lines = drawn_at(progress, "2026-11-18T19:27:03Z");
  REQUIRE(lines.size() == 4);
  CHECK(lines[2] == "waiting until 21:27:29: the service is away");
}

TEST_CASE("after the listing, the comparison with the mirror is named") {
  ports::CycleProgress progress;
  progress.step = ports::Step::comparing;
  CHECK(render(progress, {}, wide(79)) == Lines{"comparing the listing with the mirror"});
}

TEST_CASE("no bar is drawn for nothing") { CHECK(render({}, {}, wide(79)).empty()); }

TEST_CASE("no line is wider than the terminal, however narrow") {
  auto paused = week();
  paused.asking = asking(base::parse_time("2026-11-18T19:27:29Z").value(), "the service is away").asking;
  paused.downloads.push_back({.name = "v1/x.zip"});
  for (const auto& progress : {week(), paused, asking(paused.asking->until, "the service is away")})
    for (std::size_t width = 0; width <= 200; ++width)
      for (const auto& line : drawn(progress, width, width % 2 == 0)) CHECK(report::columns_of(line) <= width);
}

TEST_CASE("a whole is whole only when every byte is there, and counts tenths above a gigabyte") {
  ports::CycleProgress progress;
  progress.files = 1;
  progress.bytes = 40 * gigabyte;
  progress.received = progress.bytes - 1;
  CHECK(drawn(progress, 80).back().find(" 99.9%") != std::string::npos);
  progress.received = progress.bytes;
  CHECK(drawn(progress, 80).back().find(" 100%") != std::string::npos);
  CHECK(report::percent_words(999'999'998, 999'999'999) == "99%");
  CHECK(report::percent_words(1, 2) == "50%");
  CHECK(report::percent_words(0, 0) == "100%");
}

TEST_CASE("a file that does not move shows what it waits for, not a rate") {
  auto progress = week();
  progress.downloads.front().phase = Phase::checking;
  CHECK(drawn(progress, 120).front().ends_with("  checking"));
  progress.downloads.front().phase = Phase::fetching;
  CHECK(render(progress, {}, wide(120)).front().ends_with("38.0 GB"));
  progress.downloads.front().connections = 0;
  CHECK(render(progress, {}, wide(120)).front().ends_with("  waiting"));
}

TEST_CASE("a finished file has no line any more, but counts in the whole") {
  auto progress = week();
  progress.downloads.front().phase = Phase::published;
  progress.downloads.back().phase = Phase::failed;
  const auto lines = drawn(progress, 100);
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().starts_with("3 of 5 files  [#"));
}

TEST_CASE("while the cycle has no sums yet, the total is that of the started downloads") {
  auto progress = week();
  progress.bytes = progress.received = 0;
  CHECK(drawn(progress, 100).back().find(" 23.8%  9.10 GB / 38.1 GB") != std::string::npos);
}

TEST_CASE("a bar is full at the end and empty at the start") {
  CHECK(report::bar(0, 12) == "[----------]");
  CHECK(report::bar(0.5, 12) == "[#####-----]");
  CHECK(report::bar(1, 12) == "[##########]");
  CHECK(report::bar(7, 12) == "[##########]");
  CHECK(report::bar(0.5, 2).empty());
  CHECK(report::bar(0, 6, true) == "[    ]");
  CHECK(report::bar(0.5 / 4, 6, true) == "[▌   ]");
  CHECK(report::bar(1, 6, true) == "[████]");
}

TEST_CASE("the progress of the whole is known as soon as there are files to download") {
  CHECK(percent_of(week()) == 25);
  CHECK(percent_of(asking({})) == std::nullopt);
  CHECK(percent_of({}) == std::nullopt);
}

base::Steady at(int milliseconds) { return {base::Milliseconds(milliseconds)}; }

TEST_CASE("a steady flow shows its rate from the first sample on") {
  report::RateBook book;
  ports::CycleProgress progress;
  progress.downloads = {{.name = "a", .phase = Phase::fetching}, {.name = "b", .phase = Phase::fetching}};
  book.update(progress, at(0));
  for (int frame = 1; frame < 50; ++frame) {
    progress.downloads[0].fetched += 200'000;
    progress.downloads[1].fetched += 20'000;
    const auto rates = book.update(progress, at(frame * 200));
    CHECK(std::abs(rates.files.at("a") - 1e6) < 1);
    CHECK(std::abs(rates.total - 1.1e6) < 1);
  }
}

TEST_CASE("a flow that stops fades over some seconds") {
  report::SmoothRate rate;
  for (int i = 0; i < 100; ++i) rate.add(200'000, 0.2);
  for (int i = 0; i < 15; ++i) rate.add(0, 0.2);
  CHECK(rate.bytes_a_second() > 0.3e6);
  CHECK(rate.bytes_a_second() < 0.4e6);
  for (int i = 0; i < 150; ++i) rate.add(0, 0.2);
  CHECK(rate.bytes_a_second() < 100);
}

TEST_CASE("bytes of an earlier attempt do not count for the rate, nor does a count that starts again") {
  report::RateBook book;
  ports::CycleProgress progress;
  progress.downloads = {{.name = "a", .received = 5'000'000, .fetched = 1'000, .phase = Phase::fetching}};
  book.update(progress, at(0));
  CHECK(book.update(progress, at(200)).files.at("a") == 0);
  progress.downloads[0].fetched = 0;
  CHECK(book.update(progress, at(400)).total == 0);
}

}  // namespace
}  // namespace vtmirror::terminal
