// Names that would leave the mirror, and symlinks that somebody has planted in it.
#include "mirror/stored.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <atomic>
#include <thread>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;
namespace fs = std::filesystem;

namespace {

/// A mirror with a file outside it that must stay as it is.
struct Trap {
  Mirror mirror{TemporaryDirectory(TemporaryDirectory::base_in_memory())};
  fs::path outside = mirror.directory / "outside";
  Trap() { write_file(outside / "a.zip", "precious"); }

  void plant(const std::string& name, const fs::path& target) const {
    fs::create_directories((mirror / name).parent_path());
    fs::remove_all(mirror / name);
    fs::create_symlink(target, mirror / name);
  }
  bool untouched() const {
    const auto count = std::distance(fs::recursive_directory_iterator(outside), fs::recursive_directory_iterator());
    return count == 1 && read_file(outside / "a.zip") == "precious";
  }
};

/// Puts a symlink to the outside in a directory's place and the directory back again, as fast as it can.
class Swapper {
 public:
  Swapper(fs::path directory, const fs::path& target) : directory_(std::move(directory)) {
    other_ = directory_.parent_path() / ".swap";
    fs::create_symlink(target, other_);
    thread_ = std::thread([this] { run(); });
  }
  ~Swapper() {
    stop_ = true;
    thread_.join();
  }
  Swapper(const Swapper&) = delete;
  Swapper& operator=(const Swapper&) = delete;

