// Public files, their older versions, and the changes that made them.

#include "vtmirror/catalogue/files.hpp"

#include "catalogue/stock.hpp"
#include "catalogue/transaction.hpp"
#include "vtmirror/core/chain.hpp"

#include <algorithm>

namespace vtmirror::catalogue {
namespace {

core::Condition condition_named(std::string_view word) {
  if (word == name(core::Condition::damaged)) return core::Condition::damaged;
  return word == name(core::Condition::lost) ? core::Condition::lost : core::Condition::whole;
}

/// What `read_file` reads, in that order.
const std::string file_columns =
    "kind, name, date, size, sha256, etag, published_at, since, condition, probed_at, read_at";

core::FileRecord read_file(Row& row) {
  return {.kind = row.kind(0),
          .name = row.text(1),
          .date = row.date(2),
          .size = row.integer(3),
          .sha256 = row.text(4),
          .etag = row.text(5),
          .published_at = row.time(6),
          .since = row.integer(7),
          .condition = condition_named(row.text(8)),
          .probed_at = row.time(9),
          .read_at = row.time(10)};
}

std::int64_t current_generation(Transaction& transaction) {
  return transaction.number("SELECT generation FROM mirror_state").value_or(0);
}

core::Edition current_edition(Transaction& write) {
  auto edition = read_edition(write);
  if (edition.session.empty()) {
    edition.session = write.unique_key();
    write.run("UPDATE mirror_state SET session = $1", edition.session);
  }
  return edition;
}

/// What the manifest says, in which generation it was settled, and what the channels were notified of.
struct Contents {
  std::string settled_on;
  std::int64_t settled = 0;
  std::string announced;
};

Contents read_contents(Transaction& read) {
  const auto contents = [](Row& row) { return Contents{row.text(0), row.integer(1), row.text(2)}; };
  auto rows = read.rows(contents, "SELECT content, settled, announced FROM mirror_state");
  return rows.empty() ? Contents() : std::move(rows.front());
}

void begin_generation(Transaction& write, std::int64_t generation, base::Time at) {
  write.run("UPDATE mirror_state SET generation = $1, at = $2", generation, at);
}

/// Whether `file` has the same bytes, which were lost or damaged on disk meanwhile.
bool is_the_same(const core::FileRecord& before, const core::FileRecord& file) {
  return before.kind == file.kind && before.date == file.date && before.size == file.size &&
         before.sha256 == file.sha256 && !file.sha256.empty();
}

/// The ETag of these bytes when they were downloaded: without it, another file of their size and date is not found.
std::string known_etag(Transaction& read, const core::FileRecord& file) {
  const auto text = [](Row& row) { return row.text(0); };
  const auto etags = read.rows(text,
                               "SELECT etag FROM version WHERE name = $1 AND date = $2 AND size = $3 "
                               "AND sha256 = $4 AND sha256 <> '' AND etag <> '' ORDER BY id DESC LIMIT 1",
                               file.name, file.date, file.size, file.sha256);
  return etags.empty() ? std::string() : etags.front();
}

void note_change(Transaction& write, std::int64_t generation, std::int64_t version, core::ChangeKind kind,
                 base::Time at) {
  write.run("INSERT INTO change (generation, version, kind, at) VALUES ($1, $2, $3, $4)", generation, version,
            name(kind), at);
}

/// False if no edition of the file is public.
bool end_public_version(Transaction& write, const std::string& file, std::int64_t generation, core::ChangeKind how,
                        base::Time at) {
  const auto version =
      write.number("UPDATE version SET state = $1 WHERE name = $2 AND state = 'public' RETURNING id", name(how), file);
  if (version) note_change(write, generation, *version, how, at);
  return version.has_value();
}

std::optional<core::FileRecord> find_file(Transaction& read, const std::string& name) {
  auto found =
      read.rows(read_file, "SELECT " + file_columns + " FROM version WHERE state = 'public' AND name = $1", name);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

}  // namespace

core::Edition read_edition(Transaction& read) {
  const auto edition = [](Row& row) {
    return core::Edition{.session = row.text(0), .generation = row.integer(1), .at = row.time(2)};
  };
  const auto rows = read.rows(edition, "SELECT session, generation, at FROM mirror_state");
  return rows.empty() ? core::Edition{} : rows.front();
}

std::vector<core::FileRecord> read_files(Transaction& read) {
  return read.rows(read_file,
                   "SELECT " + file_columns + " FROM version WHERE state = 'public' ORDER BY kind, date, name");
}

base::Result<std::vector<core::FileRecord>> Files::files() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read_files(read));
}

