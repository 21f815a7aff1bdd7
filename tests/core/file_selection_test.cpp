#include "vtmirror/core/file_selection.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::core;

namespace {

using Words = std::vector<std::string>;
using Names = std::vector<std::string>;

FileRecord record(Kind kind, const std::string& day, const std::string& name) {
  FileRecord file;
  file.kind = kind;
  file.name = name;
  file.date = base::parse_date(day).value();
  return file;
}

const std::string old_bulk = "v1/public/bulk/year=2026/month=11/day=8/bulk-light-vehicle_08-11-2026.zip";
const std::string new_bulk = "v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip";
const std::string delta_15 = "v1/public/delta/year=2026/month=11/day=15/delta-light-vehicle_15-11-2026.zip";
const std::string delta_16 = "v1/public/delta/year=2026/month=11/day=16/delta-light-vehicle_16-11-2026.zip";

std::vector<FileRecord> held() {
  return {record(Kind::bulk, "2026-11-15", new_bulk), record(Kind::bulk, "2026-11-08", old_bulk),
          record(Kind::delta, "2026-11-15", delta_15), record(Kind::delta, "2026-11-16", delta_16)};
}

Names names_of(const FileSelection& selection) {
  Names names;
  for (const auto& file : selection.files) names.push_back(file.name);
  return names;
}

Names selected(const Words& words) {
  const auto selection = select_files(held(), words);
  CHECK(selection.unmatched.empty());
  return names_of(selection);
}

UnmatchedWord unmatched(const std::string& word, const std::vector<FileRecord>& files = held()) {
  const auto selection = select_files(files, Words{word});
  CHECK(selection.files.empty());
  REQUIRE(selection.unmatched.size() == 1);
  CHECK(selection.unmatched[0].word == word);
  return selection.unmatched[0];
}

}  // namespace

TEST_CASE("a file is selected by its whole name, by the last part of it, and by what messages call it") {
  for (const std::string& word : {delta_16, std::string("delta-light-vehicle_16-11-2026.zip"),
                                  std::string("delta 16 Nov"), std::string("2026-11-16")}) {
    CAPTURE(word);
    CHECK(selected({word}) == Names{delta_16});
  }
  CHECK(selected({"bulk 8 Nov"}) == Names{old_bulk});
}

TEST_CASE("bulk is the newest bulk file, in whatever order the files are") {
  CHECK(selected({"bulk"}) == Names{new_bulk});
  auto files = held();
  std::reverse(files.begin(), files.end());
  CHECK(names_of(select_files(files, Words{"bulk"})) == Names{new_bulk});
}

TEST_CASE("a day is that day's delta, also where a bulk file has the same day") {
  CHECK(selected({"2026-11-15"}) == Names{delta_15});
}

TEST_CASE("files come in the order of the words, and one that is named twice comes once") {
  CHECK(selected({"2026-11-16", "bulk", delta_16, "2026-11-15"}) == Names{delta_16, new_bulk, delta_15});
}

TEST_CASE("without words all files are selected, as they come") {
  CHECK(selected({}) == Names{new_bulk, old_bulk, delta_15, delta_16});
}

TEST_CASE("a file that is lost or damaged is selected too") {
  auto files = held();
  files[3].condition = Condition::lost;
  const auto selection = select_files(files, Words{"2026-11-16"});
  REQUIRE(names_of(selection) == Names{delta_16});
  CHECK(selection.files[0].condition == Condition::lost);
}

TEST_CASE("each word that names no file is reported with what is like it, and the other words still count") {
  const auto selection = select_files(held(), Words{"blk", "bulk", "delta-light-vehicle_17-11-2026.zip", "?!"});
  CHECK(names_of(selection) == Names{new_bulk});
  REQUIRE(selection.unmatched.size() == 3);
  CHECK(selection.unmatched[0] == UnmatchedWord{.word = "blk", .near = "bulk"});
  CHECK(selection.unmatched[1].near == "delta-light-vehicle_15-11-2026.zip");
  CHECK(selection.unmatched[2] == UnmatchedWord{.word = "?!"});
}

TEST_CASE("for a day without a delta, the bulk file of that day is suggested, or the nearest day that has one") {
  CHECK(unmatched("2026-11-08").near == "bulk-light-vehicle_08-11-2026.zip");
  CHECK(unmatched("2026-12-24").near == "2026-11-16");
  CHECK(unmatched("2026-11-16", {}).near.empty());
  CHECK(unmatched("bulk", {}).near.empty());
}

TEST_CASE("a day in another form is suggested in the form that counts") {
  CHECK(unmatched("16-11-2026").near == "2026-11-16");
  CHECK(unmatched("16 Nov").near == "2026-11-16");
}

TEST_CASE("a word that could mean several files selects none of them") {
  const std::vector<FileRecord> files{
      record(Kind::delta, "2026-11-16", "v1/a/x.zip"), record(Kind::delta, "2026-11-16", "v1/b/x.zip"),
      record(Kind::bulk, "2026-11-15", "v1/b/1.zip"), record(Kind::bulk, "2026-11-15", "v1/b/2.zip")};
  const Names both{"v1/a/x.zip", "v1/b/x.zip"};
  CHECK(unmatched("x.zip", files).several == both);
  CHECK(unmatched("2026-11-16", files).several == both);
  CHECK(unmatched("bulk", files).several == Names{"v1/b/1.zip", "v1/b/2.zip"});
  CHECK(select_files(files, Words{"v1/a/x.zip"}).unmatched.empty());
}

TEST_CASE("a whole name counts before every other meaning") {
  const std::vector<FileRecord> files{record(Kind::delta, "2026-11-16", "bulk"),
                                      record(Kind::bulk, "2026-11-15", "v1/b.zip"),
                                      record(Kind::delta, "2026-11-17", "v1/bulk")};
  CHECK(names_of(select_files(files, Words{"bulk"})) == Names{"bulk"});
}

TEST_CASE("the sentence about a word says what to give instead, and no control character of it reaches a terminal") {
  CHECK(sentence({.word = "blk", .near = "bulk"}) == "the mirror holds no file that is called blk; did you mean bulk?");
  CHECK(sentence({.word = "?"}) == "the mirror holds no file that is called ?");
  CHECK(sentence({.word = "x.zip", .several = {"v1/a/x.zip", "v1/b/x.zip"}}) ==
        "x.zip could be any of several files; give the whole name of one:\n  v1/a/x.zip\n  v1/b/x.zip");
  CHECK(sentence({.word = "a\x1b[2J"}).find('\x1b') == std::string::npos);
}

TEST_CASE("words that all name a file give the files; otherwise each wrong word is named, and where the names are") {
  const std::vector<FileRecord> files{record(Kind::bulk, "2026-11-15", "v1/b.zip"),
                                      record(Kind::delta, "2026-11-17", "v1/d.zip")};
  const auto both = selected_files(files, Words{"2026-11-17", "bulk"});
  REQUIRE(both.has_value());
  CHECK(names_of({.files = *both}) == Names{"v1/d.zip", "v1/b.zip"});
  const auto wrong = selected_files(files, Words{"blk", "bulk", "?"});
  REQUIRE(wrong.has_error());
  CHECK(wrong.error().code == base::Errc::config);
  CHECK(wrong.error().detail ==
        "the mirror holds no file that is called blk; did you mean bulk?\n"
        "the mirror holds no file that is called ?\nsee `vtmirror files`");
}
