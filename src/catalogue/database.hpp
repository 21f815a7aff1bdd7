// A connection to SQLite and the statements prepared on it.
// Promises that whatever SQLite refuses becomes one Error that names the file. Knows nothing of the catalogue's tables.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/catalogue.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

namespace vtmirror::catalogue {

class Database {
 public:
  /// Connects; reads nothing yet, so that a file that is no database is found out by the first statement. Errors: io,
  /// catalogue.
  static base::Result<Database> open(const std::string& path, Access access);

  /// The statement for this text, prepared once. The text must live as long as the database (a literal). Null when
  /// SQLite refuses it.
  sqlite3_stmt* prepared(std::string_view sql);
  /// Runs several statements, dropping their rows.
  base::Result<void> run(const std::string& script);

  /// What SQLite said to the last call on this connection.
  base::Error refusal() const;
  /// An Error about this file that SQLite itself did not find.
  base::Error damaged(std::string_view what) const;

  /// What is to be called after each transaction that announces itself.
  void on_announced(std::function<void()> call) { announced_ = std::move(call); }
  void announce() const {
    if (announced_) announced_();
  }

  const std::string& path() const { return path_; }
  bool in_transaction() const;
  /// SQLite has found damage on this connection, or `damaged` was called.
  const std::optional<base::Error>& damage_found() const { return damage_; }
  /// The last call was refused because another connection holds the file.
  bool busy() const;
  /// A moment's wait for it: a hundred of them are the patience of a transaction.
  void pause() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  Database(std::string path, std::unique_ptr<sqlite3, Close> connection);

  std::string path_;
  std::function<void()> announced_;
  mutable std::optional<base::Error> damage_;
  std::unique_ptr<sqlite3, Close> connection_;
  std::map<std::string_view, std::unique_ptr<sqlite3_stmt, Close>> statements_;  // goes before the connection
};

}  // namespace vtmirror::catalogue
