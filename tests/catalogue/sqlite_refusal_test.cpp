#include "catalogue/sqlite_driver.hpp"

#include <sqlite3.h>

#include <doctest/doctest.h>

#include <cerrno>

namespace vtmirror::test {
namespace {

using base::Errc;

base::Error translated(int code, int system_errno = 0) {
  return catalogue::translate({.code = code, .system_errno = system_errno, .text = "its own words"},
                              "/state/catalogue.db");
}

TEST_CASE("each refusal of SQLite becomes an error that a person can act on") {
  struct Row {
    int code;
    Errc meaning;
  };
  for (const auto& row :
       {Row{SQLITE_FULL, Errc::no_space}, Row{SQLITE_CANTOPEN, Errc::io}, Row{SQLITE_CANTOPEN_ISDIR, Errc::io},
        Row{SQLITE_IOERR_FSYNC, Errc::io}, Row{SQLITE_PROTOCOL, Errc::io}, Row{SQLITE_READONLY_DIRECTORY, Errc::io},
        Row{SQLITE_PERM, Errc::io}, Row{SQLITE_NOTADB, Errc::catalogue_damaged},
        Row{SQLITE_CORRUPT_INDEX, Errc::catalogue_damaged}, Row{SQLITE_BUSY, Errc::catalogue_busy},
        Row{SQLITE_BUSY_SNAPSHOT, Errc::catalogue_busy}, Row{SQLITE_NOMEM, Errc::io}, Row{SQLITE_IOERR_NOMEM, Errc::io},
        Row{SQLITE_CONSTRAINT_CHECK, Errc::catalogue}, Row{SQLITE_INTERRUPT, Errc::catalogue}}) {
    CAPTURE(row.code);
    const auto error = translated(row.code);
    CHECK(error.code == row.meaning);
    CHECK(error.detail.find("/state/catalogue.db") != std::string::npos);
    CHECK(error.detail.find("its own words") != std::string::npos);
  }
}

TEST_CASE(
    "a disk that is too full for what SQLite creates beside the file is a lack of space, not a fault of the disk") {
  CHECK(translated(SQLITE_IOERR_SHMSIZE, ENOSPC).code == Errc::no_space);
  CHECK(translated(SQLITE_CANTOPEN, EDQUOT).code == Errc::no_space);
  CHECK(translated(SQLITE_IOERR_SHMSIZE, EIO).code == Errc::io);
}

TEST_CASE("a lack of open files is kept as the reason of what SQLite cannot open") {
  CHECK(translated(SQLITE_CANTOPEN, EMFILE).diagnosis == base::Diagnosis::open_files);
  CHECK(translated(SQLITE_CANTOPEN, ENFILE).diagnosis == base::Diagnosis::open_files_of_machine);
  CHECK(translated(SQLITE_CANTOPEN, EACCES).diagnosis == base::Diagnosis::none);
}

TEST_CASE("the system's reason is reported if there is one") {
  CHECK(translated(SQLITE_CANTOPEN, EACCES).detail.find("Permission denied") != std::string::npos);
  CHECK(translated(SQLITE_CANTOPEN, 0).detail.find("Success") == std::string::npos);
}

}  // namespace
}  // namespace vtmirror::test
