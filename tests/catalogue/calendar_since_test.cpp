#include "catalogue/made.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace vtmirror::test {
namespace {

core::Listed bulk(int number) {
  return {core::Kind::bulk, "v1/public/bulk/file-" + std::to_string(number) + ".zip", day(number), 5000 + number};
}

/// Six weeks, each with its bulk file and one delta, all held, listed one after the other.
catalogue::Catalogue six_weeks() {
  auto opened = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write);
  if (opened.has_error()) throw std::runtime_error(opened.error().message());
  auto catalogue = std::move(*opened);
  for (int week = 0; week < 6; ++week) {
    const auto weekly = bulk(week * 7);
    auto made = listing({listed(week * 7)});
    made.entries.push_back({weekly.kind, weekly.name, weekly.size, weekly.date, {}});
    REQUIRE(catalogue.keep_listing(made, at(week)).has_value());
    REQUIRE(catalogue.publish(file(week * 7)).has_value());
    REQUIRE(catalogue
                .publish({.kind = weekly.kind,
                          .name = weekly.name,
                          .date = weekly.date,
                          .size = weekly.size,
                          .sha256 = weekly.name,
                          .etag = "",
                          .published_at = at(week)})
                .has_value());
  }
  return catalogue;
}

base::Date first_of(const core::Calendar& calendar) {
  return std::ranges::min(calendar.files, {}, &core::ListedFile::date).date;
}

TEST_CASE("a calendar since a day has all files from then on, which the usual one leaves out") {
  const auto catalogue = six_weeks();
  CHECK(first_of(catalogue.calendar().value()) > day(0));
  const auto since = catalogue.calendar_since(day(0)).value();
  REQUIRE(since.files.size() == 12);
  for (const auto& each : since.files) CHECK(each.standing == core::Standing::held);
  CHECK(first_of(catalogue.calendar_since(day(7)).value()) == day(7));
}

TEST_CASE("a calendar since a late day is never less than what chains ask for") {
  const auto catalogue = six_weeks();
  CHECK(catalogue.calendar_since(day(100)).value() == catalogue.calendar().value());
}

}  // namespace
}  // namespace vtmirror::test
