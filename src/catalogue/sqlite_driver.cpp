#include "catalogue/sqlite_driver.hpp"

#include "catalogue/sqlite_shared_memory.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/core/shortage.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>

namespace vtmirror::catalogue {
namespace {

constexpr mode_t mode = 0640;

base::Error system_error(const std::string& path, int number) {
  return {.code = base::is_full(number) ? base::Errc::no_space : base::Errc::io,
          .detail = path + ": " + std::generic_category().message(number),
          .diagnosis = core::lack_of_files(number)};
}

/// Creates the catalogue's file before SQLite opens it, so that it is never readable by everybody, even for a moment.
/// Creates an empty file with mode 0640 if there is none. An existing file is not changed, and neither is ":memory:".
/// SQLite gives the -wal and -shm files beside it the same mode and owner. Errors: io, no_space.
base::Result<void> make_database_file(const std::string& path) {
  if (path == ":memory:") return {};
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) {
    if (errno == EEXIST) return {};
    return system_error(path, errno);
  }
  const int changed = ::fchmod(file, mode);  // regardless of the umask, because the group may read
  const int number = errno;
  ::close(file);
  if (changed != 0) return system_error(path, number);
  return {};
}

constexpr std::chrono::milliseconds patience = std::chrono::seconds{5};
/// How long a process that is to end waits for a lock: long enough for another process's ordinary write.
constexpr std::chrono::milliseconds hurried_patience{250};

int flags(Access access) {
  // No mutex: the driver is used from one thread at a time.
  constexpr int always = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  return always | (access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
}

Refusal last_refusal(sqlite3* connection) {
  return {.code = sqlite3_extended_errcode(connection),
          .system_errno = sqlite3_system_errno(connection),
          .text = sqlite3_errmsg(connection)};
}

void settle(sqlite3* connection) {
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

/// A user who may read the file but not write beside it (the group) can open a WAL database only while -wal and -shm
/// exist.
void keep_wal_files(sqlite3* connection) {
  int keep = 1;
  sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
}

/// SQLite takes any file that cannot be looked at for one that has moved.
bool is_known_to_be_gone(const char* path) {
  struct stat found {};
  return ::stat(path, &found) == 0 || errno == ENOENT || errno == ENOTDIR;
}

int bind(sqlite3_stmt* statement, int at, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return sqlite3_bind_int64(statement, at, *number);
  if (const auto* text = std::get_if<std::string>(&value))
    // SQLite copies the string, so that the parameters need not outlive the call.
    return sqlite3_bind_text64(statement, at, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return sqlite3_bind_null(statement, at);
}

/// To SQLite "$2" is a name, and names are numbered in order of appearance.
int bind_all(sqlite3_stmt* statement, std::span<const Value> parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto at = sqlite3_bind_parameter_index(statement, ("$" + std::to_string(i + 1)).c_str());
    if (at == 0) return SQLITE_RANGE;
    if (const int code = bind(statement, at, parameters[i]); code != SQLITE_OK) return code;
  }
  return sqlite3_bind_parameter_count(statement) == std::ssize(parameters) ? SQLITE_OK : SQLITE_RANGE;
}

}  // namespace

/// Resets its statement on destruction, so that the SQL can be run again.
class SqliteDriver::Steps final : public Cursor {
 public:
  Steps(SqliteDriver& driver, sqlite3_stmt* statement) : driver_(driver), statement_(statement) {}
  ~Steps() override {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

  base::Result<bool> next() override {
    const int code = sqlite3_step(statement_);
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return driver_.refusal();
  }
  bool is_null(int column) const override { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::int64_t integer(int column) const override { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const override {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  SqliteDriver& driver_;
  sqlite3_stmt* statement_;
};

void SqliteDriver::Close::operator()(sqlite3* connection) const { sqlite3_close(connection); }
void SqliteDriver::Close::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

SqliteDriver::SqliteDriver(std::string path, std::unique_ptr<sqlite3, Close> connection)
    : path_(std::move(path)), connection_(std::move(connection)) {
  sqlite3_busy_handler(connection_.get(), wait_for_lock, this);
}

int SqliteDriver::wait_for_lock(void* driver, int times) {
  // Each pause is a millisecond longer than the one before, so this is their sum.
  const auto waited = std::chrono::milliseconds(std::int64_t{times} * (times + 1) / 2);
  const bool hurried = static_cast<const SqliteDriver*>(driver)->hurried_;
  if (waited >= (hurried ? hurried_patience : patience)) return 0;
  sqlite3_sleep(times + 1);
  return 1;
}

base::Result<std::unique_ptr<SqliteDriver>> SqliteDriver::open(const std::string& path, Access access,
                                                               const std::string& name) {
  allocate_shared_memory();
  if (access == Access::read_write) {
    if (auto made = make_database_file(path); !made) return made.error();
  }
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &opened, flags(access), nullptr);
  std::unique_ptr<sqlite3, Close> connection(opened);  // SQLite returns a connection even when it fails
  if (code != SQLITE_OK) return translate(last_refusal(opened), name);
  settle(opened);
  if (access == Access::read_write) {
    // SQLite falls back to read-only access if it may not write the file.
    if (sqlite3_db_readonly(opened, "main") == 1) {
      return base::Error{.code = base::Errc::io, .detail = name + ": no permission to write"};
    }
    keep_wal_files(opened);
  }
  auto driver = std::unique_ptr<SqliteDriver>(new SqliteDriver(name, std::move(connection)));
  driver->keeps_name_ = name == path;
  return driver;
}

sqlite3_stmt* SqliteDriver::prepared(std::string_view sql) {
  const auto known = statements_.find(sql);
  if (known != statements_.end()) return known->second.get();
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement,
                     nullptr);
  if (statement != nullptr) statements_.emplace(sql, statement);
  return statement;
}

base::Result<std::unique_ptr<Cursor>> SqliteDriver::run(std::string_view sql, std::span<const Value> parameters) {
  auto* statement = prepared(sql);
  if (statement == nullptr) return refusal();
  std::unique_ptr<Cursor> steps = std::make_unique<Steps>(*this, statement);
  const int code = bind_all(statement, parameters);
  if (code == SQLITE_RANGE)
    return base::Error{base::Errc::catalogue, path_ + ": wrong number of parameters: " + std::string(sql)};
  if (code != SQLITE_OK) return refusal();
  return steps;
}

base::Result<void> SqliteDriver::script(const std::string& statements) {
  if (sqlite3_exec(connection_.get(), statements.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return refusal();
  return {};
}

base::Result<void> SqliteDriver::begin(Purpose purpose) {
  const auto cursor = run(purpose == Purpose::writing ? "BEGIN IMMEDIATE" : "BEGIN", {});
  if (!cursor) return cursor.error();
  if (const auto begun = (*cursor)->next(); !begun) return begun.error();
  return {};
}

base::Result<void> SqliteDriver::commit() {
  const auto cursor = run("COMMIT", {});
  if (!cursor) return cursor.error();
  if (const auto committed = (*cursor)->next(); !committed) return committed.error();
  return {};
}

void SqliteDriver::roll_back() {
  // SQLite rolls back by itself after some failures.
  if (sqlite3_get_autocommit(connection_.get()) != 0) return;
  const auto cursor = run("ROLLBACK", {});
  if (cursor) static_cast<void>((*cursor)->next());
}

std::int64_t SqliteDriver::last_change_count() const { return sqlite3_changes64(connection_.get()); }

std::string SqliteDriver::unique_key() {
  std::array<unsigned char, 16> bytes{};
  sqlite3_randomness(static_cast<int>(bytes.size()), bytes.data());
  std::string key;
  for (const auto byte : bytes) {
    key += "0123456789abcdef"[byte >> 4U];
    key += "0123456789abcdef"[byte & 15U];
  }
  return key;
}

/// SQLite calls a file corrupt in which a read failed with EIO, and its check for damage does so for any failed read.
/// The last errno for the file and its journal distinguishes the two cases. SQLite keeps it until a read comes back
/// short, so a connection that ever saw a failed read may take damage for another failure; a fresh connection finds the
/// damage.
int SqliteDriver::failed_read() const {
  int number = 0;
  sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_LAST_ERRNO, &number);
  sqlite3_file* journal = nullptr;
  if (number == 0) sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
  if (journal != nullptr && journal->pMethods != nullptr)
    journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

base::Error SqliteDriver::refusal() {
  auto last = last_refusal(connection_.get());
  const auto* const file = sqlite3_db_filename(connection_.get(), "main");
  // SQLite reports its second attempt at opening the shared memory, which finds no file.
  if ((last.code & 0xff) == SQLITE_CANTOPEN && last.system_errno == ENOENT && file != nullptr)
    last.system_errno = why_no_shared_memory(file);
  auto error = translate(last, path_);
  return error.code == base::Errc::catalogue_damaged ? found(std::move(error)) : error;
}

base::Error SqliteDriver::damaged(std::string_view what) { return found(catalogue::damage(path_, what)); }

base::Error SqliteDriver::found(base::Error damage) {
  const int number = failed_read();
  if (number != 0) return translate({.code = SQLITE_IOERR, .system_errno = number, .text = "disk I/O error"}, path_);
  damage_ = std::move(damage);
  return *damage_;
}

/// What is written to a file without a name is gone when the process ends.
const std::optional<base::Error>& SqliteDriver::damage() const {
  int moved = 0;
  if (keeps_name_ && !damage_)
    static_cast<void>(sqlite3_file_control(connection_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved));
  if (moved != 0 && is_known_to_be_gone(sqlite3_db_filename(connection_.get(), "main"))) {
    is_replaced_ = true;
    damage_ = base::Error{base::Errc::catalogue_damaged, path_ + " was removed, moved or replaced while it was in use"};
  }
  return damage_;
}

bool SqliteDriver::busy() const { return (sqlite3_extended_errcode(connection_.get()) & 0xff) == SQLITE_BUSY; }
void SqliteDriver::pause() const { sqlite3_sleep(static_cast<int>(patience.count() / 100)); }

}  // namespace vtmirror::catalogue
