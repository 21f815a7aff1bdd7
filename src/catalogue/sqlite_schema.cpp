#include "catalogue/sqlite_schema.hpp"

#include "catalogue/sqlite_driver.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace vtmirror::catalogue {
namespace {

constexpr std::int64_t application_id = 0x76746d72;  // "vtmr"

struct Identity {
  std::int64_t application = 0;
  std::int64_t version = 0;
  std::int64_t tables = 0;
};

base::Error wrong(const SqliteDriver& database, const std::string& what) {
  return {.code = base::Errc::catalogue, .detail = database.name() + " " + what};
}

/// The first row of a query, converted by `read`; empty if there is no row.
template <class Read>
auto ask(SqliteDriver& database, std::string_view sql, Read read)
    -> base::Result<std::optional<std::invoke_result_t<Read, const Cursor&>>> {
  const auto cursor = database.run(sql, {});
  if (!cursor) return cursor.error();
  const auto found = (*cursor)->next();
  if (!found) return found.error();
  if (!*found) return std::optional<std::invoke_result_t<Read, const Cursor&>>();
  return std::optional(read(**cursor));
}

std::string first_text(const Cursor& row) { return row.text(0); }
std::int64_t first_number(const Cursor& row) { return row.integer(0); }

base::Result<Identity> identify(SqliteDriver& database) {
  const auto found = ask(database,
                         "SELECT (SELECT application_id FROM pragma_application_id), "
                         "(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)",
                         [](const Cursor& row) {
                           return Identity{row.integer(0), row.integer(1), row.integer(2)};
                         });
  if (!found) return found.error();
  return found->value_or(Identity{});
}

base::Result<void> accept(const SqliteDriver& database, const Identity& identity, Access access) {
  const bool fresh = identity.application == 0 && identity.version == 0 && identity.tables == 0;
  if (!fresh && identity.application != application_id) {
    return wrong(database, "belongs to another application and was not changed; set another file for the catalogue");
  }
  const auto versions =
      "has version " + std::to_string(identity.version) + ", this program supports " + std::to_string(schema_version());
  if (identity.version > schema_version()) {
    return wrong(database, versions + ": install a newer vtmirror, or move the file away");
  }
  if (access == Access::read_only && identity.version < schema_version()) {
    return wrong(database, versions + ": `vtmirror run` or `vtmirror sync` brings it up to date");
  }
  return {};
}

/// Changing the journal mode needs exclusive access to the file and, unlike a transaction, does not wait for it: a
/// second process that opens a new catalogue at the same moment would be refused.
base::Result<std::string> journal_mode(SqliteDriver& database) {
  constexpr int tries = 100;
  for (int n = 1;; ++n) {
    const auto mode = ask(database, "PRAGMA journal_mode = WAL", first_text);
    if (mode) return mode->value_or("");
    if (!database.busy() || n == tries) return mode.error();
    database.pause();
  }
}

/// Readers never wait for the writer, and a commit needs one sync.
base::Result<void> write_ahead(SqliteDriver& database) {
  const auto answer = journal_mode(database);
  if (!answer) return answer.error();
  if (*answer != "wal" && *answer != "memory") {
    return wrong(database, "is on a file system without the shared memory that SQLite needs: choose a local one");
  }
  return database.script("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304");
}

base::Result<void> take_steps(SqliteDriver& database) {
  const auto reached = ask(database, "SELECT user_version FROM pragma_user_version", first_number);
  if (!reached) return reached.error();
  // Another process may have taken some of them meanwhile.
  const auto from = static_cast<std::size_t>(reached->value_or(0));
  if (from >= migrations().size()) return {};
  std::string script;
  for (const auto& step : migrations().subspan(from)) script += std::string(step.sql) + ";\n";
  return database.script(script + "PRAGMA user_version = " + std::to_string(schema_version()) +
                         ";\nPRAGMA application_id = " + std::to_string(application_id));
}

/// The steps that a catalogue lacks, all or nothing: a new one costs one sync, and none is ever left half way.
base::Result<void> migrate(SqliteDriver& database) {
  auto done = database.begin(Purpose::writing);
  if (done) done = take_steps(database);
  if (done) done = database.commit();
  if (!done) database.roll_back();
  return done;
}

/// Reads all of the catalogue, which stays so small (a row for each file and cycle) that this takes milliseconds at a
/// start.
base::Result<void> look_for_damage(SqliteDriver& database) {
  const auto answer = ask(database, "PRAGMA quick_check(1)", first_text);
  if (!answer) return answer.error();
  if (*answer != "ok") return database.damaged(answer->value_or(""));
  return {};
}

}  // namespace

int schema_version() noexcept { return static_cast<int>(migrations().size()); }

base::Result<void> bring_up_to_date(SqliteDriver& database, Access access) {
  const auto identity = identify(database);
  if (!identity) return identity.error();
  if (auto accepted = accept(database, *identity, access); !accepted || access == Access::read_only) return accepted;
  if (auto set = write_ahead(database); !set) return set;
  if (identity->version < schema_version())
    if (auto migrated = migrate(database); !migrated) return migrated;
  return look_for_damage(database);
}

}  // namespace vtmirror::catalogue