base::Result<std::optional<core::FileRecord>> Files::file(const std::string& name) const {
  Transaction read(connection(), Purpose::reading);
  return read.end(find_file(read, name));
}

base::Result<std::int64_t> Files::publish(const core::FileRecord& file) {
  Transaction write(connection(), Purpose::writing);
  const auto etag = file.etag.empty() ? known_etag(write, file) : file.etag;
  const auto current = current_generation(write);
  drop_partial(write, file.name);
  write.run("DELETE FROM quarantine WHERE name = $1", file.name);
  write.run("DELETE FROM unfit WHERE name = $1", file.name);
  write.run("DELETE FROM leaving WHERE name = $1", file.name);
  write.run("DELETE FROM damage WHERE name = $1", file.name);
  write.run("UPDATE listed_file SET changed = 0 WHERE name = $1", file.name);
  const auto before = find_file(write, file.name);
  if (before && is_the_same(*before, file)) {
    write.run(
        "UPDATE version SET condition = 'whole', etag = $1, probed_at = $2, read_at = $2 "
        "WHERE state = 'public' AND name = $3",
        etag, file.published_at, file.name);
    return write.end(current);
  }
  const auto generation = current + 1;
  begin_generation(write, generation, file.published_at);
  end_public_version(write, file.name, generation, core::ChangeKind::superseded, file.published_at);
  const auto version = write.number(
      "INSERT INTO version (state, kind, name, date, size, sha256, etag, published_at, since, probed_at, read_at) "
      "VALUES ('public', $1, $2, $3, $4, $5, $6, $7, $8, $7, $7) RETURNING id",
      file.kind, file.name, file.date, file.size, file.sha256, etag, file.published_at, generation);
  if (version) note_change(write, generation, *version, core::ChangeKind::published, file.published_at);
  queue(write, core::published_notice(file, generation), generation);
  return write.end(generation);
}

base::Result<std::int64_t> Files::remove(const std::vector<std::string>& names, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  const auto before = current_generation(write);
  auto generation = before;
  // The standing of the files is still asked for long after they were removed.
  settle_standing(write);
  for (const auto& name : names) {
    if (!end_public_version(write, name, before + 1, core::ChangeKind::removed, at)) continue;
    generation = before + 1;
    write.run("INSERT INTO leaving (name) VALUES ($1) ON CONFLICT DO NOTHING", name);
  }
  if (generation > before) begin_generation(write, generation, at);
  return write.end(generation);
}

base::Result<void> Files::keep_probed(const std::string& name, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  write.run("UPDATE version SET probed_at = $1 WHERE state = 'public' AND name = $2", at, name);
  return write.end();
}

base::Result<void> Files::keep_etag(const std::string& name, const std::string& etag) {
  Transaction write(connection(), Purpose::writing);
  write.run("UPDATE version SET etag = $1 WHERE state = 'public' AND name = $2 AND etag = ''", etag, name);
  return write.end();
}

base::Result<core::Edition> Files::edition() {
  Transaction write(connection(), Purpose::writing);
  auto edition = current_edition(write);
  return write.end(std::move(edition));
}

base::Result<core::Edition> Files::settle(const std::string& content, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  auto edition = current_edition(write);
  const auto stored = read_contents(write);
  const bool same = core::is_same_content(stored.settled_on, content);
  const bool is_settled = stored.settled == edition.generation;
  // A publication has already begun its generation.
  if (!same && is_settled && edition.generation > 0) {
    ++edition.generation;
    edition.at = at;
    begin_generation(write, edition.generation, at);
  }
  if (stored.settled_on != content || !is_settled)
    write.run("UPDATE mirror_state SET content = $1, settled = generation", content);
  // The channels know it, in the words of an older version.
  if (stored.announced != content && core::is_same_content(stored.announced, content))
    write.run("UPDATE mirror_state SET announced = $1", content);
  return write.end(std::move(edition));
}

