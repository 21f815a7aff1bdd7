#include "wiring/reserve.hpp"

#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>

using namespace vtmirror;
using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t whole = 1 << 20;

/// Bytes that the file occupies.
std::int64_t allocated(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? std::int64_t{found.st_blocks} * 512 : -1;
}

}  // namespace

TEST_CASE("room is kept beside the catalogue, given back in parts, and taken again") {
  const TemporaryDirectory directory;
  const auto file = directory / "catalogue.db.reserve";
  const wiring::Reserve reserve((directory / "catalogue.db").string());
  CHECK_FALSE(reserve.release());
  REQUIRE(reserve.keep());
  CHECK(allocated(file) >= whole);
  CHECK((fs::status(file).permissions() & fs::perms::mask) == (fs::perms::owner_read | fs::perms::owner_write));
  int parts = 0;
  for (auto before = allocated(file); reserve.release(); before = allocated(file)) {
    ++parts;
    REQUIRE(allocated(file) < before);
  }
  CHECK(parts == 4);
  CHECK(reserve.keep());
  CHECK(allocated(file) >= whole);
  CHECK(fs::file_size(file) == static_cast<std::uintmax_t>(whole));
}

TEST_CASE("what is spared while the daemon runs leaves half of the room to the next start") {
  const TemporaryDirectory directory;
  const auto file = directory / "catalogue.db.reserve";
  const wiring::Reserve reserve((directory / "catalogue.db").string());
  CHECK_FALSE(reserve.spare());
  REQUIRE(reserve.keep());
  int parts = 0;
  while (reserve.spare()) ++parts;
  CHECK(parts == 2);
  CHECK(allocated(file) >= whole / 2);
  CHECK(reserve.release());
  CHECK(reserve.keep());
  CHECK(reserve.spare());
}

TEST_CASE("the room is kept where the catalogue is to which a symlink leads") {
  const TemporaryDirectory directory;
  fs::create_directories(directory / "elsewhere");
  write_file(directory / "elsewhere/real.db", "");
  fs::create_symlink(directory / "elsewhere/real.db", directory / "catalogue.db");
  CHECK(wiring::Reserve((directory / "catalogue.db").string()).keep());
  CHECK(fs::exists(directory / "elsewhere/real.db.reserve"));
}

TEST_CASE("something foreign in the place of the reserve is left alone") {
  const TemporaryDirectory directory;
  write_file(directory / "theirs", "theirs");
  fs::create_symlink(directory / "theirs", directory / "catalogue.db.reserve");
  const wiring::Reserve reserve((directory / "catalogue.db").string());
  CHECK_FALSE(reserve.release());
  CHECK_FALSE(reserve.keep());
  CHECK(read_file(directory / "theirs") == "theirs");
}
