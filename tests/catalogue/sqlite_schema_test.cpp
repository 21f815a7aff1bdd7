#include "catalogue/sqlite_schema.hpp"
#include "catalogue/made.hpp"
#include "catalogue/sql.hpp"
#include "support/repository.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace vtmirror::test {
namespace {

std::filesystem::path snapshot_file() { return repository() / "migrations" / "schema.sql"; }

/// The schema after all migrations, in the order in which it was made.
std::string schema() {
  const TemporaryDirectory directory;
  const auto path = (directory / "catalogue.db").string();
  opened(path);
  const auto database = connected(path, catalogue::Access::read_only);
  std::string text;
  for (const auto& sql : column(*database, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"))
    text += sql + ";\n\n";
  return text;
}

/// Without what is no part of a schema's meaning: spaces and comments.
std::string normalised(const std::string& sql) {
  std::string text;
  for (std::size_t at = 0; at < sql.size(); ++at) {
    if (sql.compare(at, 2, "--") == 0) at = std::min(sql.find('\n', at), sql.size());
    const bool space = at >= sql.size() || std::isspace(static_cast<unsigned char>(sql[at])) != 0;
    if (!space) text.push_back(sql[at]);
    if (space && !text.empty() && text.back() != ' ') text.push_back(' ');
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

TEST_CASE("the migrations lead to the schema that the snapshot shows") {
  const auto file = snapshot_file();
  if (std::getenv("VTMIRROR_RENEW_SCHEMA") != nullptr) {
    write_file(file,
               "-- The schema after all migrations, for reading. Made by catalogue_test with VTMIRROR_RENEW_SCHEMA=1; "
               "do not edit.\n\n" +
                   schema());
  }
  INFO("After a new migration: VTMIRROR_RENEW_SCHEMA=1 catalogue_test, and commit migrations/schema.sql with it.");
  CHECK(normalised(read_file(file)) == normalised(schema()));
}

TEST_CASE("the program's schema version is the number of the last migration") {
  const auto steps = catalogue::migrations();
  REQUIRE(catalogue::schema_version() == static_cast<int>(steps.size()));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(std::stoul(std::string(steps[i].name.substr(0, 4))) == i + 1);
    CHECK_FALSE(steps[i].sql.empty());
  }
}

TEST_CASE("no table can hold a value of another type than its column's") {
  const auto text = schema();
  std::size_t tables = 0;
  std::size_t strict = 0;
  for (auto at = text.find("CREATE TABLE"); at != std::string::npos; at = text.find("CREATE TABLE", at + 1)) ++tables;
  for (auto at = text.find(") STRICT"); at != std::string::npos; at = text.find(") STRICT", at + 1)) ++strict;
  CHECK(tables > 0);
  CHECK(strict == tables);
}

}  // namespace
}  // namespace vtmirror::test
