// The last cycles: a plot of how long each took and how fast it was, and the same as a table.
#include "web/markup.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/history.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace vtmirror::web {
namespace {

using core::CycleRecord;

/// In the plot's own units: y is in pixels, x in per cent of the plot's width.
constexpr double height = 96;
constexpr double headroom = 12;

base::Milliseconds took(const CycleRecord& cycle) {
  return std::max(cycle.finished.value_or(cycle.started) - cycle.started, base::Milliseconds(0));
}

double rate_of(const CycleRecord& cycle) { return cycle.finished ? report::average_rate(cycle.bytes, took(cycle)) : 0; }

std::string_view outcome_of(const CycleRecord& cycle) {
  return cycle.finished ? core::name(cycle.outcome) : std::string_view("unfinished");
}

std::string number(double value) {
  auto text = percent(value / 100);
  text.pop_back();
  return text;
}

struct Tick {
  double value = 0;
  std::string label;
};

struct Scale {
  std::vector<Tick> ticks;  ///< the last one is the largest value
  bool logarithmic = false;

  /// From 0 to 1.
  double place(double value) const {
    const double top = ticks.back().value;
    if (!logarithmic) return top > 0 ? std::clamp(value / top, 0.0, 1.0) : 0;
    const double bottom = ticks.front().value;
    if (value <= bottom) return 0;
    return std::clamp(std::log(value / bottom) / std::log(top / bottom), 0.0, 1.0);
  }
};

/// Cycles take a second or ten hours: only a logarithmic scale shows both.
Scale seconds_scale(double longest) {
  static const std::array<Tick, 7> steps{
      {{0.1, "0.1 s"}, {1, "1 s"}, {10, "10 s"}, {60, "1 min"}, {600, "10 min"}, {3'600, "1 h"}, {36'000, "10 h"}}};
  Scale scale{{steps.begin(), steps.begin() + 2}, true};
  for (std::size_t at = 2; at < steps.size() && scale.ticks.back().value < longest; ++at)
    scale.ticks.push_back(steps.at(at));
  return scale;
}

Scale rate_scale(double fastest) {
  double top = 1'000;
  for (int step = 0; top < fastest; ++step) top *= step % 3 == 1 ? 2.5 : 2;
  const auto label = [](double value) { return base::human_size(static_cast<std::int64_t>(value)) + "/s"; };
  return {{{0, "0"}, {top / 2, label(top / 2)}, {top, label(top)}}, false};
}

double y_of(const Scale& scale, double value) { return headroom + (1 - scale.place(value)) * height; }

std::string axis_svg(const Scale& scale) {
  std::string svg = "<svg class=\"axis\" aria-hidden=\"true\">";
  for (const auto& tick : scale.ticks)
    svg += "<text x=\"100%\" y=\"" + number(y_of(scale, tick.value) + 4) + "\" text-anchor=\"end\">" +
           escaped(tick.label) + "</text>";
  return svg + "</svg>";
}

std::string date_svg(double share, std::string_view anchor, const std::string& words) {
  return "<text x=\"" + percent(share) + "\" y=\"" + number(headroom + height + 14) + "\" text-anchor=\"" +
         std::string(anchor) + "\">" + escaped(words) + "</text>";
}

/// From which day to which the bars reach: below the first and the last one if there is room for both.
std::string dates_svg(const std::vector<CycleRecord>& cycles, const PageClock& clock) {
  const auto first = report::day_words(clock.day_of(cycles.back().started));
  const auto last = report::day_words(clock.day_of(cycles.front().started));
  if (first == last) return date_svg(1, "end", last);
  const double share = static_cast<double>(cycles.size()) / plotted_cycles;
  if (share < 0.4) return date_svg(1, "end", first + " to " + last);
  return date_svg(1 - share, "start", first) + date_svg(1, "end", last);
}

/// `values`, oldest first; below zero there is none.
std::string bars_svg(const Scale& scale, const std::vector<CycleRecord>& cycles, double (*value)(const CycleRecord&),
                     const PageClock& clock) {
  std::string svg = "<svg class=\"plot\" aria-hidden=\"true\">";
  for (const auto& tick : scale.ticks) {
    const auto y = number(y_of(scale, tick.value));
    svg.append("<line x1=\"0\" x2=\"100%\" y1=\"").append(y).append("\" y2=\"").append(y).append("\"/>");
  }
  const double slot = 1.0 / plotted_cycles;
  auto at = 1 - slot * static_cast<double>(cycles.size());
  for (auto cycle = cycles.rbegin(); cycle != cycles.rend(); ++cycle, at += slot) {
    const double height_of = std::max(scale.place(value(*cycle)) * height, value(*cycle) > 0 ? 2.0 : 0.0);
    svg += "<rect class=\"" + std::string(outcome_of(*cycle)) + "\" x=\"" + percent(at + slot * 0.12) + "\" width=\"" +
           percent(slot * 0.76) + "\" y=\"" + number(headroom + height - height_of) + "\" height=\"" +
           number(height_of) + "\"/>";
    if ((!cycle->finished || cycle->outcome != core::Outcome::complete) && height_of > 0)
      svg += "<text class=\"mark\" x=\"" + percent(at + slot * 0.5) + "\" y=\"" +
             number(headroom + height - height_of - 2) + "\" text-anchor=\"middle\">" +
             (cycle->finished && cycle->outcome == core::Outcome::failed ? "x" : "!") + "</text>";
  }
  return svg + dates_svg(cycles, clock) + "</svg>";
}

double seconds_of(const CycleRecord& cycle) {
  return std::max(std::chrono::duration<double>(took(cycle)).count(), 0.11);
}

std::string figure_html(const std::string& caption, const Scale& scale, const std::vector<CycleRecord>& cycles,
                        double (*value)(const CycleRecord&), const PageClock& clock) {
  return "<figure><figcaption>" + escaped(caption) + "</figcaption><div class=\"graph\">" + axis_svg(scale) +
         bars_svg(scale, cycles, value, clock) + "</div></figure>";
}

std::string row_html(const CycleRecord& cycle, const PageClock& clock) {
  const auto rate = static_cast<std::int64_t>(rate_of(cycle));
  return "<tr><th scope=\"row\">" + clock.at(cycle.started) + "</th><td>" + std::string(outcome_of(cycle)) +
         "</td><td>" + (cycle.finished ? escaped(report::took_words(took(cycle))) : std::string()) + "</td><td>" +
         std::to_string(cycle.files) + "</td><td>" + escaped(base::human_size(cycle.bytes)) + "</td><td>" +
         (rate > 0 ? escaped(base::human_size(rate) + "/s") : std::string()) + "</td></tr>";
}

std::string table_html(const std::vector<CycleRecord>& cycles, const PageClock& clock) {
  std::string html =
      "<details id=\"cycle-table\"><summary>As a table</summary><table class=\"rows numbers\"><thead><tr>"
      "<th scope=\"col\">Began</th><th scope=\"col\">Outcome</th><th scope=\"col\">Took</th><th "
      "scope=\"col\">Files</th>"
      "<th scope=\"col\">Bytes</th><th scope=\"col\">Rate</th></tr></thead><tbody>";
  for (const auto& cycle : cycles) html += row_html(cycle, clock);
  return html + "</tbody></table></details>";
}

/// What the other cycles were, with the marks that they have in the plots.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> not_whole{
    {{"partial", " left listed files missing (partial, !)"},
     {"failed", " failed (x)"},
     {"unfinished", " was cut off (unfinished, !)"}}};

