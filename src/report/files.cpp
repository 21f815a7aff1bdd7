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
    case FileState::damaged:
      return "damaged";
    case FileState::lost:
      return "lost";
    case FileState::partial:
      return "partial";
    case FileState::quarantined:
      return "quarantined";
  }
  return {};
}

FileState state_of(core::Condition condition) {
  switch (condition) {
    case core::Condition::whole:
      return FileState::held;
    case core::Condition::damaged:
      return FileState::damaged;
    case core::Condition::lost:
      break;
  }
  return FileState::lost;
}

FileRow row_of(const core::FileRecord& file) {
  FileRow row{.name = file.name, .kind = file.kind, .date = file.date, .size = file.size};
  row.state = state_of(file.condition);
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
  auto cause = file.cause;
  cause.subject = file.name;
  row.reason = reason(cause);
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
  object["date"] = text_or_null(row.date);
  object["size"] = row.size;
  object["state"] = name(row.state);
  object["published_at"] = text_or_null(row.published_at);
  object["sha256"] = text_or_null(row.sha256);
  if (row.state == FileState::partial) object["durable"] = row.durable;
  if (row.state == FileState::quarantined) {
    object["reason"] = row.reason;
    object["quarantined_at"] = text_or_null(row.quarantined_at);
  }
  return object;
}

std::string when(const FileRow& row, const UtcOffset& offset) {
  if (row.published_at) return local_time(*row.published_at, offset);
  return row.quarantined_at ? local_time(*row.quarantined_at, offset) : "";
}

/// What stands behind the other columns: a digest is longer than most terminals are wide, and a reason can be wrapped.
enum class Last { digest_or_reason, reason, nothing };

std::string last_of(const FileRow& row, Last last) {
  if (row.state == FileState::quarantined) return row.reason;
  return last == Last::digest_or_reason ? row.sha256 : "";
}

/// `name_of` says what a file is called.
Table table_of(const std::vector<FileRow>& rows, const UtcOffset& offset, std::string (*name_of)(std::string_view),
               Last last) {
  std::vector<Column> columns{
      {"NAME"},  {"KIND", Align::left, 1},     {"DATE", Align::left, 2}, {"SIZE", Align::right, 3},
      {"STATE"}, {"PUBLISHED", Align::left, 4}};
  if (last != Last::nothing) columns.push_back({last == Last::reason ? "REASON" : "DIGEST OR REASON"});
  Table table(std::move(columns));
  for (const auto& row : rows) {
    std::vector<std::string> cells{name_of(row.name),
                                   row.kind ? std::string(core::name(*row.kind)) : "",
                                   row.date ? base::iso8601(*row.date) : "",
                                   base::human_size(row.size),
                                   state_of(row),
                                   when(row, offset)};
    if (last != Last::nothing) cells.push_back(last_of(row, last));
    table.add(std::move(cells));
  }
  return table;
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
  const auto listed = *listing ? core::listed_files((*listing)->calendar) : std::vector<core::Listed>();
  for (const auto& file : *quarantined) rows.push_back(row_of(file, listed));
  return rows;
}

std::string files_text(const std::vector<FileRow>& rows, std::size_t width, const UtcOffset& offset) {
  const auto whole = table_of(rows, offset, base_name, Last::digest_or_reason);
  if (whole.fits(width)) return whole.text(0);
  const bool has_reason = std::any_of(rows.begin(), rows.end(), [](const FileRow& row) { return !row.reason.empty(); });
  const auto last = has_reason ? Last::reason : Last::nothing;
  const auto named = table_of(rows, offset, base_name, last);
  const bool is_whole = named.narrowed(width, has_reason).columns() == named.columns();
  const auto narrow = is_whole ? named : table_of(rows, offset, title_of, last).narrowed(width, has_reason);
  return has_reason ? narrow.flowing_text(width) : narrow.text(0);
}

std::string files_json(const std::vector<FileRow>& rows) {
  boost::json::array array;
  for (const auto& row : rows) array.push_back(object_of(row));
  return list_answer("files", std::move(array));
}

}  // namespace vtmirror::report
