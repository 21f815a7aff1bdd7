#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"
#include "catalogue/sql.hpp"
#include "catalogue/sqlite_schema.hpp"
#include "support/temporary_directory.hpp"

#include <sys/stat.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace vtmirror::test {
namespace {

using catalogue::Access;
using catalogue::Catalogue;

/// A directory in which a catalogue may lie.
struct Place {
  TemporaryDirectory directory{TemporaryDirectory::base_in_memory()};
  std::string path = (directory / "catalogue.db").string();

  void run(const std::string& script) const {
    if (!std::filesystem::exists(path)) write_file(path, "");
    REQUIRE(connected(path)->script(script));
  }
  base::Error refused(Access access = Access::read_write) const {
    const auto opened = Catalogue::open(path, access);
    REQUIRE_FALSE(opened);
    return opened.error();
  }
  mode_t mode(const std::string& suffix = "") const {
    struct stat found {};
    REQUIRE(::stat((path + suffix).c_str(), &found) == 0);
    return found.st_mode & 07777U;
  }
};

bool says(const base::Error& error, std::string_view words) { return error.detail.find(words) != std::string::npos; }

TEST_CASE("a statement is known by its words, wherever they lie in memory") {
  const test::TemporaryDirectory directory;
  const auto driver = connected((directory / "x.db").string());
  std::string sql = "SELECT 1";
  CHECK(column(*driver, sql) == std::vector<std::string>{"1"});
  sql.back() = '2';
  CHECK(column(*driver, sql) == std::vector<std::string>{"2"});
}

TEST_CASE("records are there when the catalogue is opened again") {
  const Place place;
  std::string before;
  {
    auto catalogue = opened(place.path);
    REQUIRE(catalogue.publish(file(1)));
    REQUIRE(catalogue.keep_partial(partial(2)));
    before = shown(catalogue);
  }
  CHECK(shown(opened(place.path)) == before);
  CHECK(shown(opened(place.path, Access::read_only)) == before);
}

TEST_CASE("a new catalogue is readable by owner and group alone, whatever the umask") {
  for (const mode_t mask : {0000U, 0022U, 0077U}) {
    const Place place;
    const auto usual = ::umask(mask);
    auto catalogue = Catalogue::open(place.path, Access::read_write);
    ::umask(usual);
    REQUIRE(catalogue);
    REQUIRE(catalogue->keep_key_use(at(0)));
    CHECK(place.mode() == 0640U);
    CHECK(place.mode("-wal") == 0640U);
    CHECK(place.mode("-shm") == 0640U);
  }
}

TEST_CASE("a changed mode of the catalogue's file stays") {
  const Place place;
  { opened(place.path); }
  std::filesystem::permissions(place.path, std::filesystem::perms(0600));
  auto catalogue = opened(place.path);
  REQUIRE(catalogue.keep_key_use(at(0)));
  CHECK(place.mode() == 0600U);
}

TEST_CASE("a catalogue newer than the program is refused, says by how much, and is left as it is") {
  const Place place;
  { REQUIRE(opened(place.path).publish(file(1))); }
  const auto newer = std::to_string(catalogue::schema_version() + 1);
  place.run("PRAGMA user_version = " + newer);
  const auto bytes = read_file(place.path);
  for (const auto access : {Access::read_write, Access::read_only}) {
    const auto error = place.refused(access);
    CHECK(error.code == base::Errc::catalogue);
    CHECK(says(error, "catalogue.db has version " + newer + ", this program supports " +
                          std::to_string(catalogue::schema_version()) +
                          ": install a newer vtmirror, or move the file away"));
  }
  CHECK(read_file(place.path) == bytes);
}

TEST_CASE("another application's database is refused and left as it is") {
  for (const std::string script : {"PRAGMA application_id = 252006674; CREATE TABLE theirs (x)",
                                   "CREATE TABLE theirs (x)", "PRAGMA user_version = 1"}) {
    CAPTURE(script);
    const Place place;
    place.run(script);
    const auto bytes = read_file(place.path);
    for (const auto access : {Access::read_write, Access::read_only}) {
      const auto error = place.refused(access);
      CHECK(error.code == base::Errc::catalogue);
      CHECK(says(error, "another application"));
    }
    CHECK(read_file(place.path) == bytes);
  }
}

TEST_CASE("a file that is not a database is refused and left unchanged") {
  for (const auto& text : {std::string("hello"), std::string(8192, 'x')}) {
    const Place place;
    write_file(place.path, text);
    for (const auto access : {Access::read_write, Access::read_only}) {
      const auto error = place.refused(access);
      CHECK(error.code == base::Errc::catalogue_damaged);
      CHECK(says(error, place.path));
    }
    CHECK(read_file(place.path) == text);
  }
}

TEST_CASE("a catalogue with damaged pages is refused when it is opened for writing") {
  const Place place;
  {
    auto catalogue = opened(place.path);
    for (int number = 0; number < 200; ++number) REQUIRE(catalogue.publish(file(number)));
  }
  auto bytes = read_file(place.path);
  REQUIRE(bytes.size() > 5 * 4096);
  for (std::size_t page = 2; page * 4096 < bytes.size(); ++page) {
    CAPTURE(page);
    auto damaged = bytes;
    damaged.replace(page * 4096, 4096, 4096, '\x5a');
    write_file(place.path, damaged);
    const auto error = place.refused();
    CHECK(error.code == base::Errc::catalogue_damaged);
    CHECK(says(error, "damaged"));
  }
}

TEST_CASE("a catalogue that was cut short is refused") {
  const Place place;
  { REQUIRE(opened(place.path).publish(file(1))); }
  const auto bytes = read_file(place.path);
  write_file(place.path, bytes.substr(0, bytes.size() / 2));
  CHECK(place.refused().code == base::Errc::catalogue_damaged);
}

TEST_CASE("an empty file becomes a catalogue, as a file that was being made when the power went") {
  const Place place;
  write_file(place.path, "");
  CHECK(shown(opened(place.path)) == shown(Memory{}));
}

TEST_CASE("a missing directory is the file system's refusal, with its words") {
  const Place place;
  const auto path = (place.directory / "nowhere/catalogue.db").string();
  for (const auto access : {Access::read_write, Access::read_only}) {
    const auto missing = Catalogue::open(path, access);
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == base::Errc::io);
    CHECK(says(missing.error(), path));
    CHECK(says(missing.error(), "No such file or directory"));
  }
}

