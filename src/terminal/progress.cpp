#include "vtmirror/terminal/progress.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/cycle_words.hpp"
#include "vtmirror/report/table.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace vtmirror::terminal {
namespace {

using Phase = ports::DownloadProgress::Phase;

constexpr std::size_t percent_columns = 7;  // "  41.9%"
constexpr std::size_t bytes_columns = 19;   // "  15.8 GB / 37.7 GB"
constexpr std::size_t rate_columns = 11;    // "  98.1 MB/s"
constexpr std::size_t left_columns = 10;    // "   12m 08s", "  checking"
constexpr std::size_t most_name = 20;       // "b...-15-11-2026.zip"
constexpr std::size_t least_bar = 8;
constexpr std::size_t most_bar = 30;

/// One line before it is fitted to the width.
struct Line {
  std::string name;
  double fraction = 0;
  std::string percent;
  std::string bytes;
  std::string rate;
  std::string left;
  std::string phase;  ///< instead of the rate and the time left, if nothing is being downloaded
};

double fraction_of(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 1.0 : std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0);
}

std::string bytes_of(std::int64_t part, std::int64_t whole) {
  return base::human_size(part) + " / " + base::human_size(whole);
}

Line line_of(std::string name, std::int64_t received, std::int64_t size) {
  Line line;
  line.name = std::move(name);
  line.fraction = fraction_of(received, size);
  line.percent = report::percent_words(received, size);
  line.bytes = bytes_of(received, size);
  return line;
}

/// None once everything is here: what is left then is a check, which follows no rate.
void set_rate(Line& line, double rate, std::int64_t missing) {
  if (rate < 1 || missing <= 0) return;
  line.rate = base::human_size(static_cast<std::int64_t>(rate)) + "/s";
  const auto seconds = std::ceil(static_cast<double>(missing) / rate);
  constexpr double too_long = 99.0 * 3600;
  if (seconds < too_long) line.left = base::human_duration(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
}

Line line_of(const ports::DownloadProgress& download, const report::Rates& rates) {
  auto line = line_of(report::title_of(download.name), download.received, download.size);
  const auto rate = rates.files.find(download.name);
  if (download.phase == Phase::checking) line.phase = "checking";
  if (download.phase == Phase::fetching && rate != rates.files.end())
    set_rate(line, rate->second, download.size - download.received);
  const bool pauses = download.phase == Phase::fetching && download.connections == 0 && line.rate.empty();
  if (pauses) line.phase = "waiting";
  return line;
}

/// Finished files are logged as lines of the journal, and those that wait have one line together.
bool is_under_way(const ports::DownloadProgress& download) {
  return download.phase == Phase::fetching || download.phase == Phase::checking;
}

/// The downloads under way may add up to more than the cycle's own sums.
std::int64_t at_least(std::int64_t sum, const ports::CycleProgress& progress,
                      std::int64_t ports::DownloadProgress::*part) {
  std::int64_t started = 0;
  for (const auto& download : progress.downloads) started += download.*part;
  return std::max(sum, started);
}

std::int64_t all_bytes(const ports::CycleProgress& progress) {
  return at_least(progress.bytes, progress, &ports::DownloadProgress::size);
}

std::int64_t all_received(const ports::CycleProgress& progress) {
  return at_least(progress.received, progress, &ports::DownloadProgress::received);
}

Line total_line(const ports::CycleProgress& progress, const report::Rates& rates) {
  const auto bytes = all_bytes(progress);
  const auto received = all_received(progress);
  auto line = line_of(std::to_string(progress.done) + " of " + base::counted(progress.files, "file"), received, bytes);
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
  bool bytes = false;
  bool rate = false;
  bool left = false;
};

std::size_t columns_of(const Layout& layout) {
  return layout.name + percent_columns + (layout.bytes ? bytes_columns : 0) + (layout.rate ? rate_columns : 0) +
         (layout.left ? left_columns : 0);
}

Layout layout_of(const std::vector<Line>& lines, std::size_t width) {
  std::size_t longest = 0;
  for (const auto& line : lines) longest = std::max(longest, report::columns_of(line.name));
  const auto name = std::min(longest, most_name);
  const std::array<Layout, 3> layouts{
      Layout{name, 0, true, true, true}, {name, 0, false, true, true}, {name, 0, false, false, true}};
  for (auto layout : layouts) {
    const auto others = columns_of(layout) + 2;
    if (width < others + least_bar) continue;
    layout.bar = std::min(width - others, most_bar);
    return layout;
  }
  Layout layout{name, 0, false, false, true};
  layout.left = width >= columns_of(layout);
  return layout;
}

std::string text_of(const Line& line, const Layout& layout, const ProgressLook& look) {
  auto text = report::cut_middle(line.name, layout.name);
  text.append(layout.name - std::min(layout.name, report::columns_of(text)), ' ');
  if (layout.bar > 0) text += "  " + report::bar(line.fraction, layout.bar, look.utf8);
  text += to_the_right(line.percent, percent_columns);
  if (layout.bytes) text += to_the_right(line.bytes, bytes_columns);
  if (layout.rate) text += to_the_right(line.phase.empty() ? line.rate : line.phase, rate_columns);
  if (layout.left) text += to_the_right(layout.rate || line.phase.empty() ? line.left : line.phase, left_columns);
  text = report::cut_end(text, look.width);
  return text.erase(text.find_last_not_of(' ') + 1);
}

/// Between words; a longer word is cut.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    auto end = text.size();
    if (report::columns_of(text) > width) {
      end = text.rfind(' ', width);
      if (end == std::string_view::npos || end == 0) end = text.size();
    }
    lines.push_back(report::cut_end(text.substr(0, end), width));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

}  // namespace

std::optional<int> percent_of(const ports::CycleProgress& progress) {
  const auto bytes = all_bytes(progress);
  if (progress.step != ports::Step::downloading || bytes <= 0) return std::nullopt;
  return static_cast<int>(fraction_of(all_received(progress), bytes) * 100);
}

std::vector<std::string> render(const ports::CycleProgress& progress, const report::Rates& rates,
                                const ProgressLook& look) {
  if (const auto step = report::step_words(progress.step, progress.asking, look.now, look.utc_offset); !step.empty())
    return wrapped(step, look.width);
  if (progress.files == 0 && progress.downloads.empty()) return {};
  std::vector<Line> lines;
  for (const auto& download : progress.downloads)
    if (is_under_way(download)) lines.push_back(line_of(download, rates));
  const auto waiting = std::ranges::count(progress.downloads, Phase::waiting, &ports::DownloadProgress::phase);
  lines.push_back(total_line(progress, rates));
  const auto layout = layout_of(lines, look.width);
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(text_of(line, layout, look));
  const auto total = std::move(texts.back());
  texts.pop_back();
  if (waiting > 0) texts.push_back(report::cut_end('+' + std::to_string(waiting) + " waiting", look.width));
  for (auto& line : wrapped(report::pause_words(progress.asking, look.now, look.utc_offset), look.width))
    texts.push_back(std::move(line));
  texts.push_back(total);
  return texts;
}

}  // namespace vtmirror::terminal