std::string outcomes_words(const std::vector<CycleRecord>& cycles) {
  const auto count = [&cycles](std::string_view outcome) { return std::ranges::count(cycles, outcome, outcome_of); };
  const auto whole = count("complete");
  std::string others;
  for (const auto& [outcome, words] : not_whole) {
    const auto found = count(outcome);
    if (found == 0) continue;
    if (cycles.size() == 1) return "The last cycle" + std::string(words) + '.';
    others += (others.empty() ? "; " : ", ") + std::to_string(found) + std::string(words);
  }
  if (cycles.size() == 1) return "The last cycle was complete.";
  if (others.empty()) return "All of the last " + std::to_string(cycles.size()) + " cycles were complete.";
  return std::to_string(whole) + " of the last " + std::to_string(cycles.size()) + " cycles " +
         (whole == 1 ? "was" : "were") + " complete" + others + '.';
}

}  // namespace

std::string cycles_html(const PageFacts& facts) {
  auto cycles = facts.cycles;
  // The one that runs is shown with its transfers.
  if (facts.status.cycle && !cycles.empty() && !cycles.front().finished) cycles.erase(cycles.begin());
  if (cycles.empty() && !facts.unreadable.empty()) return unreadable_html(facts);
  if (cycles.empty()) return "<p>No cycle has ended yet.</p>";
  if (cycles.size() > plotted_cycles) cycles.resize(plotted_cycles);
  double longest = 0, fastest = 0;
  for (const auto& cycle : cycles) {
    longest = std::max(longest, seconds_of(cycle));
    fastest = std::max(fastest, rate_of(cycle));
  }
  const PageClock clock(facts);
  std::string html = element("p", "", outcomes_words(cycles));
  html += figure_html("How long each took", seconds_scale(longest), cycles, seconds_of, clock);
  if (fastest > 0) html += figure_html("Average rate", rate_scale(fastest), cycles, rate_of, clock);
  // The script says there which cycle a bar is; the table says the same to everybody.
  html += "<p id=\"pointed\" class=\"readout\" aria-hidden=\"true\" hidden></p>";
  return html + table_html(cycles, clock);
}

}  // namespace vtmirror::web