TEST_CASE("a directory in the catalogue's place is refused") {
  const Place place;
  std::filesystem::create_directory(place.path);
  CHECK(place.refused().code == base::Errc::io);
  CHECK(place.refused(Access::read_only).code == base::Errc::io);
}

TEST_CASE("a reader never creates a file") {
  const Place place;
  CHECK(place.refused(Access::read_only).code == base::Errc::io);
  CHECK(std::filesystem::is_empty(place.directory.path()));
}

TEST_CASE("a reader gets an error for an older schema, and does not migrate it") {
  const Place place;
  write_file(place.path, "");
  const auto error = place.refused(Access::read_only);
  CHECK(error.code == base::Errc::catalogue);
  CHECK(says(error, "has version 0, this program supports"));
  CHECK(read_file(place.path).empty());
}

TEST_CASE("a reader cannot write") {
  const Place place;
  { opened(place.path); }
  auto reader = opened(place.path, Access::read_only);
  CHECK_FALSE(reader.publish(file(1)));
  CHECK_FALSE(reader.keep_key_use(at(1)));
  CHECK(shown(reader) == shown(Memory{}));
}

TEST_CASE("a reader sees each write as soon as it is committed, and can read during a write") {
  const Place place;
  auto writer = opened(place.path);
  const auto reader = opened(place.path, Access::read_only);
  for (int number = 0; number < 20; ++number) {
    REQUIRE(writer.publish(file(number)));
    CHECK(reader.generation().value() == number + 1);
  }
  const auto other = connected(place.path);
  REQUIRE(other->script("BEGIN IMMEDIATE; DELETE FROM change"));
  CHECK(shown(reader) == shown(writer));
  REQUIRE(other->script("ROLLBACK"));
}

TEST_CASE("the WAL stays beside a closed catalogue, empty, so that a group may read where it may not write") {
  const Place place;
  { REQUIRE(opened(place.path).publish(file(1))); }
  CHECK(std::filesystem::file_size(place.path + "-wal") == 0);
  CHECK(std::filesystem::exists(place.path + "-shm"));
}

TEST_CASE("a catalogue is durable by its settings: WAL, every commit synced, foreign keys kept") {
  const Place place;
  { REQUIRE(opened(place.path).publish(file(1))); }
  const auto database = connected(place.path);
  REQUIRE(catalogue::bring_up_to_date(*database, Access::read_write));
  CHECK(column(*database, "PRAGMA journal_mode") == std::vector<std::string>{"wal"});
  CHECK(column(*database, "PRAGMA synchronous") == std::vector<std::string>{"2"});  // FULL
  CHECK_FALSE(database->script("DELETE FROM version"));
}

}  // namespace
}  // namespace vtmirror::test
