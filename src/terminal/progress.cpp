#include "vtmirror/terminal/progress.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace vtmirror::terminal {
namespace {

using Phase = ports::DownloadProgress::Phase;

constexpr std::size_t percent_columns = 6;  // "  100%"
constexpr std::size_t bytes_columns = 21;   // "  15.8 GB / 37.7 GB"
constexpr std::size_t rate_columns = 11;    // "  98.1 MB/s"
constexpr std::size_t left_columns = 9;     // "  12m 08s"
constexpr std::size_t least_name = 18;      // "b...15-11-2026.zip"
constexpr std::size_t least_bar = 10;
constexpr std::size_t most_bar = 30;

/// One line before it is fitted to the width.
struct Line {
  std::string name;
  double fraction = 0;
  std::string bytes;
  std::string rate;  ///< or the phase, if nothing is being downloaded
  std::string left;
};

double fraction_of(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 1.0 : std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0);
}

std::string bytes_of(std::int64_t part, std::int64_t whole) {
  return base::human_size(part) + " / " + base::human_size(whole);
}

void set_rate(Line& line, double rate, std::int64_t missing) {
  if (rate < 1) return;
  line.rate = base::human_size(static_cast<std::int64_t>(rate)) + "/s";
  const auto seconds = std::ceil(static_cast<double>(std::max<std::int64_t>(missing, 0)) / rate);
  constexpr double too_long = 99.0 * 3600;
  if (seconds < too_long) line.left = base::human_duration(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
}

Line line_of(const ports::DownloadProgress& download, const report::Rates& rates) {
  Line line{report::title_of(download.name),
            fraction_of(download.received, download.size),
            bytes_of(download.received, download.size),
            {},
            {}};
  const auto rate = rates.files.find(download.name);
  switch (download.phase) {
    case Phase::waiting:
      line.rate = "waiting";
      break;
    case Phase::fetching:
      if (rate != rates.files.end()) set_rate(line, rate->second, download.size - download.received);
      break;
    case Phase::checking:
      line.rate = "checking";
      break;
    case Phase::published:
    case Phase::failed:
      break;
  }
  return line;
}

/// Finished files are logged as lines of the journal.
bool is_over(const ports::DownloadProgress& download) {
  return download.phase == Phase::published || download.phase == Phase::failed;
}

/// The downloads under way may add up to more than the cycle's own sums.
std::int64_t at_least(std::int64_t sum, const ports::CycleProgress& progress,
                      std::int64_t ports::DownloadProgress::*part) {
  std::int64_t started = 0;
  for (const auto& download : progress.downloads) started += download.*part;
  return std::max(sum, started);
}

Line total_line(const ports::CycleProgress& progress, const report::Rates& rates) {
  const auto bytes = at_least(progress.bytes, progress, &ports::DownloadProgress::size);
  const auto received = at_least(progress.received, progress, &ports::DownloadProgress::received);
  Line line{std::to_string(progress.done) + " of " + base::counted(progress.files, "file"),
            fraction_of(received, bytes),
            bytes_of(received, bytes),
            {},
            {}};
  set_rate(line, rates.total, bytes - received);
  return line;
}

std::string to_the_right(std::string_view text, std::size_t columns) {
  const auto taken = report::columns_of(text);
  return std::string(columns > taken ? columns - taken : 0, ' ') + std::string(text);
}

/// The columns that fit, and their widths.
struct Layout {
  std::size_t name = 0;
  std::size_t bar = 0;  ///< 0: none
  bool rate = true;
};

Layout layout_of(const std::vector<Line>& lines, std::size_t width) {
  std::size_t longest = 0;
  for (const auto& line : lines) longest = std::max(longest, report::columns_of(line.name));
  Layout layout;
  std::size_t others = percent_columns + bytes_columns + rate_columns + left_columns;
  layout.rate = width >= others + least_name;
  if (!layout.rate) others -= rate_columns + left_columns;
  const auto room = width > others ? width - others : 0;
  const auto name = std::min(longest, std::max(least_name, room));
  if (layout.rate && room >= least_name + 2 + least_bar) {
    const auto spare = room > name + 2 ? room - name - 2 : 0;
    layout.bar = std::clamp(spare, least_bar, most_bar);
    layout.name = std::min(longest, room - 2 - layout.bar);
  } else {
    layout.name = std::min(longest, room);
  }
  return layout;
}

std::string text_of(const Line& line, const Layout& layout, std::size_t width) {
  auto text = report::cut_middle(line.name, layout.name);
  text.append(layout.name - std::min(layout.name, report::columns_of(text)), ' ');
  if (layout.bar > 0) text += "  " + bar(line.fraction, layout.bar);
  // Rounded down, so that 100 % means complete.
  text += to_the_right(std::to_string(static_cast<int>(line.fraction * 100)) + '%', percent_columns);
  text += to_the_right(line.bytes, bytes_columns);
  if (layout.rate) text += to_the_right(line.rate, rate_columns) + to_the_right(line.left, left_columns);
  text = report::cut_end(text, width);
  return text.erase(text.find_last_not_of(' ') + 1);
}

}  // namespace

std::string bar(double fraction, std::size_t width) {
  if (width < 3) return {};
  const auto inner = width - 2;
  const auto full = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(inner));
  return '[' + std::string(full, '#') + std::string(inner - full, '-') + ']';
}

std::vector<std::string> render(const ports::CycleProgress& progress, const report::Rates& rates, std::size_t width) {
  std::vector<Line> lines;
  for (const auto& download : progress.downloads) {
    if (!is_over(download)) lines.push_back(line_of(download, rates));
  }
  lines.push_back(total_line(progress, rates));
  const auto layout = layout_of(lines, width);
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(text_of(line, layout, width));
  return texts;
}

}  // namespace vtmirror::terminal
