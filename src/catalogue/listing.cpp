// What the service listed: above all the newest entry of each file, and the days that it left out.
#include "catalogue/stock.hpp"
#include "catalogue/transaction.hpp"
#include "vtmirror/catalogue/files.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace vtmirror::catalogue {

void keep_listed(Transaction& write, const core::ListedFile& file) {
  write.run(
      "INSERT INTO listed_file (kind, name, date, size, listed, refused, changed, standing, since, sha256) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, "
      "date = excluded.date, size = excluded.size, listed = excluded.listed, refused = excluded.refused, "
      "changed = excluded.changed, standing = excluded.standing, since = excluded.since, sha256 = excluded.sha256",
      file.kind, file.name, file.date, file.size, file.listed ? 1 : 0, core::stored_refusal(file.failed, file.refused),
      file.changed ? 1 : 0, name(file.standing), file.since, file.sha256);
}

namespace {

core::ListedFile read_listed(Row& row) {
  auto refusal = core::read_refusal(row.text(5));
  return {.kind = row.kind(0),
          .name = row.text(1),
          .date = row.date(2),
          .size = row.integer(3),
          .listed = row.integer(4) != 0,
          .refused = std::move(refusal.words),
          .changed = row.integer(6) != 0,
          .standing = core::standing_named(row.text(7)).value_or(core::Standing::gap),
          .since = row.integer(8),
          .sha256 = row.text(9),
          .failed = std::move(refusal.failed)};
}

base::Time read_time(Row& row) { return row.time(0); }
std::optional<base::Time> time_of_listing(Transaction& read) {
  const auto at = read.rows(read_time, "SELECT at FROM listing");
  return at.empty() ? std::nullopt : std::optional(at.front());
}
base::Date read_date(Row& row) { return row.date(0); }
core::RefusedEntry read_undated(Row& row) {
  auto refusal = core::read_refusal(row.text(2));
  return {
      .kind = row.kind(0), .name = row.text(1), .why = std::move(refusal.words), .failed = std::move(refusal.failed)};
}

struct PublicBulk {
  base::Date date;
  bool to_come = false;
};
PublicBulk read_public(Row& row) {
  return {row.date(0), core::read_refusal(row.text(1)).failed.check == core::EntryCheck::to_come};
}

/// The first day of the calendar that is read. Chains and joins ask for nothing older than the bulk file before the
/// newest one that is whole on disk, and the tables may have years of files.
base::Date horizon(Transaction& read) {
  constexpr base::Date everything{std::chrono::year(1), std::chrono::January, std::chrono::day(1)};
  constexpr std::chrono::days margin{14};  // a listing may begin earlier than its bulk file
  const auto bulks = read.rows(read_public,
                               "SELECT version.date, coalesce(listed_file.refused, '') FROM version LEFT JOIN "
                               "listed_file ON listed_file.name = version.name WHERE version.state = 'public' AND "
                               "version.kind = 'bulk' AND version.condition = 'whole' ORDER BY version.date DESC");
  const auto newest = std::ranges::find_if_not(bulks, &PublicBulk::to_come);
  if (newest == bulks.end()) return everything;
  const auto start = newest->date;
  auto before = read.rows(
      read_date, "SELECT date FROM version WHERE kind = 'bulk' AND date < $1 ORDER BY date DESC LIMIT 1", start);
  const auto listed = read.rows(read_date,
                                "SELECT date FROM listed_file WHERE kind = 'bulk' AND since > 0 AND date < $1 "
                                "ORDER BY date DESC LIMIT 1",
                                start);
  before.insert(before.end(), listed.begin(), listed.end());
  const auto chain_before = std::ranges::max_element(before);
  return std::chrono::sys_days(before.empty() ? start : *chain_before) - margin;
}

core::Calendar stored_calendar(Transaction& read, base::Date first) {
  auto files = read.rows(read_listed,
                         "SELECT kind, name, date, size, listed, refused, changed, standing, since, sha256 "
                         "FROM listed_file WHERE kind IN ('bulk', 'delta') AND date >= $1 ORDER BY kind, date, name",
                         first);
  // Two queries, so that each uses an index.
  auto older = read.rows(read_listed,
                         "SELECT kind, name, date, size, listed, refused, changed, standing, since, sha256 "
                         "FROM listed_file WHERE listed = 1 AND date < $1",
                         first);
  files.insert(files.end(), std::make_move_iterator(older.begin()), std::make_move_iterator(older.end()));
  std::ranges::sort(files, {}, [](const core::ListedFile& file) { return std::tie(file.kind, file.date, file.name); });
  return {.files = std::move(files),
          .absent = read.rows(read_date, "SELECT date FROM absent_day WHERE date >= $1 ORDER BY date", first),
          .undated = read.rows(read_undated, "SELECT kind, name, why FROM undated_entry ORDER BY position")};
}

/// What the mirror holds of the calendar's files and days.
core::Stock stock_since(Transaction& read, base::Date first, const core::Calendar& calendar) {
  std::set<std::string_view> names;
  for (const auto& file : calendar.files) names.insert(file.name);
  auto files = read_files(read);
  std::erase_if(files, [&](const auto& file) { return file.date < first && !names.contains(file.name); });
  return core::stock_of(files);
}

/// Adds the files that are listed again long after they left the listing.
void add_returned(Transaction& read, const core::Listing& listing, core::Calendar& calendar) {
  std::set<std::string, std::less<>> known;
  for (const auto& file : calendar.files) known.insert(file.name);
  const auto add = [&](const std::string& name) {
    if (!known.insert(name).second) return;
    for (auto& file : read.rows(read_listed,
                                "SELECT kind, name, date, size, listed, refused, changed, standing, since, sha256 "
                                "FROM listed_file WHERE name = $1",
                                name))
      calendar.files.push_back(std::move(file));
  };
  for (const auto& entry : listing.entries) add(entry.name);
  for (const auto& entry : listing.refused) add(entry.name);
}

/// Writes only the files that differ: the table has years of files, of which a listing changes a few. No file ever
/// leaves it.
void keep_calendar(Transaction& write, const core::Calendar& stored, const core::Calendar& calendar) {
  std::map<std::string_view, const core::ListedFile*> known;
  for (const auto& file : stored.files) known.emplace(file.name, &file);
  for (const auto& file : calendar.files) {
    const auto before = known.find(file.name);
    if (before == known.end() || !(*before->second == file)) keep_listed(write, file);
  }
  for (const auto& day : stored.absent)
    if (!std::ranges::binary_search(calendar.absent, day)) write.run("DELETE FROM absent_day WHERE date = $1", day);
  for (const auto& day : calendar.absent)
    write.run("INSERT INTO absent_day (date) VALUES ($1) ON CONFLICT DO NOTHING", day);
  write.run("DELETE FROM undated_entry");
  for (const auto& entry : calendar.undated)
    write.run("INSERT INTO undated_entry (kind, name, why) VALUES ($1, $2, $3)", entry.kind, entry.name,
              core::stored_refusal(entry.failed, entry.why));
}

core::Calendar read_calendar_from(Transaction& read, base::Date first) {
  auto stored = stored_calendar(read, first);
  const auto stock = stock_since(read, first, stored);
  return core::with_stock(std::move(stored), stock.held, stock.lost);
}

}  // namespace

