#include "vtmirror/report/files.hpp"

#include "report/json_value.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::report {
namespace {

std::string_view name(FileState state) {
  switch (state) {
    case FileState::held:
      return "held";
    case FileState::partial:
      return "partial";
    case FileState::quarantined:
      return "quarantined";
  }
  return {};
}

FileRow row_of(const core::FileRecord& file) {
  FileRow row{.name = file.name, .kind = file.kind, .date = file.date, .size = file.size, .state = FileState::held};
  row.published_at = file.published_at;
  row.sha256 = file.sha256;
  return row;
}

FileRow row_of(const core::PartialRecord& partial) {
  FileRow row{.name = partial.name, .kind = partial.kind, .date = partial.date, .size = partial.size};
  row.state = FileState::partial;
  row.durable = partial.durable.size();
  return row;
}

FileRow row_of(const core::QuarantinedFile& file, const std::vector<core::Listed>& listing) {
  FileRow row{.name = file.name, .size = file.size, .state = FileState::quarantined};
  const auto listed =
      std::find_if(listing.begin(), listing.end(), [&](const core::Listed& entry) { return entry.name == file.name; });
  if (listed != listing.end()) {
    row.kind = listed->kind;
    row.date = listed->date;
  }
  row.reason = reason(file.cause);
  row.quarantined_at = file.at;
  return row;
}

std::string state_of(const FileRow& row) {
  std::string text(name(row.state));
  if (row.state != FileState::partial || row.size <= 0) return text;
  const auto percent = static_cast<double>(row.durable) / static_cast<double>(row.size) * 100;
  return text + ' ' + std::to_string(static_cast<int>(percent)) + '%';
}

boost::json::object object_of(const FileRow& row) {
  boost::json::object object;
  object["name"] = row.name;
  object["kind"] = text_or_null(row.kind ? std::string(core::name(*row.kind)) : "");
  object["date"] = text_or_null(row.date ? base::iso8601(*row.date) : "");
  object["size"] = row.size;
  object["state"] = name(row.state);
  object["published_at"] = text_or_null(row.published_at ? base::iso8601(*row.published_at) : "");
  object["sha256"] = text_or_null(row.sha256);
  if (row.state == FileState::partial) object["durable"] = row.durable;
  if (row.state == FileState::quarantined) {
    object["reason"] = row.reason;
    object["quarantined_at"] = text_or_null(row.quarantined_at ? base::iso8601(*row.quarantined_at) : "");
  }
  return object;
}

std::string when(const FileRow& row) {
  if (row.published_at) return base::iso8601(*row.published_at);
  return row.quarantined_at ? base::iso8601(*row.quarantined_at) : "";
}

}  // namespace

base::Result<std::vector<FileRow>> file_rows(const catalogue::Catalogue& catalogue) {
  const auto files = catalogue.files();
  if (files.has_error()) return files.error();
  const auto partials = catalogue.partials();
  if (partials.has_error()) return partials.error();
  const auto quarantined = catalogue.quarantined();
  if (quarantined.has_error()) return quarantined.error();
  const auto listing = catalogue.last_listing();
  if (listing.has_error()) return listing.error();

  std::vector<FileRow> rows;
  for (const auto& file : *files) rows.push_back(row_of(file));
  for (const auto& partial : *partials) rows.push_back(row_of(partial));
  const auto listed = *listing ? (*listing)->files : std::vector<core::Listed>();
  for (const auto& file : *quarantined) rows.push_back(row_of(file, listed));
  return rows;
}

std::string files_text(const std::vector<FileRow>& rows, std::size_t width) {
  Table table({{"NAME"}, {"KIND"}, {"DATE"}, {"SIZE", Align::right}, {"STATE"}, {"CAME"}, {"DIGEST OR REASON"}});
  for (const auto& row : rows) {
    table.add({base_name(row.name), row.kind ? std::string(core::name(*row.kind)) : "",
               row.date ? base::iso8601(*row.date) : "", base::human_size(row.size), state_of(row), when(row),
               row.state == FileState::quarantined ? row.reason : row.sha256});
  }
  return table.text(width);
}

std::string files_json(const std::vector<FileRow>& rows) {
  boost::json::array array;
  for (const auto& row : rows) array.push_back(object_of(row));
  return boost::json::serialize(array) + '\n';
}

namespace {

constexpr int manifest_schema = 1;

std::string why(const FileRow& row) {
  if (row.state == FileState::quarantined) return "quarantined: " + row.reason;
  const auto percent = row.size <= 0 ? 0.0 : static_cast<double>(row.durable) / static_cast<double>(row.size) * 100;
  return std::to_string(static_cast<int>(percent)) + "% downloaded";
}

std::map<std::string, std::string> reasons(const core::Chain& chain, const std::vector<FileRow>& rows) {
  std::map<std::string, std::string> reasons;
  for (const auto& name : chain.missing) reasons[name] = "not downloaded yet";
  for (const auto& row : rows) {
    const auto missing = reasons.find(row.name);
    if (missing != reasons.end() && row.state != FileState::held) missing->second = why(row);
  }
  return reasons;
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
  for (const auto& name : coverage.chain.missing) {
    text += "Missing: " + base_name(name) + " (" + coverage.why_missing.at(name) + ")\n";
  }
  return text;
}

std::string continues_text(const core::Chain& chain) {
  if (!chain.continues) return {};
  const auto& last = chain.continues->after;
  return chain.continues->contiguous
             ? "Continues: consumers that have loaded " + base_name(last) + " can continue with the deltas\n"
             : "Continues: the deltas do not follow " + base_name(last) + " without a gap: load the bulk file\n";
}

boost::json::object object_of(const core::Held& file) {
  boost::json::object object{
      {"kind", core::name(file.kind)}, {"name", file.name}, {"date", base::iso8601(file.date)}, {"size", file.size}};
  if (!file.sha256.empty()) object["sha256"] = file.sha256;
  return object;
}

}  // namespace

base::Result<Coverage> coverage_of(const catalogue::Catalogue& catalogue) {
  auto listing = catalogue.last_listing();
  if (listing.has_error()) return listing.error();
  const auto rows = file_rows(catalogue);
  if (rows.has_error()) return rows.error();

  std::vector<core::Held> held;
  for (const auto& row : *rows) {
    if (row.state == FileState::held) held.push_back({*row.kind, row.name, *row.date, row.size, row.sha256});
  }
  const auto last = *listing ? std::move(**listing) : core::StoredListing();
  Coverage coverage{core::chain_of(last.files, held, last.absent), std::nullopt, {}};
  if (*listing) coverage.listed_at = last.at;
  coverage.why_missing = reasons(coverage.chain, *rows);
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
  for (const auto& name : chain.missing) missing.emplace_back(name);
  auto& absent = object["absent_upstream"].emplace_array();
  for (const auto& date : chain.absent_upstream) absent.emplace_back(base::iso8601(date));
  object["continues"] = nullptr;
  if (chain.continues) {
    object["continues"] = {{"after", chain.continues->after}, {"contiguous", chain.continues->contiguous}};
  }
  object["listed_at"] = nullptr;
  if (coverage.listed_at) object["listed_at"] = base::iso8601(*coverage.listed_at);
  return boost::json::serialize(object) + '\n';
}

}  // namespace vtmirror::report
