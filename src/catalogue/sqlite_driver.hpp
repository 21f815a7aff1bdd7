// SQLite as the catalogue's engine: a connection to a file, and the statements prepared on it. Also how SQLite's
// refusals read.
#pragma once

#include "catalogue/driver.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/catalogue.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace vtmirror::catalogue {

class SqliteDriver final : public Driver {
 public:
  /// Connects without reading: a file that is not a database is detected by the first statement. Errors: io, catalogue.
  static base::Result<std::unique_ptr<SqliteDriver>> open(const std::string& path, Access access) {
    return open(path, access, path);
  }
  /// The same, with another name in errors.
  static base::Result<std::unique_ptr<SqliteDriver>> open(const std::string& path, Access access,
                                                          const std::string& name);

  void hurry() override { hurried_ = true; }
  base::Result<void> begin(Purpose purpose) override;
  base::Result<void> commit() override;
  void roll_back() override;
  base::Result<std::unique_ptr<Cursor>> run(std::string_view sql, std::span<const Value> parameters) override;
  std::int64_t last_change_count() const override;
  std::string unique_key() override;
  base::Error damaged(std::string_view what) override;
  const std::optional<base::Error>& damage() const override;
  bool is_replaced() const override { return is_replaced_; }
  const std::string& name() const override { return path_; }

  /// Runs several statements and discards their rows.
  base::Result<void> script(const std::string& statements);
  /// Whether the last call failed because another connection holds the file.
  bool busy() const;
  /// A short wait for that connection. A transaction gives up after a hundred of them.
  void pause() const;

 private:
  class Steps;
  struct Close {
    void operator()(sqlite3* connection) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  SqliteDriver(std::string path, std::unique_ptr<sqlite3, Close> connection);
  /// SQLite's busy handler: whether the call tries again, after a pause.
  static int wait_for_lock(void* driver, int times);

  /// The prepared statement for this SQL; null if SQLite refuses it.
  sqlite3_stmt* prepared(std::string_view sql);
  /// SQLite's error for the last call on this connection.
  base::Error refusal();
  /// The error for what looks like damage: `io` if a read has failed, and remembered as damage otherwise.
  base::Error found(base::Error damage);
  /// The system's errno for the last read of the file or its journal that failed; 0 if none did.
  int failed_read() const;

  std::string path_;
  bool keeps_name_ = true;                     ///< not the file of a copy, which loses it
  std::atomic<bool> hurried_ = false;          ///< a call waits only shortly for another connection's lock
  mutable std::optional<base::Error> damage_;  ///< found by a call, or by looking at the path
  mutable bool is_replaced_ = false;
  std::unique_ptr<sqlite3, Close> connection_;
  // By their texts. Destroyed before the connection.
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Close>, std::less<>> statements_;
};

/// Maps SQLite's result codes to this project's errors.
struct Refusal {
  int code = 0;           ///< SQLite's, extended
  int system_errno = 0;   ///< of the failed system call; 0 if there was none
  std::string_view text;  ///< SQLite's own message
};

/// Errors: no_space (disk full), io (files and permissions), catalogue_damaged (not a database, or a damaged one),
/// catalogue_busy (a lock that another connection did not release in time), catalogue (everything else: broken
/// constraints).
base::Error translate(const Refusal& refusal, const std::string& path);

/// The error for a damaged file; `what` is the damage.
base::Error damage(const std::string& path, std::string_view what);

}  // namespace vtmirror::catalogue
