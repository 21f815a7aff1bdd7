#include "catalogue/database.hpp"

#include "catalogue/database_file.hpp"
#include "catalogue/refusal.hpp"
#include "vtmirror/catalogue/rescue.hpp"

#include <sqlite3.h>

#include <chrono>

namespace vtmirror::catalogue {
namespace {

constexpr std::chrono::milliseconds patience = std::chrono::seconds{5};

int flags(Access access) {
  // No mutex: the class is used from one thread at a time.
  constexpr int always = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  return always | (access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
}

Refusal last_refusal(sqlite3* connection) {
  return {.code = sqlite3_extended_errcode(connection),
          .system_errno = sqlite3_system_errno(connection),
          .text = sqlite3_errmsg(connection)};
}

void settle(sqlite3* connection) {
  sqlite3_busy_timeout(connection, static_cast<int>(patience.count()));
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

/// Who may read the file but not write beside it (the group) can open a WAL database only while -wal and -shm are
/// there.
void keep_wal_files(sqlite3* connection) {
  int keep = 1;
  sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close(connection); }
void Database::Close::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(std::string path, std::unique_ptr<sqlite3, Close> connection)
    : path_(std::move(path)), connection_(std::move(connection)) {}

base::Result<Database> Database::open(const std::string& path, Access access) {
  if (access == Access::read_write) {
    if (auto made = make_database_file(path); !made) return made.error();
  }
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, flags(access), nullptr);
  std::unique_ptr<sqlite3, Close> connection(opened);  // SQLite hands one out even when it fails
  if (code != SQLITE_OK) return translate(last_refusal(opened), path);
  settle(opened);
  if (access == Access::read_write) {
    // SQLite falls back to reading a file that it may not write.
    if (sqlite3_db_readonly(opened, "main") == 1) {
      return base::Error{.code = base::Errc::io, .detail = path + ": no permission to write"};
    }
    keep_wal_files(opened);
  }
  return Database(path, std::move(connection));
}

sqlite3_stmt* Database::prepared(std::string_view sql) {
  const auto known = statements_.find(sql);
  if (known != statements_.end()) return known->second.get();
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement,
                     nullptr);
  if (statement != nullptr) statements_.emplace(sql, statement);
  return statement;
}

base::Result<void> Database::run(const std::string& script) {
  if (sqlite3_exec(connection_.get(), script.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return refusal();
  return {};
}

base::Error Database::refusal() const {
  auto error = translate(last_refusal(connection_.get()), path_);
  if (is_damage(error)) damage_ = error;
  return error;
}
base::Error Database::damaged(std::string_view what) const {
  damage_ = damage(path_, what);
  return *damage_;
}
bool Database::busy() const { return (sqlite3_extended_errcode(connection_.get()) & 0xff) == SQLITE_BUSY; }
void Database::pause() const { sqlite3_sleep(static_cast<int>(patience.count() / 100)); }
bool Database::in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }

}  // namespace vtmirror::catalogue
