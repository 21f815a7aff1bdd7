#include "vtmirror/report/chain.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/core/chain_json.hpp"
#include "vtmirror/core/space.hpp"
#include "vtmirror/report/files.hpp"
#include "vtmirror/report/missing.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::report {

namespace {

/// "41% downloaded", "quarantined: a member is cut", "not downloaded yet: the store answered HTTP 404"
std::string why(const core::Missing& file, const std::vector<FileRow>& rows, const std::string& cause) {
  const bool was_here = file.reason == core::MissingReason::lost || file.reason == core::MissingReason::damaged;
  const auto known = detail(file);
  auto more = known.empty() ? "" : ": " + known;
  if (!cause.empty() && was_here) more += "; not downloaded again: " + cause;
  if (!cause.empty() && !was_here && known.empty()) more = ": " + cause;
  const auto partial = std::ranges::find_if(
      rows, [&](const FileRow& row) { return row.name == file.name && row.state == FileState::partial; });
  if (file.reason == core::MissingReason::not_downloaded && partial != rows.end() && partial->durable > 0 &&
      partial->size > 0) {
    const auto percent = static_cast<double>(partial->durable) / static_cast<double>(partial->size) * 100;
    return std::to_string(static_cast<int>(percent)) + "% downloaded" + more;
  }
  return std::string(phrase(file.reason)) + more;
}

/// Said of a file of which an older edition is loaded meanwhile; empty for any other.
std::string newer_edition(const core::Missing& file, const core::Chain& chain,
                          const std::vector<core::ListedFile>& listed) {
  if (std::ranges::find(chain.files, file.name, &core::Held::name) == chain.files.end()) return {};
  const auto newest = std::ranges::find(listed, file.name, &core::ListedFile::name);
  if (newest != listed.end() && core::is_uncertain(*newest)) return {};
  const bool has_size = newest != listed.end() && newest->size > 0;
  return "a newer edition" + (has_size ? " (" + base::human_size(newest->size) + ")" : std::string()) +
         " is listed; the older one is in the chain; ";
}

/// Why the last cycle could not download the files, by name. That the chain lacked one says nothing more.
std::map<std::string, std::string> causes_of(const std::vector<core::Failure>& failures) {
  std::map<std::string, std::string> causes;
  for (const auto& failure : failures)
    if (failure.kind == core::FailureKind::other && !failure.cause.subject.empty() && !core::missing_in(failure.cause))
      causes.emplace(failure.cause.subject, reason(failure.cause));
  return causes;
}

/// The days of the held deltas that no chain has yet.
std::vector<base::Date> waiting(const core::Chain& chain, const std::vector<core::Held>& held) {
  std::vector<base::Date> days;
  for (const auto& file : held)
    if (file.kind == core::Kind::delta && (!chain.through || file.date > *chain.through)) days.push_back(file.date);
  std::ranges::sort(days);
  days.erase(std::unique(days.begin(), days.end()), days.end());
  return days;
}

/// `name_of` says what a file is called.
Table table_of(const core::Chain& chain, std::string (*name_of)(std::string_view)) {
  Table table({{"LOAD", Align::right},
               {"KIND", Align::left, 1},
               {"DATE", Align::left, 2},
               {"SIZE", Align::right, 3},
               {"NAME"}});
  for (const auto& file : chain.files) {
    table.add({std::to_string(table.rows() + 1), std::string(core::name(file.kind)), base::iso8601(file.date),
               base::human_size(file.size), name_of(file.name)});
  }
  return table;
}

std::string chain_text(const core::Chain& chain, std::size_t width) {
  const auto named = table_of(chain, base_name);
  return (named.fits(width) ? named : table_of(chain, title_of).narrowed(width)).text(0) + '\n';
}

std::string days_text(const core::Chain& chain) {
  std::string text = "Covers the files of " + base::iso8601(chain.files.front().date);
  if (chain.through && *chain.through != chain.files.front().date) text += " to " + base::iso8601(*chain.through);
  return text + (chain.complete ? "; complete\n" : "; not complete\n");
}

std::string absent_text(const core::Chain& chain) {
  const auto& days = chain.absent_upstream;
  if (days.empty()) return {};
  return "Absent upstream: " + days_words(days) +
         ": the service made no delta; a later delta or the next bulk file has " +
         (days.size() == 1 ? "its" : "their") + " data\n";
}

/// What the held deltas wait for: the first day after the chain that is missing, or a bulk file.
std::string waiting_text(const Coverage& coverage) {
  const auto& chain = coverage.chain;
  if (coverage.waiting.empty()) return {};
  std::string what = "a bulk file";
  if (chain.through) {
    auto days = chain.unaccounted;
    for (const auto& file : chain.missing)
      if (file.kind == core::Kind::delta && file.date) days.push_back(*file.date);
    std::erase_if(days, [&](base::Date day) { return day <= *chain.through; });
    if (days.empty()) return {};
    what = day_words(std::ranges::min(days));
  }
  const bool one = coverage.waiting.size() == 1;
  return days_words(coverage.waiting) + (one ? " is" : " are") + " held, but cannot be loaded before " + what + '\n';
}

std::string nothing_text(const Coverage& coverage) {
  return std::string("No files to load: ") + (coverage.listed_at
                                                  ? "no bulk file is held.\n"
                                                  : "no cycle has received a listing yet; run `vtmirror sync`.\n");
}

std::string missing_text(const Coverage& coverage) {
  std::string text;
  for (const auto& file : coverage.chain.missing)
    text += "Missing: " + base_name(file.name) + " (" + coverage.why_missing.at(file.name) + ")\n";
  for (const auto& day : coverage.chain.unaccounted)
    text += "Unknown: " + base::iso8601(day) + " (no listing covered that day)\n";
  return text;
}

std::string continues_text(const core::Chain& chain) {
  if (!chain.continues) return {};
  const auto& join = *chain.continues;
  if (!join.contiguous)
    return "Continues: the deltas do not join on to " + base_name(join.after) + " (" + std::string(join.reason) +
           "): load the bulk file\n";
  const auto& days = join.assumes_absent;
  return "Continues: a consumer that has loaded up to " + base_name(join.after) + " at generation " +
         std::to_string(join.generation) + " or later can load the deltas alone" +
         (days.empty() ? ""
                       : ", if " + days_words(days) + " really " + (days.size() == 1 ? "has" : "have") + " no delta") +
         "\n";
}

/// The reason for which it was not downloaded, and the figures of a file for which the disk has no room.
void add_more(boost::json::object& object, const core::Missing& file, const Coverage& coverage) {
  const auto cause = coverage.causes.find(file.name);
  if (const auto known = detail(file); !known.empty())
    object["detail"] = known;
  else if (cause != coverage.causes.end())
    object["detail"] = cause->second;
  const auto& unfit = coverage.unfit;
  const auto figures = std::ranges::find(unfit, file.name, &core::Unfit::name);
  if (file.reason != core::MissingReason::does_not_fit || figures == unfit.end()) return;
  object["needs"] = figures->needed;
  object["free"] = std::max<std::int64_t>(0, figures->free);
  object["short_by"] = core::shortfall(figures->needed, figures->free);
}

}  // namespace

