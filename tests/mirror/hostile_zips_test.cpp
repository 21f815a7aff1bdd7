// Hostile and unusual ZIPs: what the check says of each, how much work and memory that may take, and what other
// programs say of the same files.
#include "support/hostile_zips.hpp"

#include "mirror/followed.hpp"
#include "mirror/measured.hpp"
#include "mirror/member_reader.hpp"
#include "mirror/stored.hpp"
#include "support/sanitizer.hpp"
#include "support/skip.hpp"

#include <sys/wait.h>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

namespace {

constexpr ports::CheckRules zip_only{.zip = true, .digest = false};

std::string verdict_of(const base::Result<void>& checked) { return checked ? "" : checked.error().detail; }
std::string expected(const HostileZip& zip) { return zip.reason.empty() ? "" : "a.zip: " + zip.reason; }

struct Tool {
  const char* name;
  const char* test;  ///< for a shell: exit status 0 if it reads the whole ZIP "$1"
};
constexpr Tool tools[] = {
    {"unzip", "unzip -tqq \"$1\""},
    {"bsdtar", "bsdtar -xOf \"$1\""},
    {"7z", "7z t -pnone \"$1\""},
    {"python3",
     "python3 -c 'import sys, zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).testzip() is not None)' \"$1\""},
};

bool is_installed(const Tool& tool) {
  return std::system(("command -v " + std::string(tool.name) + " > /dev/null 2>&1").c_str()) == 0;
}

const char* verdict_of(const Tool& tool, const std::string& path) {
  const auto command = "set -- '" + path + "'; timeout 60 " + tool.test + " > /dev/null 2>&1 < /dev/null";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "good" : "bad";
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text + "  ";
}

}  // namespace

TEST_CASE("each hostile ZIP is refused with its own reason, and each harmless one is accepted") {
  CHECK(hostile_zips().size() >= 70);
  for (const auto& zip : hostile_zips()) {
    CAPTURE(zip.what);
    CHECK(verdict_of(check_whole(zip.bytes)) == expected(zip));
  }
}

TEST_CASE("a hostile ZIP has the same verdict when it is checked while it arrives") {
  for (const auto& zip : hostile_zips()) {
    CAPTURE(zip.what);
    const auto checked = check_arrival(zip.bytes, zip_only);
    CHECK((checked ? "" : checked.error().detail) == expected(zip));
  }
}

TEST_CASE("the work on a hostile ZIP is bounded by its size, and a stop ends it at the next question") {
  double most_read = 0;
  std::chrono::nanoseconds longest{};
  for (const auto& zip : hostile_zips()) {
    CAPTURE(zip.what);
    const auto size = static_cast<std::int64_t>(zip.bytes.size());
    std::int64_t asked = 0, stopped = 0;
    BetweenQuestions between;
    const auto read_before = bytes_read();
    mirror::ArrivalCheck whole(file_of(zip.bytes), "a.zip", size, zip_only);
    const auto checked = whole.finish([&](std::int64_t) {
      between.ask();
      return ++asked > 0;
    });
    CHECK(checked.has_value() == zip.reason.empty());
    const auto read_after = bytes_read();
    // The Watch is asked once in 4 MiB of work. Both passes together inflate at most twice what is allowed.
    const auto allowed = static_cast<std::int64_t>(mirror::most_inflated(zip.bytes.size()));
    CHECK(asked <= 2 * (allowed + 2 * size) / (4 << 20) + 2);
    CHECK(between.longest() < std::chrono::seconds(sanitized ? 10 : 1));
    REQUIRE(read_before);
    CHECK(*read_after - *read_before <= 4 * size + (1 << 20));
    if (size > 0)
      most_read = std::max(most_read, static_cast<double>(*read_after - *read_before) / static_cast<double>(size));
    longest = std::max(longest, between.longest());
    mirror::ArrivalCheck check(file_of(zip.bytes), "a.zip", size, zip_only);
    const auto ended = check.finish([&](std::int64_t) { return ++stopped < 0; });
    CHECK(stopped <= 1);
    if (stopped == 1) CHECK(failed_with(ended, Errc::cancelled));
  }
  MESSAGE("read at most " << most_read << " times its size; at most "
                          << std::chrono::duration_cast<std::chrono::milliseconds>(longest).count()
                          << " ms of work between two questions");
}

