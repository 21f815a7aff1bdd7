#include "vtmirror/base/text.hpp"
#include "vtmirror/report/table.hpp"
#include "web/markup.hpp"

#include <algorithm>

namespace vtmirror::web {
namespace {

std::string rate_words(std::int64_t rate) { return rate > 0 ? base::human_size(rate) + "/s" : std::string(); }

std::string progress_html(std::string_view label, std::int64_t received, std::int64_t size) {
  const auto whole = std::max<std::int64_t>(size, 1);
  return "<progress aria-label=\"" + escaped(label) + "\" max=\"" + std::to_string(whole) + "\" value=\"" +
         std::to_string(std::clamp<std::int64_t>(received, 0, whole)) + "\"></progress>";
}

std::string left_words(const report::DownloadStatus& download) {
  if (download.received >= download.size) return "checking";
  if (download.rate <= 0) return download.connections == 0 ? "waiting" : "";
  return base::human_duration(std::chrono::seconds((download.size - download.received) / download.rate)) + " left";
}

std::string row_html(const report::DownloadStatus& download) {
  const auto title = report::title_of(download.name);
  auto detail = std::to_string(download.connections) + (download.connections == 1 ? " connection" : " connections");
  if (download.attempt > 1) detail += ", attempt " + std::to_string(download.attempt);
  return "<tr data-name=\"" + escaped(download.name) + "\"><th scope=\"row\">" + escaped(title) + "</th><td>" +
         progress_html(title, download.received, download.size) + "</td><td data-cell=\"size\">" +
         escaped(base::human_size(download.received) + " of " + base::human_size(download.size)) +
         "</td><td data-cell=\"rate\">" + escaped(rate_words(download.rate)) + "</td><td data-cell=\"left\">" +
         escaped(left_words(download)) + "</td><td class=\"quiet\" data-cell=\"more\">" + escaped(detail) +
         "</td></tr>";
}

std::string total_words(const report::CycleStatus& cycle) {
  if (cycle.files == 0) return "Requesting the listing";
  auto text = std::to_string(cycle.done) + " of " + base::counted(cycle.files, "file") + ", " +
              base::human_size(cycle.received) + " of " + base::human_size(cycle.bytes);
  if (cycle.rate > 0) text += ", " + rate_words(cycle.rate);
  if (cycle.eta) text += ", " + base::human_duration(*cycle.eta) + " left";
  return text;
}

}  // namespace

std::string transfers_html(const PageFacts& facts) {
  const auto& cycle = facts.status.cycle;
  if (!cycle) return "";
  std::string html =
      "<section aria-labelledby=\"transfers-title\"><h2 id=\"transfers-title\">Transfers</h2><p id=\"total-words\">" +
      escaped(total_words(*cycle)) + "</p><div id=\"total\">" +
      progress_html("All files", cycle->received, cycle->bytes) + "</div>";
  if (cycle->downloads.empty()) return html + "</section>";
  html +=
      "<table class=\"rows transfers\"><thead><tr><th scope=\"col\">File</th><th scope=\"col\">Progress</th>"
      "<th scope=\"col\">Received</th><th scope=\"col\">Rate</th><th scope=\"col\">Time left</th>"
      "<th scope=\"col\">Connections</th></tr></thead><tbody>";
  for (const auto& download : cycle->downloads) html += row_html(download);
  return html + "</tbody></table></section>";
}

}  // namespace vtmirror::web
