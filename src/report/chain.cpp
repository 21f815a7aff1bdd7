#include "vtmirror/report/chain.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/core/space.hpp"
#include "vtmirror/report/files.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::report {
namespace {

constexpr int manifest_schema = 2;

std::string_view phrase(core::MissingReason reason) {
  switch (reason) {
    case core::MissingReason::not_downloaded:
      return "not downloaded yet";
    case core::MissingReason::refused:
      return "its entry in the listing was refused";
    case core::MissingReason::quarantined:
      return "quarantined";
    case core::MissingReason::damaged:
      return "damaged on disk";
    case core::MissingReason::lost:
      return "lost from disk";
    case core::MissingReason::does_not_fit:
      return "no room on the disk";
  }
  return {};
}

/// "41% downloaded", "quarantined: a member is cut"
std::string why(const core::Missing& file, const std::vector<FileRow>& rows) {
  const auto partial = std::ranges::find_if(
      rows, [&](const FileRow& row) { return row.name == file.name && row.state == FileState::partial; });
  if (file.reason == core::MissingReason::not_downloaded && partial != rows.end() && partial->size > 0) {
    const auto percent = static_cast<double>(partial->durable) / static_cast<double>(partial->size) * 100;
    return std::to_string(static_cast<int>(percent)) + "% downloaded";
  }
  return std::string(phrase(file.reason)) + (file.detail.empty() ? "" : ": " + file.detail);
}

std::string chain_text(const core::Chain& chain, std::size_t width) {
  Table table({{"LOAD", Align::right}, {"KIND"}, {"DATE"}, {"SIZE", Align::right}, {"NAME"}});
  for (const auto& file : chain.files) {
    table.add({std::to_string(table.rows() + 1), std::string(core::name(file.kind)), base::iso8601(file.date),
               base::human_size(file.size), base_name(file.name)});
  }
  return table.text(width) + '\n';
}

std::string days_text(const core::Chain& chain) {
  std::string text = "Covers the files of " + base::iso8601(chain.files.front().date);
  if (chain.through && *chain.through != chain.files.front().date) text += " to " + base::iso8601(*chain.through);
  return text + (chain.complete ? "; complete\n" : "; not complete\n");
}

std::string absent_text(const core::Chain& chain) {
  std::string days;
  for (const auto& date : chain.absent_upstream) days += (days.empty() ? "" : ", ") + base::iso8601(date);
  return days.empty() ? ""
                      : "Absent upstream: " + days + " (the service made no delta: its data comes in a later export)\n";
}

std::string missing_text(const Coverage& coverage) {
  std::string text;
  for (const auto& file : coverage.chain.missing)
    text += "Missing: " + base_name(file.name) + " (" + coverage.why_missing.at(file.name) + ")\n";
  for (const auto& day : coverage.chain.unaccounted)
    text += "Unknown: " + base::iso8601(day) + " (no listing said whether there is a delta of that day)\n";
  return text;
}

std::string continues_text(const core::Chain& chain) {
  if (!chain.continues) return {};
  const auto& join = *chain.continues;
  if (!join.contiguous)
    return "Continues: the deltas do not join on to " + base_name(join.after) + " (" + std::string(join.reason) +
           "): load the bulk file\n";
  return "Continues: a consumer that has loaded up to " + base_name(join.after) + " can load the deltas alone" +
         (join.assumes_absent.empty() ? "" : ", if the absent days really have no delta") + "\n";
}

boost::json::object object_of(const core::Held& file) {
  boost::json::object object{
      {"kind", core::name(file.kind)}, {"name", file.name}, {"date", base::iso8601(file.date)}, {"size", file.size}};
  if (!file.sha256.empty()) object["sha256"] = file.sha256;
  object["since"] = file.since;
  return object;
}

boost::json::object object_of(const core::Missing& file) {
  boost::json::object object{{"kind", core::name(file.kind)}, {"name", file.name}, {"date", nullptr}};
  if (file.date) object["date"] = base::iso8601(*file.date);
  object["reason"] = core::name(file.reason);
  if (!file.detail.empty()) object["detail"] = file.detail;
  return object;
}

/// With the figures of a file for which the disk has no room.
boost::json::object object_of(const core::Missing& file, const std::vector<core::Unfit>& unfit) {
  auto object = object_of(file);
  const auto figures = std::ranges::find(unfit, file.name, &core::Unfit::name);
  if (file.reason != core::MissingReason::does_not_fit || figures == unfit.end()) return object;
  object["needs"] = figures->needed;
  object["free"] = std::max<std::int64_t>(0, figures->free);
  object["short_by"] = core::shortfall(figures->needed, figures->free);
  return object;
}

boost::json::value object_of(const std::optional<core::Continues>& continues) {
  if (!continues) return nullptr;
  boost::json::object object{{"after", continues->after}};
  if (!continues->sha256.empty()) object["sha256"] = continues->sha256;
  object["generation"] = continues->generation;
  object["contiguous"] = continues->contiguous;
  object["reason"] = continues->reason;
  auto& days = object["assumes_absent"].emplace_array();
  for (const auto& day : continues->assumes_absent) days.emplace_back(base::iso8601(day));
  return object;
}

base::Result<std::vector<core::Obstacle>> obstacles_of(const catalogue::Files& catalogue,
                                                       const std::vector<core::FileRecord>& files) {
  const auto quarantined = catalogue.quarantined();
  if (!quarantined) return quarantined.error();
  const auto unfit = catalogue.unfit();
  if (!unfit) return unfit.error();
  std::vector<core::Obstacle> obstacles;
  for (const auto& file : *quarantined)
    obstacles.push_back({file.name, core::MissingReason::quarantined, reason(file.cause)});
  for (const auto& file : *unfit) {
    const core::Fit fit{.needs = file.needed, .free = file.free};
    const auto why = reason(core::no_room(fit, file.reserve));
    obstacles.push_back({file.name, core::MissingReason::does_not_fit, why});
  }
  for (const auto& file : files)
    if (file.condition == core::Condition::damaged)
      obstacles.push_back({file.name, core::MissingReason::damaged, "its bytes on disk are not the published ones"});
  return obstacles;
}

}  // namespace

