// A catalogue whose lock another connection may hold, as a backup does.
#pragma once

#include "support/temporary_directory.hpp"
#include "vtmirror/catalogue/catalogue.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <string>
#include <utility>

namespace vtmirror::test {

/// A catalogue that reports at once that it is busy, instead of waiting seconds for the lock, and a second connection
/// to it, which a backup could have.
class SharedCatalogue {
 public:
  SharedCatalogue() : catalogue(opened(path_)) {
    REQUIRE(sqlite3_open(path_.c_str(), &other_) == SQLITE_OK);
    sqlite3_busy_timeout(other_, 5000);
  }
  ~SharedCatalogue() { sqlite3_close(other_); }
  SharedCatalogue(const SharedCatalogue&) = delete;
  SharedCatalogue& operator=(const SharedCatalogue&) = delete;

  void run(const char* sql) { REQUIRE(sqlite3_exec(other_, sql, nullptr, nullptr, nullptr) == SQLITE_OK); }
  void lock() { run("BEGIN IMMEDIATE"); }
  void unlock() { run("ROLLBACK"); }

 private:
  static int note(sqlite3* connection, const char**, const struct sqlite3_api_routines*) {
    newest_ = connection;
    return SQLITE_OK;
  }
  static catalogue::Catalogue opened(const std::string& path) {
    const auto noted = reinterpret_cast<void (*)()>(&note);
    REQUIRE(sqlite3_auto_extension(noted) == SQLITE_OK);
    auto catalogue = catalogue::Catalogue::open(path, catalogue::Access::read_write);
    sqlite3_cancel_auto_extension(noted);
    REQUIRE(catalogue);
    sqlite3_busy_timeout(newest_, 0);
    return std::move(*catalogue);
  }

  inline static sqlite3* newest_ = nullptr;
  TemporaryDirectory directory_{TemporaryDirectory::base_in_memory()};
  std::string path_ = directory_.string() + "/catalogue.db";

 public:
  catalogue::Catalogue catalogue;

 private:
  sqlite3* other_ = nullptr;
};

}  // namespace vtmirror::test
