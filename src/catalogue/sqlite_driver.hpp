// SQLite as the catalogue's engine: a connection to a file, and the statements prepared on it.
#pragma once

#include "catalogue/driver.hpp"
#include "vtmirror/catalogue/catalogue.hpp"

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
  /// Connects; reads nothing yet, so that a file that is no database is found out by the first statement. Errors: io,
  /// catalogue.
  static base::Result<std::unique_ptr<SqliteDriver>> open(const std::string& path, Access access);

  base::Result<void> begin(Purpose purpose) override;
  base::Result<void> commit() override;
  void roll_back() override;
  base::Result<std::unique_ptr<Cursor>> run(std::string_view sql, std::span<const Value> parameters) override;
  std::int64_t last_change_count() const override;
  std::string unique_key() override;
  base::Error damaged(std::string_view what) override;
  const std::optional<base::Error>& damage() const override { return damage_; }
  const std::string& name() const override { return path_; }

  /// Runs several statements, dropping their rows.
  base::Result<void> script(const std::string& statements);
  /// The last call was refused because another connection holds the file.
  bool busy() const;
  /// A moment's wait for it: a hundred of them are the patience of a transaction.
  void pause() const;

 private:
  class Steps;
  struct Close {
    void operator()(sqlite3* connection) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  SqliteDriver(std::string path, std::unique_ptr<sqlite3, Close> connection);

  /// The statement for this text; null when SQLite refuses it.
  sqlite3_stmt* prepared(std::string_view sql);
  /// What SQLite said to the last call on this connection.
  base::Error refusal();

  std::string path_;
  std::optional<base::Error> damage_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::map<std::string_view, std::unique_ptr<sqlite3_stmt, Close>> statements_;  // goes before the connection
};

}  // namespace vtmirror::catalogue
