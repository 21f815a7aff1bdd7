#include "vtmirror/report/cycle_words.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace vtmirror::report {
namespace {

using Phase = ports::DownloadProgress::Phase;

/// "21:27:29", with the day before it if that is not today's.
std::string second_of(base::Time time, base::Time now, const UtcOffset& offset) {
  constexpr std::size_t day_length = 10;
  const auto text = local_time(time, offset);
  const bool is_today = text.starts_with(local_time(now, offset).substr(0, day_length));
  return is_today ? text.substr(day_length + 1) : text;
}

constexpr std::int64_t finely_counted = 1'000'000'000;
constexpr auto a_minute = std::chrono::minutes(1);

/// In `steps` equal steps, rounded down.
int share(std::int64_t part, std::int64_t whole, int steps) {
  if (part >= whole) return steps;
  const auto full = static_cast<double>(std::max<std::int64_t>(part, 0)) / static_cast<double>(whole) * steps;
  return std::clamp(static_cast<int>(full), 0, steps - 1);
}

/// "40 s", "4 min", "2 h 10 min"
std::string about(double seconds) {
  if (seconds < 90) return std::to_string(static_cast<int>(std::ceil(seconds))) + " s";
  const auto minutes = static_cast<std::int64_t>(std::round(seconds / 60));
  if (minutes < 90) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

int tenths_of(const ports::DownloadProgress& file) { return share(file.received, file.size, 10); }

std::string line_of(const ports::DownloadProgress& file, double rate) {
  auto text = title_of(file.name) + ": " + std::to_string(share(file.received, file.size, 100)) + "% of " +
              base::human_size(file.size);
  if (file.received >= file.size) return text + ", being checked";
  if (rate < 1) return text + ", no byte is arriving";
  text += ", " + base::human_size(static_cast<std::int64_t>(rate)) + "/s";
  constexpr double too_long = 99.0 * 3600;
  const auto left = static_cast<double>(file.size - file.received) / rate;
  if (left < too_long) text += ", " + about(left) + " left";
  return text;
}

std::string bar_of_blocks(double fraction, std::size_t inner) {
  constexpr std::size_t steps = 8;
  constexpr std::array<std::string_view, steps> parts{" ",      "\u258f", "\u258e", "\u258d",
                                                      "\u258c", "\u258b", "\u258a", "\u2589"};
  const auto eighths = static_cast<std::size_t>(fraction * static_cast<double>(inner * steps));
  std::string text;
  for (std::size_t column = 0; column < inner; ++column) {
    if (column < eighths / steps)
      text += "\u2588";
    else
      text += column == eighths / steps ? parts.at(eighths % steps) : " ";
  }
  return '[' + text + ']';
}

}  // namespace

std::string pause_words(const std::optional<ports::Asking>& asking, base::Time now, const UtcOffset& offset) {
  if (!asking || !asking->until) return {};
  return "waiting until " + second_of(*asking->until, now, offset) + ": " + base::printable(asking->reason);
}

std::string step_words(ports::Step step, const std::optional<ports::Asking>& asking, base::Time now,
                       const UtcOffset& offset) {
  if (step == ports::Step::downloading) return {};
  if (auto pause = pause_words(asking, now, offset); !pause.empty()) return pause;
  if (step == ports::Step::comparing) return "comparing the listing with the mirror";
  const auto since = asking ? std::chrono::floor<std::chrono::seconds>(now - asking->since) : std::chrono::seconds(0);
  const std::string what = "asking for the listing";
  return since.count() > 0 ? what + " (" + base::human_duration(since) + ')' : what;
}

std::string percent_words(std::int64_t part, std::int64_t whole) {
  if (whole < finely_counted || part >= whole) return std::to_string(share(part, whole, 100)) + '%';
  const auto tenths = share(part, whole, 1000);
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + '%';
}

std::string bar(double fraction, std::size_t width, bool utf8) {
  if (width < 3) return {};
  const auto inner = width - 2;
  const auto part = std::clamp(fraction, 0.0, 1.0);
  if (utf8) return bar_of_blocks(part, inner);
  const auto full = static_cast<std::size_t>(part * static_cast<double>(inner));
  return '[' + std::string(full, '#') + std::string(inner - full, '-') + ']';
}

bool ProgressLines::is_due(const Logged& last, int tenths, bool is_small, base::Steady now) const {
  constexpr auto at_once = std::chrono::seconds(1);
  if (every_ == Every::minute) return now - last.at >= a_minute;
  if (tenths <= last.tenths) return false;
  if (!is_small) return now - last.at >= at_once;
  return now - last.at >= a_minute && (!small_at_ || now - *small_at_ >= a_minute);
}

std::vector<ports::Event> ProgressLines::due(const ports::CycleProgress& progress, const Rates& rates,
                                             base::Steady now) {
  std::vector<ports::Event> events;
  std::map<std::string, Logged> logged;
  const ports::DownloadProgress* small = nullptr;
  const auto largest = std::ranges::max_element(progress.downloads, {}, &ports::DownloadProgress::size);
  const auto add = [&](const ports::DownloadProgress& file) {
    logged[file.name] = {now, tenths_of(file)};
    const auto rate = rates.files.find(file.name);
    events.push_back({ports::EventKind::fetch_progress,
                      ports::Level::info,
                      line_of(file, rate == rates.files.end() ? 0 : rate->second),
                      {{"file", file.name}, {"bytes", std::to_string(file.received)}}});
  };
  for (const auto& file : progress.downloads) {
    if (file.phase != Phase::fetching || file.received >= file.size) continue;
    const bool is_small = file.size < finely_counted && &file != &*largest;
    const auto before = logged_.find(file.name);
    auto last = before == logged_.end() ? Logged{now, tenths_of(file)} : before->second;
    // A file that starts over counts from there.
    last.tenths = std::min(last.tenths, tenths_of(file));
    logged[file.name] = last;
    if (!is_due(last, tenths_of(file), is_small, now)) continue;
    if (!is_small)
      add(file);
    else if (small == nullptr || last.at < logged[small->name].at)
      small = &file;  // the one whose last line is the oldest
  }
  if (small != nullptr) {
    add(*small);
    small_at_ = now;
  }
  logged_ = std::move(logged);
  return events;
}

}  // namespace vtmirror::report
