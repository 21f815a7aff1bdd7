// Reads of the catalogue's files that fail, at each of them: SQLite's own pread is replaced.
#include "catalogue/made.hpp"
#include "support/temporary_directory.hpp"

#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace vtmirror::test {
namespace {

/// The reads that fail: `count` of them, from number `first` on. Counted over all files of SQLite.
struct Faults {
  int reads = 0;
  int first = 0;
  int count = 0;
};
Faults faults;

ssize_t faulty_pread(int file, void* bytes, std::size_t size, off_t offset) {
  const int number = ++faults.reads;
  if (faults.first > 0 && number >= faults.first && number < faults.first + faults.count) {
    errno = EIO;
    return -1;
  }
  return ::syscall(SYS_pread64, file, bytes, size, offset);
}

/// SQLite has one of the two, by how it was built.
struct FaultyReads {
  FaultyReads() { set(reinterpret_cast<sqlite3_syscall_ptr>(&faulty_pread)); }
  ~FaultyReads() { set(nullptr); }
  FaultyReads(const FaultyReads&) = delete;
  FaultyReads& operator=(const FaultyReads&) = delete;
  static void set(sqlite3_syscall_ptr call) {
    faults = {};
    auto* const system = sqlite3_vfs_find(nullptr);
    int known = 0;
    for (const auto* name : {"pread", "pread64"})
      known +=
          system->xGetSystemCall(system, name) != nullptr && system->xSetSystemCall(system, name, call) == SQLITE_OK;
    REQUIRE(known > 0);
  }
};

constexpr int for_ever = 1 << 20;

struct Place {
  Place() {
    auto catalogue = opened(path);
    for (int n = 0; n < 60; ++n) REQUIRE(catalogue.publish(file(n)));
  }
  TemporaryDirectory directory{TemporaryDirectory::base_in_memory()};
  std::string path = (directory / "catalogue.db").string();
};

TEST_CASE("at whatever read the disk fails once, the catalogue is opened and nothing is called damaged") {
  const Place place;
  const FaultyReads injected;
  { opened(place.path); }
  const int reads = faults.reads;
  REQUIRE(reads > 20);
  for (int number = 1; number <= reads; ++number) {
    CAPTURE(number);
    faults = {.reads = 0, .first = number, .count = 1};
    const auto catalogue = catalogue::Catalogue::open(place.path, catalogue::Access::read_write);
    REQUIRE(catalogue);
    CHECK_FALSE(catalogue->damage());
    CHECK(catalogue->generation().value() == 60);
  }
}

TEST_CASE("a disk that fails from any read on is an I/O error, and never damage") {
  const Place place;
  const FaultyReads injected;
  { opened(place.path); }
  const int reads = faults.reads;
  for (int number = 1; number <= reads; ++number) {
    CAPTURE(number);
    faults = {.reads = 0, .first = number, .count = for_ever};
    const auto catalogue = catalogue::Catalogue::open(place.path, catalogue::Access::read_write);
    if (!catalogue) CHECK(catalogue.error().code == base::Errc::io);
    faults = {};
  }
}

TEST_CASE("a read that fails at work is an I/O error of that call, and the next call works") {
  const Place place;
  const FaultyReads injected;
  int failed = 0;
  for (int number = 1; number < 40; ++number) {
    CAPTURE(number);
    const auto catalogue = opened(place.path, catalogue::Access::read_only);
    faults = {.reads = 0, .first = number, .count = 1};
    const auto files = catalogue.files();
    failed += files ? 0 : 1;
    if (!files) CHECK(files.error().code == base::Errc::io);
    CHECK_FALSE(catalogue.damage());
    faults = {};
    CHECK(catalogue.files().value().size() == 60);
  }
  CHECK(failed > 2);
}

}  // namespace
}  // namespace vtmirror::test