core::Calendar read_calendar(Transaction& read) { return read_calendar_from(read, horizon(read)); }

void settle_standing(Transaction& write) {
  const auto first = horizon(write);
  const auto stored = stored_calendar(write, first);
  const auto stock = stock_since(write, first, stored);
  keep_calendar(write, stored, core::with_stock(stored, stock.held, stock.lost));
}

base::Result<void> Files::keep_listing(const core::Listing& listing, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  write.run("INSERT INTO listing (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at", at);
  const auto first = horizon(write);
  auto stored = stored_calendar(write, first);
  add_returned(write, listing, stored);
  const auto stock = stock_since(write, first, stored);
  keep_calendar(write, stored, core::observe(stored, listing, stock.held, stock.lost));
  write.run(
      "UPDATE quarantine SET left_at = $1 WHERE left_at IS NULL "
      "AND name NOT IN (SELECT name FROM listed_file WHERE listed = 1)",
      at);
  write.run(
      "UPDATE quarantine SET left_at = NULL WHERE left_at IS NOT NULL "
      "AND name IN (SELECT name FROM listed_file WHERE listed = 1)");
  return write.end();
}

base::Result<std::optional<core::StoredListing>> Files::last_listing() const {
  Transaction read(connection(), Purpose::reading);
  std::optional<core::StoredListing> listing;
  if (const auto at = time_of_listing(read)) listing = {.at = *at, .calendar = read_calendar(read)};
  return read.end(std::move(listing));
}

base::Result<std::optional<base::Time>> Files::listed_at() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(time_of_listing(read));
}

base::Result<core::Calendar> Files::calendar() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read_calendar(read));
}

base::Result<core::Calendar> Files::calendar_since(base::Date since) const {
  Transaction read(connection(), Purpose::reading);
  const auto first = std::min(since, horizon(read));
  return read.end(read_calendar_from(read, first));
}

base::Result<void> Files::keep_changed(const std::string& name) {
  Transaction write(connection(), Purpose::writing);
  write.run("UPDATE listed_file SET changed = 1 WHERE name = $1", name);
  return write.end();
}

}  // namespace vtmirror::catalogue
