// Public files, their older versions, the changes that made them, and the quarantine.
#include "catalogue/body.hpp"
#include "catalogue/queue.hpp"

namespace vtmirror::catalogue {
namespace {

core::FileRecord read_file(Statement& row) {
  return {.kind = row.kind(0),
          .name = row.text(1),
          .date = row.date(2),
          .size = row.integer(3),
          .sha256 = row.text(4),
          .etag = row.text(5),
          .published_at = row.time(6)};
}

Quarantined read_quarantined(Statement& row) {
  return {.name = row.text(0), .size = row.integer(1), .reason = row.text(2), .at = row.time(3)};
}

ChangeKind change_kind(std::string_view word) {
  if (word == name(ChangeKind::published)) return ChangeKind::published;
  return word == name(ChangeKind::superseded) ? ChangeKind::superseded : ChangeKind::removed;
}

Change read_change(Statement& row) {
  return {.generation = row.integer(0), .kind = change_kind(row.text(1)), .name = row.text(2), .at = row.time(3)};
}

std::int64_t current_generation(Transaction& transaction) {
  return transaction
      .number(
          "SELECT max(coalesce((SELECT max(generation) FROM change), 0), coalesce((SELECT generation FROM restored), "
          "0))")
      .value_or(0);
}

void note_change(Transaction& write, std::int64_t generation, std::int64_t version, ChangeKind kind, base::Time at) {
  write.run("INSERT INTO change (generation, version, kind, at) VALUES (?, ?, ?, ?)", generation, version, name(kind),
            at);
}

/// False when no version of the file is public.
bool end_public_version(Transaction& write, const std::string& file, std::int64_t generation, ChangeKind how,
                        base::Time at) {
  const auto version =
      write.number("UPDATE version SET state = ? WHERE name = ? AND state = 'public' RETURNING id", name(how), file);
  if (version) note_change(write, generation, *version, how, at);
  return version.has_value();
}

}  // namespace

base::Result<std::vector<core::FileRecord>> Catalogue::files() const {
  Transaction read(body_->database, Purpose::reading);
  return read.end(read.rows(read_file,
                            "SELECT kind, name, date, size, sha256, etag, published_at FROM version "
                            "WHERE state = 'public' ORDER BY kind, date, name"));
}

base::Result<std::int64_t> Catalogue::publish(const core::FileRecord& file) {
  Transaction write(body_->database, Purpose::writing);
  const auto generation = current_generation(write) + 1;
  end_public_version(write, file.name, generation, ChangeKind::superseded, file.published_at);
  const auto version = write.number(
      "INSERT INTO version (state, kind, name, date, size, sha256, etag, published_at) "
      "VALUES ('public', ?, ?, ?, ?, ?, ?, ?) RETURNING id",
      file.kind, file.name, file.date, file.size, file.sha256, file.etag, file.published_at);
  if (version) note_change(write, generation, *version, ChangeKind::published, file.published_at);
  drop_partial(write, file.name);
  write.run("DELETE FROM quarantine WHERE name = ?", file.name);
  queue(write, core::published_notice(file, generation));
  return write.end(generation);
}

base::Result<std::int64_t> Catalogue::remove(const std::string& name, base::Time at) {
  Transaction write(body_->database, Purpose::writing);
  const auto generation = current_generation(write);
  const bool was_public = end_public_version(write, name, generation + 1, ChangeKind::removed, at);
  return write.end(was_public ? generation + 1 : generation);
}

base::Result<bool> Catalogue::is_let_go(const std::string& name) const {
  Transaction read(body_->database, Purpose::reading);
  const auto removed =
      read.number("SELECT state = 'removed' FROM version WHERE name = ? ORDER BY id DESC LIMIT 1", name);
  return read.end(removed == 1);
}

base::Result<std::int64_t> Catalogue::generation() const {
  Transaction read(body_->database, Purpose::reading);
  return read.end(current_generation(read));
}

base::Result<std::vector<Change>> Catalogue::changes_since(std::int64_t generation) const {
  Transaction read(body_->database, Purpose::reading);
  return read.end(read.rows(read_change,
                            "SELECT generation, change.kind, name, at FROM change JOIN version ON version.id = version "
                            "WHERE generation > ? ORDER BY generation, version",
                            generation));
}

base::Result<void> Catalogue::keep_quarantined(const Quarantined& file) {
  Transaction write(body_->database, Purpose::writing);
  write.run(
      "INSERT INTO quarantine (name, size, reason, at) VALUES (?, ?, ?, ?) "
      "ON CONFLICT (name) DO UPDATE SET size = excluded.size, reason = excluded.reason, at = excluded.at",
      file.name, file.size, file.reason, file.at);
  drop_partial(write, file.name);
  return write.end();
}

base::Result<std::vector<Quarantined>> Catalogue::quarantined() const {
  Transaction read(body_->database, Purpose::reading);
  return read.end(read.rows(read_quarantined, "SELECT name, size, reason, at FROM quarantine ORDER BY name"));
}

}  // namespace vtmirror::catalogue
