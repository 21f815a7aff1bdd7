// This program's own rename stands before the C library's, and may meet a full disk.
#include "vtmirror/catalogue/rescue.hpp"
#include "catalogue/made.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>

namespace {

/// Of a rename to a name that ends so; 0 for none.
std::atomic<int> rename_error{0};
std::atomic<const char*> refused_end{""};

}  // namespace

extern "C" int rename(const char* from, const char* to) noexcept {
  if (rename_error != 0 && std::string_view(to).ends_with(refused_end.load())) {
    errno = rename_error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace vtmirror::test {
namespace {

namespace fs = std::filesystem;

struct Place {
  TemporaryDirectory directory{TemporaryDirectory::base_in_memory()};
  std::string path = (directory / "catalogue.db").string();

  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& each : fs::directory_iterator(directory.path())) names.insert(each.path().filename().string());
    return names;
  }
  void damage(std::int64_t from, std::int64_t length) const {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(from);
    for (std::int64_t n = 0; n < length; ++n) file.put(static_cast<char>(n * 37 + 11));
  }
  /// All of it in the database itself: what lies in the -wal alone hides the damage below.
  void fill() const {
    {
      auto catalogue = opened(path);
      for (int n = 0; n < 300; ++n) {
        auto edition = file(n % 20);
        edition.sha256 += "-" + std::to_string(n);
        REQUIRE(catalogue.publish(edition));
      }
    }
    fs::remove(path + "-wal");
    fs::remove(path + "-shm");
  }
};

TEST_CASE("a catalogue goes aside with all that belongs to it, under the time of the day") {
  const Place place;
  for (const auto* end : {"", "-wal", "-shm"}) write_file(place.path + end, std::string("bytes") + end);
  const auto moved = catalogue::move_aside(place.path, at(0));
  REQUIRE(moved);
  CHECK(*moved == place.path + ".broken-20261118T000000Z");
  CHECK(place.names() == std::set<std::string>{"catalogue.db.broken-20261118T000000Z",
                                               "catalogue.db.broken-20261118T000000Z-shm",
                                               "catalogue.db.broken-20261118T000000Z-wal"});
  CHECK(read_file(*moved + "-wal") == "bytes-wal");
  CHECK(catalogue::moved_aside(place.path) == *moved);
}

TEST_CASE("the files of a catalogue are those that go aside with it") {
  const Place place;
  for (const auto& path : catalogue::files_of(place.path)) write_file(path, "bytes");
  CHECK(place.names().size() == 3);
  REQUIRE(catalogue::move_aside(place.path, at(0)));
  for (const auto& path : catalogue::files_of(place.path)) CHECK_FALSE(fs::exists(path));
  CHECK(place.names().size() == 3);
}

TEST_CASE("a file that was moved aside is never overwritten") {
  const Place place;
  std::set<std::string> moved;
  for (int n = 0; n < 12; ++n) {
    write_file(place.path, std::to_string(n));
    moved.insert(catalogue::move_aside(place.path, at(0)).value());
  }
  CHECK(moved.size() == 12);
  CHECK(place.names().size() == 12);
}

TEST_CASE("a move that was cut behind the database is finished, and a journal without a database is never dropped") {
  const Place place;
  write_file(place.path, "database");
  const auto moved = catalogue::move_aside(place.path, at(0)).value();
  write_file(place.path + "-wal", "journal");
  REQUIRE(catalogue::finish_move_aside(place.path, at(1)));
  CHECK(read_file(moved + "-wal") == "journal");
  write_file(place.path + "-wal", "another");
  REQUIRE(catalogue::finish_move_aside(place.path, at(1)));
  CHECK(read_file(moved + "-wal") == "journal");
  CHECK(read_file(place.path + ".broken-20261118T000100Z-wal") == "another");
  CHECK_FALSE(fs::exists(place.path + "-wal"));
}

TEST_CASE("a catalogue that cannot be looked for is not taken for one that is not there") {
  const Place place;
  const auto loop = place.directory / "loop";
  fs::create_symlink(loop, loop);
  const auto finished = catalogue::finish_move_aside((loop / "catalogue.db").string(), at(0));
  REQUIRE_FALSE(finished);
  CHECK(finished.error().code == base::Errc::io);
}

TEST_CASE("the journal of a catalogue that is there stays with it") {
  const Place place;
  write_file(place.path, "database");
  write_file(place.path + "-wal", "journal");
  REQUIRE(catalogue::finish_move_aside(place.path, at(0)));
  CHECK(fs::exists(place.path + "-wal"));
  CHECK_FALSE(catalogue::moved_aside(place.path));
}

TEST_CASE("a full disk on which a catalogue cannot be moved aside is full, and any other failure is the disk's") {
  for (const int number : {ENOSPC, EDQUOT, EIO}) {
    const auto code = number == EIO ? base::Errc::io : base::Errc::no_space;
    CAPTURE(number);
    for (const char* end : {"Z", "-wal"}) {
      CAPTURE(end);
      const Place place;
      for (const auto* beside : {"", "-wal"}) write_file(place.path + beside, "bytes");
      refused_end = end;
      rename_error = number;
      const auto moved = catalogue::move_aside(place.path, at(0));
      rename_error = 0;
      REQUIRE_FALSE(moved);
      CHECK(moved.error().code == code);
      CHECK(moved.error().detail.find(" cannot be moved aside: ") != std::string::npos);
    }
  }
}

TEST_CASE("a file of another program, and anything that is not a file, stay where they are") {
  const Place place;
  const auto other = (place.directory / "passwords").string();
  write_file(other, "root:x:0:0");
  const auto refused = catalogue::move_aside(other, at(0));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::Errc::catalogue);
  fs::create_directory(place.path);
  CHECK(catalogue::move_aside(place.path, at(0)).error().code == base::Errc::io);
  CHECK(place.names() == std::set<std::string>{"passwords", "catalogue.db"});
}

TEST_CASE("damage anywhere in the file is found when it is opened, and reported as damage") {
  const Place whole;
  whole.fill();
  const auto size = static_cast<std::int64_t>(fs::file_size(whole.path));
  const auto is_found = [&](const std::function<void(const Place&)>& damage) {
    const Place place;
    fs::copy_file(whole.path, place.path);
    damage(place);
    const auto opened = catalogue::Catalogue::open(place.path, catalogue::Access::read_write);
    return !opened && opened.error().code == base::Errc::catalogue_damaged;
  };
  CHECK(is_found([](const Place& place) { place.damage(0, 16); }));
  CHECK(is_found([](const Place& place) { place.damage(100, 3000); }));
  CHECK(is_found([](const Place& place) { write_file(place.path, "no database at all, but a text\n"); }));
  for (const auto part : {4, 2}) {
    CAPTURE(part);
    CHECK(is_found([&](const Place& place) { fs::resize_file(place.path, static_cast<std::uintmax_t>(size / part)); }));
  }
  CHECK(is_found([&](const Place& place) { place.damage(4096, size - 4096); }));
}

TEST_CASE("damage that shows at work is remembered") {
  const Place place;
  place.fill();
  auto catalogue = opened(place.path, catalogue::Access::read_only);
  CHECK_FALSE(catalogue.damage());
  place.damage(4096, static_cast<std::int64_t>(fs::file_size(place.path)) - 4096);
  CHECK_FALSE(catalogue.files());
  REQUIRE(catalogue.damage());
  CHECK(catalogue.damage()->code == base::Errc::catalogue_damaged);
}

TEST_CASE("other refusals do not count as damage") {
  auto catalogue = opened(":memory:");
  CHECK_FALSE(catalogue.finish_cycle(finished(7, 1)));
  CHECK_FALSE(catalogue.damage());
}

}  // namespace
}  // namespace vtmirror::test