base::Result<void> Files::keep_written(std::int64_t generation) {
  Transaction write(connection(), Purpose::writing);
  const auto kept = write.run("UPDATE mirror_state SET written = $1 WHERE written <> $1", generation);
  if (kept > 0) write.announce();
  return write.end();
}

base::Result<std::vector<core::FileRecord>> Files::leaving() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(
      read.rows(read_file, "SELECT " + file_columns +
                               " FROM version WHERE id IN (SELECT max(version.id) FROM version JOIN leaving "
                               "ON leaving.name = version.name WHERE version.state = 'removed' GROUP BY version.name) "
                               "ORDER BY name"));
}

base::Result<std::int64_t> Files::take_back(const std::string& name, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  auto generation = current_generation(write);
  const auto version = write.number(
      "UPDATE version SET state = 'public' WHERE id = (SELECT max(version.id) FROM version JOIN leaving "
      "ON leaving.name = version.name WHERE version.state = 'removed' AND version.name = $1) RETURNING id",
      name);
  if (version) {
    write.run("DELETE FROM leaving WHERE name = $1", name);
    begin_generation(write, ++generation, at);
    note_change(write, generation, *version, core::ChangeKind::published, at);
  }
  if (auto file = version ? find_file(write, name) : std::nullopt) {
    file->published_at = at;
    queue(write, core::published_notice(*file, generation), generation);
  }
  return write.end(generation);
}

base::Result<void> Files::keep_gone(const std::vector<std::string>& names) {
  Transaction write(connection(), Purpose::writing);
  for (const auto& name : names)
    if (write.run("DELETE FROM leaving WHERE name = $1", name) > 0)
      write.run("DELETE FROM damage WHERE name = $1", name);
  return write.end();
}

base::Result<std::int64_t> Files::generation() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(current_generation(read));
}

base::Result<void> Files::restore(const Restored& restored) {
  Transaction write(connection(), Purpose::writing);
  if (write.number("SELECT 1 FROM version LIMIT 1")) write.refuse("it already has files: nothing was restored");
  write.run("INSERT INTO restored (id, generation, at) VALUES (1, $1, $2)", restored.generation, restored.at);
  // Other content begins another generation, unless the content of this one is not known.
  write.run("UPDATE mirror_state SET session = $1, generation = $2, at = $3, content = $4, settled = $5",
            restored.session, restored.generation, restored.at, restored.content,
            restored.content.empty() ? 0 : restored.generation);
  // Notices of the earlier catalogue may wait for a generation that this one never reaches.
  write.run("UPDATE notice SET generation = $1 WHERE generation > $1", restored.generation);
  for (const auto& file : restored.files) {
    const auto version = write.number(
        "INSERT INTO version (state, kind, name, date, size, sha256, etag, published_at, since, probed_at, read_at) "
        "VALUES ('public', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id",
        file.kind, file.name, file.date, file.size, file.sha256, file.etag, file.published_at,
        file.since > 0 ? file.since : restored.generation, file.probed_at, file.read_at);
    if (version)
      write.run("INSERT INTO change (generation, version, kind, at) VALUES ($1, $2, 'published', $3)",
                restored.generation, *version, restored.at);
  }
  const auto calendar =
      core::rebuilt(restored.absent, core::stock_of(read_files(write)).held, restored.certain, restored.older);
  for (const auto& file : calendar.files)
    if (file.standing != core::Standing::held) keep_listed(write, file);
  for (const auto& day : calendar.absent)
    write.run("INSERT INTO absent_day (date) VALUES ($1) ON CONFLICT DO NOTHING", day);
  if (!restored.session.empty() && !restored.content.empty()) keep_announced_before(write);
  return write.end();
}

}  // namespace vtmirror::catalogue
