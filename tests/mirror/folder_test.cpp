#include "vtmirror/mirror/folder.hpp"

#include "support/numbered_bytes.hpp"
#include "support/temporary_directory.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/mirror/directory.hpp"

#include <doctest/doctest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

constexpr char listed[] = "v1/public/a.zip";

struct Places {
  Places() {
    fs::create_directories(folder);
    REQUIRE(mirror::open_directory({mirror.string()}).has_value());
    put("a.zip", "first bytes");
  }
  void put(const std::string& path, const std::string& bytes, fs::perms mode = fs::perms(0644)) const {
    fs::create_directories((folder / path).parent_path());
    std::ofstream(folder / path) << bytes;
    fs::permissions(folder / path, mode);
  }
  std::unique_ptr<ports::Folder> open() const {
    auto opened = mirror::open_folder(folder.string(), mirror.string());
    REQUIRE(opened.has_value());
    return std::move(*opened);
  }
  fs::path partial() const { return mirror / ".vtmirror/partial/v1%2Fpublic%2Fa.zip"; }

  TemporaryDirectory directory;
  fs::path mirror = directory.path() / "mirror";
  fs::path folder = directory.path() / "folder";
};

ino_t inode(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_ino;
}

bool go_on(std::int64_t) { return true; }

}  // namespace

TEST_CASE("all files of a folder are found, symlinks with the reason why they are not followed") {
  const Places places;
  places.put("deep/er/b.zip", "b");
  fs::create_symlink(places.folder / "a.zip", places.folder / "bulk-light-vehicle_15-11-2026.zip");
  fs::create_directory_symlink(places.directory.path(), places.folder / "out");
  const auto files = places.open()->files(go_on);
  REQUIRE(files.has_value());
  REQUIRE(files->size() == 4);
  CHECK((*files)[0].path == "a.zip");
  CHECK((*files)[0].size == 11);
  CHECK((*files)[0].obstacle.empty());
  CHECK((*files)[1].path == "bulk-light-vehicle_15-11-2026.zip");
  CHECK((*files)[1].obstacle == "it is a symlink, which is not followed");
  CHECK((*files)[2].path == "deep/er/b.zip");
  CHECK((*files)[3].path == "out");
}

