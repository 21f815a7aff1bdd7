// SQL beside the catalogue, for what no role says.
#pragma once

#include "catalogue/sqlite_driver.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::test {

inline std::unique_ptr<catalogue::SqliteDriver> connected(const std::string& path,
                                                          catalogue::Access access = catalogue::Access::read_write) {
  auto driver = catalogue::SqliteDriver::open(path, access);
  REQUIRE(driver);
  return std::move(*driver);
}

/// The first column of each row, as text.
inline std::vector<std::string> column(catalogue::SqliteDriver& driver, std::string_view sql) {
  const auto cursor = driver.run(sql, {});
  REQUIRE(cursor);
  std::vector<std::string> texts;
  for (auto more = (*cursor)->next();; more = (*cursor)->next()) {
    REQUIRE(more);
    if (!*more) return texts;
    texts.push_back((*cursor)->text(0));
  }
}

}  // namespace vtmirror::test
