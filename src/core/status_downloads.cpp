#include "core/status_downloads.hpp"

#include "core/status_page.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

constexpr std::size_t numbers_columns = 28;  // "  100% of 38.0 GB  98.1 MB/s"
constexpr std::size_t least_name = 20;
constexpr std::size_t least_bar = 8;
constexpr std::size_t most_bar = 24;

struct Layout {
  std::size_t name = 0;
  std::size_t bar = 0;  ///< 0: none
};

/// The kind stands at the beginning of our files' names, the date at their end: what is between says least.
std::string short_name(const std::string& name, std::size_t columns) {
  const auto base_name = base::printable(name.substr(name.rfind('/') + 1));
  const auto length = columns_of(base_name);
  if (length <= columns) return base_name;
  constexpr std::string_view day = "15-11-2026.zip";
  constexpr std::string_view dots = "...";
  const auto kept = columns - std::min(columns, dots.size());
  const auto tail = std::max((kept * 3 + 3) / 4, std::min(kept, day.size()));
  const auto without_tail = cut(base_name, length - tail);
  return cut(base_name, kept - tail) + std::string(dots) + base_name.substr(without_tail.size());
}

Layout layout_of(const std::vector<DownloadStatus>& downloads, std::size_t width) {
  std::size_t longest = 0;
  for (const auto& download : downloads) {
    longest = std::max(longest, columns_of(short_name(download.name, std::string::npos)));
  }
  if (width == 0) return {longest, most_bar};
  const auto room = width > numbers_columns ? width - numbers_columns : 0;
  if (room >= least_name + 2 + least_bar) {
    const auto name = std::min(longest, room - 2 - least_bar);
    return {name, std::min(room - 2 - name, most_bar)};
  }
  return {std::clamp(room, std::min(longest, std::size_t{4}), std::max(longest, std::size_t{4})), 0};
}

std::string bar(const DownloadStatus& download, std::size_t columns) {
  const auto inner = columns - 2;
  const auto full = inner * static_cast<std::size_t>(percent(download.received, download.size)) / 100;
  return '[' + std::string(full, '#') + std::string(inner - full, '-') + ']';
}

std::string right(const std::string& text, std::size_t columns) {
  return std::string(columns - std::min(columns, columns_of(text)), ' ') + text;
}

std::string pace(const DownloadStatus& download) {
  if (download.rate > 0) return base::human_size(download.rate) + "/s";
  if (download.received >= download.size) return "checking";
  return download.connections == 0 ? "waiting" : "";
}

std::string text_of(const DownloadStatus& download, const Layout& layout) {
  auto text = short_name(download.name, layout.name);
  text.append(layout.name - std::min(layout.name, columns_of(text)), ' ');
  if (layout.bar > 0) text += "  " + bar(download, layout.bar);
  text += right(std::to_string(percent(download.received, download.size)), 5) + '%';
  text += " of " + right(base::human_size(download.size), 7) + right(pace(download), 11);
  return text;
}

/// Said only where there is room for it.
std::string attempt_words(const DownloadStatus& download) {
  return download.attempt > 1 ? "  attempt " + std::to_string(download.attempt) : "";
}

}  // namespace

int percent(std::int64_t part, std::int64_t whole) noexcept {
  if (whole <= 0) return 100;
  const auto share = static_cast<double>(part) / static_cast<double>(whole);
  return part >= whole ? 100 : std::clamp(static_cast<int>(share * 100), 0, 99);
}

std::vector<std::string> download_lines(const std::vector<DownloadStatus>& downloads, std::size_t width) {
  const auto layout = layout_of(downloads, width);
  std::vector<std::string> lines;
  for (const auto& download : downloads) {
    const auto attempt = attempt_words(download);
    auto& line = lines.emplace_back(text_of(download, layout));
    if (width == 0 || columns_of(line) + attempt.size() <= width) line += attempt;
  }
  return lines;
}

}  // namespace vtmirror::core
