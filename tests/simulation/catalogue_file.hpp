// A catalogue whose lock another program can hold, as a backup does, and whose disk can be full. A refused call says so
// at once, instead of after the seconds that it would wait.
#pragma once

#include "support/temporary_directory.hpp"
#include "vtmirror/catalogue/catalogue.hpp"

#include <sqlite3.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace vtmirror::test {

class CatalogueFile {
 public:
  /// One that can be locked is a file; the other is in memory, and faster.
  explicit CatalogueFile(bool can_be_locked) {
    if (can_be_locked) directory_.emplace(TemporaryDirectory::base_in_memory());
    const auto path = can_be_locked ? directory_->string() + "/catalogue.db" : ":memory:";
    open(path);
    if (can_be_locked && sqlite3_open(path.c_str(), &other_) != SQLITE_OK) throw std::runtime_error(path);
  }
  ~CatalogueFile() { sqlite3_close(other_); }
  CatalogueFile(const CatalogueFile&) = delete;
  CatalogueFile& operator=(const CatalogueFile&) = delete;

  /// To be called once for each that was made.
  catalogue::Catalogue take() { return std::move(*catalogue_); }

  /// Another one in its place, empty, in memory. Not for one that can be locked.
  catalogue::Catalogue lose() {
    if (other_ != nullptr) throw std::runtime_error("a catalogue that can be locked is not lost");
    open(":memory:");
    return take();
  }

  void lock() {
    if (other_ == nullptr || locked_) return;
    run(other_, "BEGIN IMMEDIATE");
    locked_ = true;
  }
  void unlock() {
    if (std::exchange(locked_, false)) run(other_, "ROLLBACK");
  }
  bool can_be_locked() const { return other_ != nullptr; }
  bool is_locked() const { return locked_; }

  /// What it has grown to is all that it can have.
  void fill() { run(own_, "PRAGMA max_page_count = 1"); }
  void empty() { run(own_, "PRAGMA max_page_count = 1000000000"); }

 private:
  void open(const std::string& path) {
    const auto noted = reinterpret_cast<void (*)()>(&note);
    sqlite3_auto_extension(noted);
    auto opened = catalogue::Catalogue::open(path, catalogue::Access::read_write);
    sqlite3_cancel_auto_extension(noted);
    if (!opened) throw std::runtime_error(opened.error().detail);
    catalogue_.emplace(std::move(*opened));
    own_ = newest_;
    sqlite3_busy_timeout(own_, 0);
  }
  static int note(sqlite3* connection, const char**, const struct sqlite3_api_routines*) {
    newest_ = connection;
    return SQLITE_OK;
  }
  static void run(sqlite3* connection, const char* sql) {
    if (sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
      throw std::runtime_error(sqlite3_errmsg(connection));
  }

  inline static sqlite3* newest_ = nullptr;
  std::optional<TemporaryDirectory> directory_;
  std::optional<catalogue::Catalogue> catalogue_;
  sqlite3* own_ = nullptr;    ///< the connection of what `take` gave
  sqlite3* other_ = nullptr;  ///< of the other program
  bool locked_ = false;
};

}  // namespace vtmirror::test