TEST_CASE("a check is asked whether to stop by what it reads, however little comes out") {
  const auto zip = hostile::much_for_little(900);
  const auto size = static_cast<std::int64_t>(zip.size());
  int asked = 0;
  mirror::ArrivalCheck whole(file_of(zip), "a.zip", size, zip_only);
  CHECK(whole.finish([&](std::int64_t) { return ++asked > 0; }).has_value());
  CHECK(asked > size / (4 << 20));
  for (int last = 1; last < asked; ++last) {
    int answers = 0;
    mirror::ArrivalCheck check(file_of(zip), "a.zip", size, zip_only);
    CHECK(failed_with(check.finish([&](std::int64_t) { return ++answers < last; }), Errc::cancelled));
    CHECK(answers == last);
  }
}

TEST_CASE("the comparison of very many long names can be stopped") {
  RawZip many;
  const auto tail = std::string(2000, 'n');
  for (int i = 0; i < 2000; ++i) many.members.push_back({.name = std::to_string(i * 7919 % 2000) + tail});
  many.members.front().gap = "a gap";  // so that it needs a closer look
  const auto zip = written(many);
  std::int64_t asked = 0;
  mirror::ArrivalCheck whole(file_of(zip), "a.zip", std::ssize(zip), zip_only);
  CHECK(whole.finish([&](std::int64_t) { return ++asked > 0; }).has_value());
  CHECK(asked >= 15);  // to read it all takes 4
  for (const std::int64_t last : {std::int64_t{1}, asked / 2, asked - 1}) {
    std::int64_t answers = 0;
    mirror::ArrivalCheck check(file_of(zip), "a.zip", std::ssize(zip), zip_only);
    CHECK(failed_with(check.finish([&](std::int64_t) { return ++answers < last; }), Errc::cancelled));
    CHECK(answers == last);
  }
}

TEST_CASE("a ZIP with very many members is refused in little memory") {
  const auto& all = hostile_zips();
  const auto many = std::find_if(all.begin(), all.end(),
                                 [](const HostileZip& zip) { return zip.what == "a bomb by its number of members"; });
  REQUIRE(many != all.end());
  if (sanitized) return skip("a sanitizer's own records grow with what a program touches");
  const auto added = added_memory([&] {
    if (!check_whole(many->bytes).has_error()) ::_exit(1);
  });
  REQUIRE(added);
  MESSAGE(*added << " KiB");
  CHECK(*added <= long{8} * 1024);
}

TEST_CASE("the verdicts of other programs stand beside ours, in a table") {
  std::vector<Tool> installed;
  std::string head = padded("ZIP", 52) + padded("vtmirror", 8), missing;
  for (const auto& tool : tools) {
    if (!is_installed(tool)) {
      missing += std::string(" ") + tool.name;
      continue;
    }
    installed.push_back(tool);
    head += padded(tool.name, 7);
  }
  if (installed.empty()) return skip("none of unzip, bsdtar, 7z and python3 is installed");
  const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
  const auto path = (directory / "a.zip").string();
  std::string table = head + "reason\n";
  std::size_t refused_by_all = 0;
  for (const auto& zip : hostile_zips()) {
    write_file(path, zip.bytes);
    const bool good = check_whole(zip.bytes).has_value();
    table += padded(zip.what, 52) + padded(good ? "good" : "bad", 8);
    bool somebody_reads_it = false;
    for (const auto& tool : installed) {
      const std::string verdict = verdict_of(tool, path);
      somebody_reads_it = somebody_reads_it || verdict == "good";
      table += padded(verdict, 7);
    }
    table += zip.reason + '\n';
    if (!somebody_reads_it) ++refused_by_all;
    if (good) CHECK_MESSAGE(somebody_reads_it, zip.what);
  }
  CHECK(refused_by_all > 0);
  if (!missing.empty()) table += "not installed:" + missing + '\n';
  MESSAGE(table);
}