 private:
  void run() const {
    while (!stop_)
      if (::renameat2(AT_FDCWD, directory_.c_str(), AT_FDCWD, other_.c_str(), RENAME_EXCHANGE) != 0)
        ::rename(other_.c_str(), directory_.c_str());
  }
  fs::path directory_;
  fs::path other_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace

TEST_CASE("a name that leaves the mirror or is ours is refused by every operation") {
  const Trap trap;
  auto& partials = *trap.mirror.partials;
  auto& shelf = *trap.mirror.shelf;
  for (const std::string name : {"", ".", "..", "/etc/a.zip", "../outside/a.zip", "v1/../../outside/a.zip", "v1//a.zip",
                                 "v1/./a.zip", "v1/a.zip/", ".vtmirror/lock", ".vtmirror", "manifest.json",
                                 "SHA256SUMS", "current", "current/01-a.zip", "v1/a\nb.zip", "v1\\a.zip"}) {
    CAPTURE(name);
    CHECK(partials.open({name, 1, 0}).has_error());
    CHECK(partials.drop(name).has_error());
    CHECK(check_partial(partials, name, 8, {}).has_error());
    CHECK(shelf.check(name, 8, {}, {}).has_error());
    CHECK(partials.clear(name).has_error());
    CHECK(shelf.accepts(name).has_error());
    CHECK(shelf.stage({.name = name}, {}).has_error());
    CHECK(shelf.publish({.name = name}).has_error());
    CHECK(partials.quarantine(name, "x").has_error());
    CHECK(shelf.remove(name).has_error());
    CHECK(shelf.hold({.name = name}).has_error());
  }
  CHECK(trap.untouched());
  CHECK(is_there(trap.mirror / ".vtmirror/partial"));
}

TEST_CASE("a directory that has become a symlink is never entered, at any depth") {
  const std::string name = "v1/public/a.zip";
  for (const std::string planted : {"v1", "v1/public"}) {
    CAPTURE(planted);
    const Trap trap;
    REQUIRE(trap.mirror.fetch(name, "new").has_value());
    trap.plant(planted, trap.outside);
    fs::create_directories(trap.outside / "public");
    CHECK(failed_with(trap.mirror.publish(name), Errc::io));
    CHECK(failed_with(trap.mirror.shelf->check(name, 8, {}, {}), Errc::io));
    CHECK(failed_with(trap.mirror.shelf->remove(name), Errc::io));
    CHECK(trap.mirror.shelf->files()->empty());
    fs::remove(trap.outside / "public");
    CHECK(trap.untouched());
  }
}

TEST_CASE("a file that could not be published for what stands in its way is refused before it is downloaded") {
  const Trap trap;
  trap.plant("v1/public", trap.outside);
  fs::create_directories(trap.mirror / "v2/a.zip");
  write_file(trap.mirror / "v3", "a file");
  for (const std::string name : {"v1/public/a.zip", "v1/public/deeper/a.zip", "v2/a.zip", "v3/a.zip"}) {
    CAPTURE(name);
    CHECK(failed_with(trap.mirror.shelf->accepts(name), Errc::io));
  }
  CHECK(trap.mirror.shelf->accepts("v1/a.zip").has_value());
  CHECK(trap.untouched());
}

TEST_CASE("what stands in the place of a public file, or of a directory above it, is named as the reason") {
  const Trap trap;
  fs::create_directories(trap.mirror / "v1/a.zip");
  write_file(trap.mirror / "v1/public", "a file");
  const auto in_place = trap.mirror.shelf->accepts("v1/a.zip"), above = trap.mirror.shelf->accepts("v1/public/a.zip");
  REQUIRE(failed_with(in_place, Errc::io));
  REQUIRE(failed_with(above, Errc::io));
  CHECK(in_place.error().detail == "v1/a.zip: a directory is in its place");
  CHECK(above.error().detail == "v1/public is not a directory");
  for (const auto* failed : {&in_place, &above}) CHECK(failed->error().diagnosis == base::Diagnosis::obstructed_file);
}

TEST_CASE("a symlink in a public file's place is replaced or removed itself, and what it names stays") {
  const Trap trap;
  trap.plant("v1/a.zip", trap.outside / "a.zip");
  CHECK(trap.mirror.shelf->files()->empty());
  CHECK(failed_with(trap.mirror.shelf->check("v1/a.zip", 8, {}, {}), Errc::io));
  CHECK(trap.mirror.fetch_and_publish("v1/a.zip", "new").has_value());
  CHECK_FALSE(is_link(trap.mirror / "v1/a.zip"));
  trap.plant("v1/a.zip", trap.outside / "a.zip");
  CHECK(trap.mirror.shelf->remove("v1/a.zip").has_value());
  CHECK_FALSE(is_there(trap.mirror / "v1"));
  CHECK(trap.untouched());
}

TEST_CASE("a symlink in an unfinished file's place is not written through, nor published") {
  const Trap trap;
  trap.plant(".vtmirror/partial/v1%2Fa.zip", trap.outside / "a.zip");
  CHECK(trap.mirror.partials->files()->empty());
  CHECK(failed_with(trap.mirror.partials->open({"v1/a.zip", 4, 4}), Errc::io));
  CHECK(failed_with(check_partial(*trap.mirror.partials, "v1/a.zip", 8, {}), Errc::io));
  CHECK(failed_with(trap.mirror.publish("v1/a.zip"), Errc::io));
  CHECK(trap.mirror.fetch("v1/a.zip", "mine").has_value());
  CHECK_FALSE(is_link(trap.mirror / ".vtmirror/partial/v1%2Fa.zip"));
  CHECK(trap.untouched());
}

TEST_CASE("symlinks in the places of our own files are replaced and not followed") {
  const Trap trap;
  for (const std::string ours : {"manifest.json", "SHA256SUMS", ".vtmirror/published", ".vtmirror/text.new"})
    trap.plant(ours, trap.outside / "a.zip");
  trap.plant("current", trap.outside);
  trap.plant(".vtmirror/current.new", trap.outside);
  CHECK(trap.mirror.shelf->generation().value() == std::nullopt);
  REQUIRE(trap.mirror.shelf->write_manifest({.edition = {"s", 3}}, {{.name = bulk_name, .sha256 = "ab"}}).has_value());
  CHECK(trap.mirror.shelf->generation().value() == 3);
  CHECK_FALSE(is_link(trap.mirror / "manifest.json"));
  CHECK(trap.untouched());
}

TEST_CASE("what readers of an older manifest need is neither taken from a symlink nor written through one") {
  const Trap trap;
  fs::create_directories(trap.mirror / "v1");
  trap.plant("v1/a.zip", trap.outside / "a.zip");
  CHECK(trap.mirror.shelf->hold({.name = "v1/a.zip", .size = 8, .sha256 = "ab"}).value());
  CHECK_FALSE(is_there(trap.mirror / ".vtmirror/held"));
  REQUIRE(trap.mirror.fetch_and_publish("v1/b.zip", "mine").has_value());
  trap.plant(".vtmirror/held", trap.outside);
  trap.plant(".vtmirror/superseded", trap.outside / "a.zip");
  CHECK(failed_with(trap.mirror.shelf->hold({.name = "v1/b.zip", .size = 4, .sha256 = "ab"}), Errc::io));
  static_cast<void>(trap.mirror.shelf->release(at_eight()).has_value());
  static_cast<void>(trap.mirror.shelf->release(at_eight() + std::chrono::hours(48)).has_value());
  CHECK(read_file(trap.mirror / "v1/b.zip") == "mine");
  CHECK(trap.untouched());
}

TEST_CASE("a symlink in the place of our own directory is refused") {
  const Trap trap;
  trap.plant(".vtmirror/quarantine", trap.outside);
  REQUIRE(trap.mirror.fetch("v1/a.zip", "bad").has_value());
  CHECK(failed_with(trap.mirror.partials->quarantine("v1/a.zip", "why"), Errc::io));
  trap.plant(".vtmirror", trap.outside);
  const std::string root = trap.mirror.root().string();
  CHECK(failed_with(mirror::open_directory({.directory = root}), Errc::io));
  CHECK(failed_with(mirror::acquire_lock(root, mirror::Holder::run, at_eight()), Errc::io));
  CHECK(trap.untouched());
}

TEST_CASE("a FIFO in a file's place is refused and does not keep anybody waiting") {
  const Mirror mirror;
  fs::create_directories(mirror / "v1");
  REQUIRE(::mkfifo((mirror / "v1/a.zip").c_str(), 0600) == 0);
  REQUIRE(::mkfifo((mirror / ".vtmirror/partial/v1%2Fa.zip").c_str(), 0600) == 0);
  CHECK(failed_with(mirror.shelf->check("v1/a.zip", 0, {}, {}), Errc::io));
  CHECK(failed_with(mirror.partials->open({"v1/a.zip", 1, 1}), Errc::io));
  CHECK(failed_with(mirror.publish("v1/a.zip"), Errc::io));
  CHECK(mirror.shelf->files()->empty());
}

TEST_CASE("a directory that is swapped for a symlink at every moment leads nobody outside") {
  const Trap trap;
  fs::create_directories(trap.mirror / "v1");
  const Swapper swapper(trap.mirror / "v1", trap.outside);
  int published = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "v1/d" + std::to_string(i) + "/a.zip";
    // What stands in the way when it begins is another case's: here the publication is to meet it.
    while (!trap.mirror.shelf->accepts(name)) continue;
    REQUIRE(trap.mirror.fetch(name, "new").has_value());
    if (trap.mirror.publish(name).has_value()) ++published;
    static_cast<void>(trap.mirror.shelf->remove("v1/a.zip").has_value());
  }
  MESSAGE(published << " of 300 published");
  CHECK(trap.untouched());
}
