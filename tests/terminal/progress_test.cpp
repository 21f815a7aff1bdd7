#include "vtmirror/terminal/progress.hpp"

#include "vtmirror/report/table.hpp"

#include <doctest/doctest.h>

#include <cmath>
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
       .phase = Phase::fetching},
      {.name = "v1/public/delta/delta-light-vehicle_16-11-2026.zip",
       .size = 95'800'000,
       .received = 95'800'000,
       .phase = Phase::checking},
  };
  return progress;
}

report::Rates rates() { return {100e6, {{"v1/public/bulk/bulk-light-vehicle_15-11-2026.zip", 98.1e6}}}; }

TEST_CASE("each file has a line and the whole has the last one") {
  CHECK(render(week(), rates(), 100) ==
        Lines{"bulk 15 Nov   [######----------------------]   23%    9.00 GB / 38.0 GB  98.1 MB/s   4m 56s",
              "delta 16 Nov  [############################]  100%    95.8 MB / 95.8 MB   checking",
              "3 of 5 files  [#######---------------------]   25%    10.0 GB / 40.0 GB   100 MB/s   5m 00s"});
}

TEST_CASE("no line is wider than the terminal, however narrow") {
  for (std::size_t width = 0; width <= 200; ++width) {
    for (const auto& line : render(week(), rates(), width)) CHECK(report::columns_of(line) <= width);
  }
}

TEST_CASE("a narrow terminal loses the bar first, then the rate") {
  CHECK(render(week(), rates(), 100).front().find('[') != std::string::npos);
  const auto without_bar = render(week(), rates(), 66).front();
  CHECK(without_bar.find('[') == std::string::npos);
  CHECK(without_bar.find("98.1 MB/s") != std::string::npos);
  const auto without_rate = render(week(), rates(), 50).front();
  CHECK(without_rate.find("MB/s") == std::string::npos);
  CHECK(without_rate.find("23%") != std::string::npos);
}

TEST_CASE("a whole is whole only when every byte is there") {
  ports::CycleProgress progress;
  progress.files = 1;
  progress.bytes = 40 * gigabyte;
  progress.received = progress.bytes - 1;
  CHECK(render(progress, {}, 80).back().find(" 99%") != std::string::npos);
  progress.received = progress.bytes;
  CHECK(render(progress, {}, 80).back().find("100%") != std::string::npos);
}

TEST_CASE("a file that does not move shows what it waits for, not a rate") {
  auto progress = week();
  progress.downloads.front().phase = Phase::waiting;
  CHECK(render(progress, rates(), 120).front().ends_with("  waiting"));
  progress.downloads.front().phase = Phase::checking;
  CHECK(render(progress, rates(), 120).front().ends_with("  checking"));
  progress.downloads.front().phase = Phase::fetching;
  CHECK(render(progress, report::Rates{}, 120).front().ends_with("38.0 GB"));
}

TEST_CASE("a finished file has no line any more, but counts in the whole") {
  auto progress = week();
  progress.downloads.front().phase = Phase::published;
  progress.downloads.back().phase = Phase::failed;
  const auto lines = render(progress, rates(), 100);
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().starts_with("3 of 5 files  [#"));
}

TEST_CASE("while the cycle has no sums yet, the total is that of the started downloads") {
  auto progress = week();
  progress.bytes = progress.received = 0;
  CHECK(render(progress, rates(), 100).back().find(" 23%    9.10 GB / 38.1 GB") != std::string::npos);
}

TEST_CASE("a bar is full at the end and empty at the start") {
  CHECK(bar(0, 12) == "[----------]");
  CHECK(bar(0.5, 12) == "[#####-----]");
  CHECK(bar(1, 12) == "[##########]");
  CHECK(bar(7, 12) == "[##########]");
  CHECK(bar(0.5, 2).empty());
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