base::Result<ChainNow> chain_now(const catalogue::Files& catalogue) {
  const auto files = catalogue.files();
  if (!files) return files.error();
  const auto calendar = catalogue.calendar();
  if (!calendar) return calendar.error();
  const auto obstacles = obstacles_of(catalogue, *files);
  if (!obstacles) return obstacles.error();
  auto stock = core::stock_of(*files);
  auto chain = core::chain_of(*calendar, stock.held, *obstacles);
  return ChainNow{std::move(chain), std::move(stock.held), std::move(stock.lost)};
}

base::Result<Coverage> coverage_of(const catalogue::Catalogue& catalogue) {
  const auto listing = catalogue.last_listing();
  if (listing.has_error()) return listing.error();
  const auto rows = file_rows(catalogue);
  if (rows.has_error()) return rows.error();
  auto now = chain_now(catalogue);
  if (now.has_error()) return now.error();
  Coverage coverage{.chain = std::move(now->chain)};
  if (*listing) coverage.listed_at = (*listing)->at;
  for (const auto& file : coverage.chain.missing) coverage.why_missing[file.name] = why(file, *rows);
  auto unfit = catalogue.unfit();
  if (unfit.has_error()) return unfit.error();
  coverage.unfit = std::move(*unfit);
  return coverage;
}

std::string coverage_text(const Coverage& coverage, std::size_t width) {
  const auto& chain = coverage.chain;
  std::string text = chain.files.empty() ? "No files to load.\n" : chain_text(chain, width) + days_text(chain);
  text += missing_text(coverage) + absent_text(chain) + continues_text(chain);
  if (coverage.listed_at) text += "Listed at " + base::iso8601(*coverage.listed_at) + '\n';
  return text;
}

std::string coverage_json(const Coverage& coverage) {
  const auto& chain = coverage.chain;
  boost::json::object object{{"schema", manifest_schema}};
  auto& files = object["chain"].emplace_array();
  for (const auto& file : chain.files) files.push_back(object_of(file));
  object["complete"] = chain.complete;
  object["through"] = nullptr;
  if (chain.through) object["through"] = base::iso8601(*chain.through);
  auto& missing = object["missing"].emplace_array();
  for (const auto& file : chain.missing) missing.push_back(object_of(file, coverage.unfit));
  auto& absent = object["absent_upstream"].emplace_array();
  for (const auto& date : chain.absent_upstream) absent.push_back(boost::json::object{{"date", base::iso8601(date)}});
  object["continues"] = object_of(chain.continues);
  object["listed_at"] = nullptr;
  if (coverage.listed_at) object["listed_at"] = base::iso8601(*coverage.listed_at);
  return boost::json::serialize(object) + '\n';
}

}  // namespace vtmirror::report
