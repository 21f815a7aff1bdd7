#include "vtmirror/wiring/catalogue_rescue.hpp"

#include "support/memory_storage.hpp"
#include "support/temporary_directory.hpp"
#include "vtmirror/catalogue/rescue.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

const base::Time now = base::parse_time("2026-11-18T08:00:00Z").value();

struct Place {
  TemporaryDirectory directory{TemporaryDirectory::base_in_memory()};
  std::string path = (directory / "catalogue.db").string();
  MemoryStorage storage;

  /// With one notice that was not delivered, all in the database itself.
  void make() const {
    {
      auto catalogue = catalogue::Catalogue::open(path, catalogue::Access::read_write).value();
      REQUIRE(catalogue.set_channels({{"mail", {core::Topic::cycle}}}));
      const auto id = catalogue.begin_cycle(now).value();
      core::Notice notice{.topic = core::Topic::cycle, .code = "cycle", .message = "it ended", .at = now};
      REQUIRE(catalogue.finish_cycle({.id = id, .started = now, .finished = now, .outcome = core::Outcome::complete},
                                     {notice}));
    }
    std::filesystem::remove(path + "-wal");
    std::filesystem::remove(path + "-shm");
  }
  /// The page of a table that says nothing here, so that the rest can be read.
  void damage() const {
    constexpr std::size_t page = 4096;
    auto bytes = read_file(path);
    const auto number = root_page("listed_file");
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>((number - 1) * page), page, '\xff');
    write_file(path, bytes);
  }
  std::size_t root_page(const std::string& table) const {
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
    const auto sql = "SELECT rootpage FROM sqlite_master WHERE name = '" + table + "'";
    REQUIRE(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
    const auto number = static_cast<std::size_t>(sqlite3_column_int64(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return number;
  }
};

}  // namespace

TEST_CASE("a damaged catalogue's notices are in the new one, also if the start before was cut off in between") {
  for (const bool cut : {false, true}) {
    CAPTURE(cut);
    Place place;
    place.make();
    if (cut) {
      REQUIRE(catalogue::move_aside(place.path, now));
    } else {
      place.damage();
    }
    const auto rescued = wiring::open_or_rescue(place.path, place.storage.shelf(), now);
    REQUIRE(rescued);
    INFO(rescued->message);
    CHECK(rescued->message.find("1 notice to be delivered") != std::string::npos);
    CHECK(rescued->catalogue.deliveries().value().size() == 1);
    CHECK(rescued->catalogue.history(9).value().size() == 1);
  }
}

TEST_CASE("a sound catalogue beside an old damaged one is opened as it is, without a word, once it was looked at") {
  Place place;
  place.make();
  REQUIRE(catalogue::move_aside(place.path, now));
  REQUIRE(wiring::open_or_rescue(place.path, place.storage.shelf(), now));
  const auto again = wiring::open_or_rescue(place.path, place.storage.shelf(), now);
  REQUIRE(again);
  CHECK(again->message.empty());
  CHECK(again->catalogue.deliveries().value().size() == 1);
}

TEST_CASE("where the mirror's texts cannot be read, no catalogue is called outdated or empty") {
  for (const bool emptied : {false, true}) {
    Place place;
    place.make();
    if (emptied) write_file(place.path, "");
    const auto bytes = read_file(place.path);
    place.storage.texts_unreadable = true;
    const auto refused = wiring::open_or_rescue(place.path, place.storage.shelf(), now);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == base::Errc::io);
    CHECK_FALSE(catalogue::moved_aside(place.path));
    if (emptied) CHECK(read_file(place.path) == bytes);
  }
}
