#include "vtmirror/report/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace vtmirror::report {
namespace {

TEST_CASE("columns are as wide as their widest cell, numbers stand to the right") {
  Table table({{"NAME"}, {"SIZE", Align::right}, {"STATE"}});
  table.add({"a.zip", "1.00 MB", "held"});
  table.add({"längster.zip", "12 B", ""});
  CHECK(table.text(0) ==
        "NAME             SIZE  STATE\n"
        "a.zip         1.00 MB  held\n"
        "längster.zip     12 B\n");
}

TEST_CASE("a table without rows is its headings") { CHECK(Table({{"NAME"}, {"SIZE"}}).text(0) == "NAME  SIZE\n"); }

TEST_CASE("lines are cut to the terminal's width") {
  Table table({{"NAME"}, {"DIGEST"}});
  table.add({"a", "0123456789"});
  CHECK(table.text(10) == "NAME  DIGE\na     0123\n");
}

TEST_CASE("columns are left out in their turn where there is no room, and what never goes is whole") {
  Table table({{"NAME"}, {"SIZE", Align::right, 2}, {"AT", Align::left, 1}, {"TICKET"}});
  table.add({"a.zip", "1.00 MB", "08:00", "3-443591"});
  CHECK(table.fits(33));
  CHECK_FALSE(table.fits(30));
  CHECK(table.fits(0));
  CHECK(table.narrowed(33).text(0) == table.text(0));
  CHECK(table.narrowed(0).text(0) == table.text(0));
  CHECK(table.narrowed(30).text(0) == "NAME      SIZE  TICKET\na.zip  1.00 MB  3-443591\n");
  CHECK(table.narrowed(20).text(0) == "NAME   TICKET\na.zip  3-443591\n");
  CHECK(table.narrowed(3).text(0) == "NAME   TICKET\na.zip  3-443591\n");
  CHECK(table.narrowed(29, true).columns() == 4);
}

TEST_CASE("a reason that does not fit stands below its row, whole") {
  Table table({{"ACTION"}, {"NAME"}, {"REASON"}});
  table.add({"keep", "a.zip", "it is here"});
  table.add({"fetch", "b.zip", "nothing of it is here, and it is listed"});
  CHECK(table.flowing_text(27) ==
        "ACTION  NAME   REASON\n"
        "keep    a.zip  it is here\n"
        "fetch   b.zip\n"
        "    nothing of it is here,\n"
        "    and it is listed\n");
  CHECK(table.flowing_text(0) == table.text(0));
  CHECK(table.flowing_text(200) == table.text(200));
  for (std::size_t width = 1; width < 60; ++width) {
    auto text = table.flowing_text(width);
    std::replace(text.begin(), text.end(), '\n', ' ');
    CHECK(text.find("listed") != std::string::npos);
  }
}

TEST_CASE("a long name is cut in its middle, between characters") {
  CHECK(cut_middle("delta.zip", 9) == "delta.zip");
  CHECK(cut_middle("bulk-light-vehicle_15-11-2026.zip", 20) == "bul...15-11-2026.zip");
  CHECK(cut_middle("bulk-light-vehicle_15-11-2026.zip", 17) == "...15-11-2026.zip");
  CHECK(cut_middle("ääääöööö", 7) == "ä...ööö");
  CHECK(cut_middle("abcdef", 2) == "ab");
  for (std::size_t width = 0; width < 40; ++width) {
    CHECK(columns_of(cut_middle("bulk-light-vehicle_ß15-11-2026.zip", width)) <= width);
  }
}

}  // namespace
}  // namespace vtmirror::report
