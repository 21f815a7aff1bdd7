// Public files, their older versions, the changes that made them, and the quarantine.

#include "vtmirror/catalogue/files.hpp"

#include "catalogue/transaction.hpp"

#include <algorithm>

namespace vtmirror::catalogue {
namespace {

core::FileRecord read_file(Row& row) {
  return {.kind = row.kind(0),
          .name = row.text(1),
          .date = row.date(2),
          .size = row.integer(3),
          .sha256 = row.text(4),
          .etag = row.text(5),
          .published_at = row.time(6)};
}

core::QuarantinedFile read_quarantined(Row& row) {
  return {.name = row.text(0), .size = row.integer(1), .cause = read_error(row, 3), .at = row.time(2)};
}

core::Change read_change(Row& row) {
  return {.generation = row.integer(0),
          .kind = core::change_kind(row.text(1)).value_or(core::ChangeKind::removed),
          .name = row.text(2),
          .at = row.time(3)};
}

std::int64_t current_generation(Transaction& transaction) {
  const auto changed = transaction.number("SELECT coalesce(max(generation), 0) FROM change");
  const auto restored = transaction.number("SELECT coalesce(max(generation), 0) FROM restored");
  return std::max(changed.value_or(0), restored.value_or(0));
}

void note_change(Transaction& write, std::int64_t generation, std::int64_t version, core::ChangeKind kind,
                 base::Time at) {
  write.run("INSERT INTO change (generation, version, kind, at) VALUES ($1, $2, $3, $4)", generation, version,
            name(kind), at);
}

/// False if no version of the file is public.
bool end_public_version(Transaction& write, const std::string& file, std::int64_t generation, core::ChangeKind how,
                        base::Time at) {
  const auto version =
      write.number("UPDATE version SET state = $1 WHERE name = $2 AND state = 'public' RETURNING id", name(how), file);
  if (version) note_change(write, generation, *version, how, at);
  return version.has_value();
}

}  // namespace

base::Result<std::vector<core::FileRecord>> Files::files() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read.rows(read_file,
                            "SELECT kind, name, date, size, sha256, etag, published_at FROM version "
                            "WHERE state = 'public' ORDER BY kind, date, name"));
}

base::Result<std::int64_t> Files::publish(const core::FileRecord& file) {
  Transaction write(connection(), Purpose::writing);
  const auto generation = current_generation(write) + 1;
  end_public_version(write, file.name, generation, core::ChangeKind::superseded, file.published_at);
  const auto version = write.number(
      "INSERT INTO version (state, kind, name, date, size, sha256, etag, published_at) "
      "VALUES ('public', $1, $2, $3, $4, $5, $6, $7) RETURNING id",
      file.kind, file.name, file.date, file.size, file.sha256, file.etag, file.published_at);
  if (version) note_change(write, generation, *version, core::ChangeKind::published, file.published_at);
  drop_partial(write, file.name);
  write.run("DELETE FROM quarantine WHERE name = $1", file.name);
  queue(write, core::published_notice(file, generation));
  return write.end(generation);
}

base::Result<std::int64_t> Files::remove(const std::string& name, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  const auto generation = current_generation(write);
  const bool was_public = end_public_version(write, name, generation + 1, core::ChangeKind::removed, at);
  return write.end(was_public ? generation + 1 : generation);
}

base::Result<bool> Files::is_let_go(const std::string& name) const {
  Transaction read(connection(), Purpose::reading);
  const auto removed = read.number(
      "SELECT CASE WHEN state = 'removed' THEN 1 ELSE 0 END FROM version WHERE name = $1 ORDER BY id DESC LIMIT 1",
      name);
  return read.end(removed == 1);
}

base::Result<std::int64_t> Files::generation() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(current_generation(read));
}

base::Result<std::vector<core::Change>> Files::changes_since(std::int64_t generation) const {
  Transaction read(connection(), Purpose::reading);
  return read.end(
      read.rows(read_change,
                "SELECT generation, change.kind, name, at FROM change JOIN version ON version.id = change.version "
                "WHERE generation > $1 ORDER BY generation, version",
                generation));
}

base::Result<void> Files::keep_quarantined(const core::QuarantinedFile& file) {
  Transaction write(connection(), Purpose::writing);
  write.run(
      "INSERT INTO quarantine (name, size, at, cause, detail, status) VALUES ($1, $2, $3, $4, $5, $6) "
      "ON CONFLICT (name) DO UPDATE SET size = excluded.size, at = excluded.at, cause = excluded.cause, "
      "detail = excluded.detail, status = excluded.status",
      file.name, file.size, file.at, code_column(file.cause), file.cause.detail, file.cause.status);
  drop_partial(write, file.name);
  return write.end();
}

base::Result<std::vector<core::QuarantinedFile>> Files::quarantined() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(
      read.rows(read_quarantined, "SELECT name, size, at, cause, detail, status FROM quarantine ORDER BY name"));
}

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

base::Result<void> Files::restore(const Restored& restored) {
  Transaction write(connection(), Purpose::writing);
  if (write.number("SELECT 1 FROM version LIMIT 1")) write.refuse("it already has files: nothing was restored");
  write.run("INSERT INTO restored (id, generation, at) VALUES (1, $1, $2)", restored.generation, restored.at);
  for (const auto& file : restored.files) {
    const auto version = write.number(
        "INSERT INTO version (state, kind, name, date, size, sha256, etag, published_at) "
        "VALUES ('public', $1, $2, $3, $4, $5, $6, $7) RETURNING id",
        file.kind, file.name, file.date, file.size, file.sha256, file.etag, file.published_at);
    if (version)
      write.run("INSERT INTO change (generation, version, kind, at) VALUES ($1, $2, 'published', $3)",
                restored.generation, *version, restored.at);
  }
  for (const auto& day : restored.absent)
    write.run("INSERT INTO absent_day (date) VALUES ($1) ON CONFLICT DO NOTHING", day);
  return write.end();
}

}  // namespace vtmirror::catalogue