base::Result<Coverage> coverage_of(const catalogue::Catalogue& catalogue) {
  auto now = catalogue::chain_now(catalogue);
  if (now.has_error()) return now.error();
  return coverage_of(catalogue, std::move(*now));
}

base::Result<Coverage> coverage_of(const catalogue::Catalogue& catalogue, catalogue::ChainNow now) {
  const auto rows = file_rows(catalogue);
  if (rows.has_error()) return rows.error();
  const auto failures = catalogue.failures();
  if (failures.has_error()) return failures.error();
  Coverage coverage{.chain = std::move(now.chain)};
  coverage.listed_at = now.listed_at;
  coverage.causes = causes_of(*failures);
  coverage.waiting = waiting(coverage.chain, now.held);
  for (const auto& file : coverage.chain.missing) {
    const auto cause = coverage.causes.find(file.name);
    coverage.why_missing[file.name] = newer_edition(file, coverage.chain, now.calendar.files) +
                                      why(file, *rows, cause == coverage.causes.end() ? std::string() : cause->second);
  }
  auto unfit = catalogue.unfit();
  if (unfit.has_error()) return unfit.error();
  coverage.unfit = std::move(*unfit);
  return coverage;
}

std::string coverage_text(const Coverage& coverage, std::size_t width, const UtcOffset& offset,
                          const std::optional<base::Time>& next_try) {
  const auto& chain = coverage.chain;
  std::string text = chain.files.empty() ? nothing_text(coverage) : chain_text(chain, width) + days_text(chain);
  text += missing_text(coverage) + waiting_text(coverage) + absent_text(chain) + continues_text(chain);
  if (coverage.listed_at) text += "Listed at " + local_time(*coverage.listed_at, offset) + '\n';
  if (next_try && !chain.missing.empty()) text += "Next try at " + local_time(*next_try, offset) + '\n';
  return wrapped(text, width);
}

std::string coverage_json(const Coverage& coverage) {
  const auto& chain = coverage.chain;
  boost::json::object object{{"schema", core::manifest_schema}};
  core::put_chain(object, chain);
  auto& missing = object["missing"].get_array();
  for (std::size_t i = 0; i < missing.size(); ++i) add_more(missing[i].get_object(), chain.missing[i], coverage);
  object["listed_at"] = nullptr;
  if (coverage.listed_at) object["listed_at"] = base::iso8601(*coverage.listed_at);
  return boost::json::serialize(object) + '\n';
}

}  // namespace vtmirror::report
