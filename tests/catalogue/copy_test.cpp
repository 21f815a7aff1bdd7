#include "catalogue/made.hpp"
#include "catalogue/sql.hpp"
#include "catalogue/sqlite_schema.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>

namespace vtmirror::test {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> files_in(const fs::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& each : fs::directory_iterator(directory)) files[each.path().filename()] = read_file(each.path());
  return files;
}

struct Place {
  TemporaryDirectory directory{TemporaryDirectory::base_in_memory()};
  std::string path = (directory / "catalogue.db").string();
};

TEST_CASE("a copy has what the catalogue and its journal have, and what is written to it ends with it") {
  const Place place;
  auto original = opened(place.path);
  REQUIRE(original.keep_unfit({unfit(1)}));
  const auto before = files_in(place.directory.path());
  {
    auto copy = catalogue::Catalogue::open_copy(place.path);
    REQUIRE(copy);
    CHECK(copy->unfit().value() == std::vector{unfit(1)});
    REQUIRE(copy->keep_unfit({unfit(2), unfit(3)}));
    CHECK(copy->unfit().value() == std::vector{unfit(2), unfit(3)});
  }
  CHECK(files_in(place.directory.path()) == before);
  CHECK(original.unfit().value() == std::vector{unfit(1)});
}

TEST_CASE("a copy of an older catalogue is migrated, and the catalogue is not") {
  const Place place;
  write_file(place.path, "");
  {
    const auto driver = connected(place.path);
    for (const auto& step : catalogue::migrations().first(6)) REQUIRE(driver->script(std::string(step.sql)));
    REQUIRE(driver->script("PRAGMA application_id = 1987341682; PRAGMA user_version = 6"));
    REQUIRE(driver->script("INSERT INTO key_use (id, at) VALUES (1, 5000)"));
  }
  const auto before = files_in(place.directory.path());
  auto copy = catalogue::Catalogue::open_copy(place.path);
  REQUIRE(copy);
  CHECK(copy->last_key_use().value() == base::Time{base::Milliseconds{5000}});
  CHECK(copy->unfit().value().empty());
  CHECK(files_in(place.directory.path()) == before);
}

TEST_CASE("what is wrong with a catalogue is said of the catalogue, not of its copy") {
  const Place place;
  auto copy = catalogue::Catalogue::open_copy(place.path);
  REQUIRE_FALSE(copy);
  CHECK(copy.error().code == base::Errc::io);
  CHECK(copy.error().detail.starts_with(place.path + ": cannot copy it to "));
  write_file(place.path, std::string(8192, 'x'));
  copy = catalogue::Catalogue::open_copy(place.path);
  REQUIRE_FALSE(copy);
  CHECK(copy.error().code == base::Errc::catalogue_damaged);
  CHECK(copy.error().detail.starts_with(place.path + " is damaged"));
  CHECK(read_file(place.path) == std::string(8192, 'x'));
}

}  // namespace
}  // namespace vtmirror::test
