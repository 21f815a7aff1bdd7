#include "catalogue/schema.hpp"

#include "catalogue/migrations.hpp"
#include "catalogue/transaction.hpp"

#include <string>

namespace vtmirror::catalogue {
namespace {

constexpr std::int64_t application_id = 0x76746d72;  // "vtmr"

struct Identity {
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::int64_t tables = 0;
};

base::Error wrong(const Database& database, const std::string& what) {
  return {.code = base::Errc::catalogue, .detail = database.path() + " " + what};
}

base::Result<Identity> identify(Database& database) {
  Transaction read(database, Purpose::reading);
  const auto found = read.rows(
      [](Statement& row) {
        return Identity{row.integer(0), row.integer(1), row.integer(2)};
      },
      "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), "
      "(SELECT count(*) FROM sqlite_schema)");
  return read.end(found.empty() ? Identity{} : found.front());
}

base::Result<void> accept(const Database& database, const Identity& identity, Access access) {
  const bool fresh = identity.application == 0 && identity.version == 0 && identity.tables == 0;
  if (!fresh && identity.application != application_id) {
    return wrong(database, "belongs to another application: it is left as it is; set another file for the catalogue");
  }
  const auto versions =
      "has version " + std::to_string(identity.version) + ", this program knows " + std::to_string(schema_version());
  if (identity.version > schema_version()) {
    return wrong(database, versions + ": install a newer vtmirror, or move the file away");
  }
  if (access == Access::read_only && identity.version < schema_version()) {
    return wrong(database, versions + ": `vtmirror run` or `vtmirror sync` brings it up to date");
  }
  return {};
}

/// A change of the journal's mode needs the file for itself and, unlike a transaction, does not wait for it: a second
/// process that opens a new catalogue in the same instant would be refused.
base::Result<std::string> journal_mode(Database& database) {
  constexpr int tries = 100;
  for (int n = 1;; ++n) {
    Statement mode(database, "PRAGMA journal_mode = WAL");
    if (mode.step()) return mode.text(0);
    if (!database.busy() || n == tries) return mode.failure().value_or(database.refusal());
    database.pause();
  }
}

/// Readers never wait for the writer, and a commit is one sync.
base::Result<void> write_ahead(Database& database) {
  const auto answer = journal_mode(database);
  if (!answer) return answer.error();
  if (*answer != "wal" && *answer != "memory") {
    return wrong(database, "lies on a file system that SQLite cannot share memory on: choose a local one");
  }
  return database.run("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304");
}

/// The step that leads to `version`; nothing when another process has taken it meanwhile.
base::Result<void> migrate(Database& database, std::int64_t version, const Migration& step) {
  Transaction write(database, Purpose::writing);
  const auto reached = write.number("SELECT user_version FROM pragma_user_version");
  if (reached && *reached < version) {
    const auto done = database.run(std::string(step.sql) + ";\nPRAGMA user_version = " + std::to_string(version) +
                                   ";\nPRAGMA application_id = " + std::to_string(application_id));
    if (!done) return done.error();
  }
  return write.end();
}

/// The catalogue stays so small (a row a file and cycle) that reading all of it at start costs milliseconds.
base::Result<void> look_for_damage(Database& database) {
  Statement check(database, "PRAGMA quick_check(1)");
  const auto answer = check.step() ? check.text(0) : std::string{};
  if (check.failure()) return *check.failure();
  if (answer != "ok") return database.damaged(answer);
  return {};
}

}  // namespace

int schema_version() noexcept { return static_cast<int>(migrations().size()); }

base::Result<void> bring_up_to_date(Database& database, Access access) {
  const auto identity = identify(database);
  if (!identity) return identity.error();
  if (auto accepted = accept(database, *identity, access); !accepted || access == Access::read_only) return accepted;
  if (auto set = write_ahead(database); !set) return set;
  std::int64_t version = 0;
  for (const auto& step : migrations()) {
    if (++version <= identity->version) continue;
    if (auto migrated = migrate(database, version, step); !migrated) return migrated;
  }
  return look_for_damage(database);
}

}  // namespace vtmirror::catalogue
