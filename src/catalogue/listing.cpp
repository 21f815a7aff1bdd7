// The last listing.
#include "catalogue/transaction.hpp"
#include "vtmirror/catalogue/files.hpp"

#include <algorithm>

namespace vtmirror::catalogue {
namespace {

core::Listed read_listed(Row& row) {
  return {.kind = row.kind(0), .name = row.text(1), .date = row.date(2), .size = row.integer(3)};
}

base::Time read_time(Row& row) { return row.time(0); }
base::Date read_date(Row& row) { return row.date(0); }

/// This listing replaces what earlier ones said about the days that it covers. Days before it keep their last state, as
/// far back as files are held: no chain needs earlier ones.
void keep_absent_days(Transaction& write, const std::vector<core::Listed>& files) {
  if (files.empty()) return;
  const auto by_date = [](const core::Listed& a, const core::Listed& b) { return a.date < b.date; };
  const auto [first, last] = std::minmax_element(files.begin(), files.end(), by_date);
  write.run("DELETE FROM absent_day WHERE date BETWEEN $1 AND $2", first->date, last->date);
  for (const auto& day : core::absent_days(files))
    write.run("INSERT INTO absent_day (date) VALUES ($1) ON CONFLICT DO NOTHING", day);
  write.run("DELETE FROM absent_day WHERE date < (SELECT min(date) FROM version WHERE state = 'public') AND date < $1",
            first->date);
}

}  // namespace

base::Result<void> Files::keep_listing(const std::vector<core::Listed>& files, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  write.run("INSERT INTO listing (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at", at);
  write.run("DELETE FROM listed");
  std::int64_t position = 0;
  for (const auto& file : files) {
    write.run("INSERT INTO listed (position, kind, name, date, size) VALUES ($1, $2, $3, $4, $5)", position++,
              file.kind, file.name, file.date, file.size);
  }
  keep_absent_days(write, files);
  return write.end();
}

base::Result<std::optional<core::StoredListing>> Files::last_listing() const {
  Transaction read(connection(), Purpose::reading);
  const auto at = read.rows(read_time, "SELECT at FROM listing");
  std::optional<core::StoredListing> listing;
  if (!at.empty()) {
    listing = {.at = at.front(),
               .files = read.rows(read_listed, "SELECT kind, name, date, size FROM listed ORDER BY position"),
               .absent = read.rows(read_date, "SELECT date FROM absent_day ORDER BY date")};
  }
  return read.end(std::move(listing));
}

}  // namespace vtmirror::catalogue