TEST_CASE("what is no file, or has no name of the service, is not opened: nobody who waits for a reader notices") {
  const Places places;
  for (const std::string name : {"queue", "delta-light-vehicle_16-11-2026.zip"})
    REQUIRE(::mkfifo((places.folder / name).c_str(), 0600) == 0);
  places.put("notes.txt", "notes");
  const auto folder = places.open();
  const base::Descriptor opened(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  REQUIRE(::inotify_add_watch(opened.get(), places.folder.c_str(), IN_OPEN) >= 0);
  const auto files = folder->files(go_on);
  REQUIRE(files.has_value());
  REQUIRE(files->size() == 4);
  CHECK((*files)[1].path == "delta-light-vehicle_16-11-2026.zip");
  CHECK((*files)[1].obstacle == "it is not a regular file");
  alignas(inotify_event) std::array<char, 4096> events{};
  const auto length = ::read(opened.get(), events.data(), events.size());
  for (std::ptrdiff_t at = 0; at < length;) {
    const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
    CHECK((event->mask & IN_ISDIR) != 0);
    at += static_cast<std::ptrdiff_t>(sizeof(inotify_event) + event->len);
  }
  CHECK(length > 0);
}

TEST_CASE("the search of a folder stops when it is asked to") {
  const Places places;
  for (int i = 0; i < 10; ++i) places.put("d" + std::to_string(i) + "/b.zip", "b");
  int asked = 0;
  const auto files = places.open()->files([&](std::int64_t) { return ++asked < 4; });
  REQUIRE(files.has_error());
  CHECK(files.error().code == base::Errc::cancelled);
  CHECK(asked == 4);
}

TEST_CASE("a mirror that lies in the folder is left out") {
  Places places;
  places.folder = places.directory.path();
  fs::create_directories(places.mirror / "v1");
  std::ofstream(places.mirror / "v1/b.zip") << "b";
  const auto files = places.open()->files(go_on);
  REQUIRE(files.has_value());
  REQUIRE(files->size() == 1);
  CHECK((*files)[0].path == "folder/a.zip");
}

TEST_CASE("of another mirror in the folder, only the public files are found") {
  const Places places;
  places.put("old/v1/public/a.zip", "public");
  places.put("old/.vtmirror/next/warehouse/v1/public/a.zip", "a second name");
  places.put("old/.vtmirror/quarantine/v1/public/b.zip", "damaged");
  const auto files = places.open()->files(go_on);
  REQUIRE(files.has_value());
  REQUIRE(files->size() == 2);
  CHECK((*files)[0].path == "a.zip");
  CHECK((*files)[1].path == "old/v1/public/a.zip");
}

TEST_CASE("the mirror itself, a directory in it, a file and nothing are no folders to adopt") {
  const Places places;
  fs::create_directories(places.mirror / "v1/public");
  for (const auto& path :
       {places.mirror, places.mirror / "v1/public", places.folder / "a.zip", places.folder / "none"}) {
    const auto opened = mirror::open_folder(path.string(), places.mirror.string());
    CAPTURE(path.string());
    REQUIRE(opened.has_error());
    CHECK(opened.error().code == base::Errc::config);
  }
}

TEST_CASE("a file that only its owner may write is linked, and keeps its mode") {
  const Places places;
  for (const auto mode : {0644, 0444, 0755}) {
    fs::remove(places.partial());
    places.put("a.zip", "first bytes", fs::perms(0644));
    fs::permissions(places.folder / "a.zip", fs::perms(mode));
    const auto shared = places.open()->share("a.zip", listed, true);
    REQUIRE(shared.has_value());
    CHECK(*shared == core::AdoptedBy::link);
    CHECK(inode(places.partial()) == inode(places.folder / "a.zip"));
    CHECK(fs::status(places.folder / "a.zip").permissions() == fs::perms(mode));
  }
}

TEST_CASE("a file that others may write, or not everybody may read, and any file without permission is not linked") {
  const Places places;
  const auto never_linked = [&](bool may_link) {
    const auto shared = places.open()->share("a.zip", listed, may_link);
    REQUIRE(shared.has_value());
    CHECK(*shared != core::AdoptedBy::link);
    if (fs::exists(places.partial())) CHECK(inode(places.partial()) != inode(places.folder / "a.zip"));
    CHECK(fs::exists(places.partial()) == shared->has_value());
    fs::remove(places.partial());
  };
  never_linked(false);
  for (const auto mode : {0664, 0646, 0600, 0640}) {
    fs::permissions(places.folder / "a.zip", fs::perms(mode));
    never_linked(true);
  }
}

TEST_CASE("a copy has the file's bytes, and stops when it is asked to") {
  const Places places;
  const auto bytes = numbered_bytes(1, 0, 9'000'000);
  places.put("a.zip", bytes);
  const auto opened = mirror::open_directory({places.mirror.string()});
  REQUIRE(opened.has_value());
  const auto size = static_cast<std::int64_t>(bytes.size());
  auto partial = opened->partials->open({listed, size, 0});
  REQUIRE(partial.has_value());
  CHECK(places.open()->copy("a.zip", size, **partial, &go_on).has_value());
  CHECK(fs::file_size(places.partial()) == bytes.size());
  std::ifstream in(places.partial(), std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}) == bytes);
  const auto stopped = places.open()->copy("a.zip", size, **partial, [](std::int64_t done) { return done == 0; });
  REQUIRE(stopped.has_error());
  CHECK(stopped.error().code == base::Errc::cancelled);
  const auto longer = places.open()->copy("a.zip", size + 1, **partial, &go_on);
  REQUIRE(longer.has_error());
  CHECK(longer.error().code == base::Errc::integrity);
}
