#include "mirror/stored.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

TEST_CASE("a published file has exactly the listed path, is everybody's to read, and leaves no unfinished one") {
  const mode_t before = ::umask(077);
  const Mirror mirror;
  const auto published = mirror.fetch_and_publish(bulk_name, "whole");
  ::umask(before);
  REQUIRE(published.has_value());
  CHECK(read_file(mirror / bulk_name) == "whole");
  CHECK(mode_of(mirror / bulk_name) == 0644);
  for (auto at = (mirror / bulk_name).parent_path(); at != mirror.directory.path(); at = at.parent_path())
    CHECK(mode_of(at) == 0755);
  CHECK(mirror.storage->partial_files()->empty());
}

TEST_CASE("a file replaced upstream takes the name over, and who reads the old one reads it to its end") {
  const Mirror mirror;
  REQUIRE(mirror.fetch_and_publish(delta_name, "old").has_value());
  std::ifstream reader(mirror / delta_name, std::ios::binary);
  REQUIRE(mirror.fetch_and_publish(delta_name, "newer").has_value());
  std::string text;
  reader >> text;
  CHECK(text == "old");
  CHECK(read_file(mirror / delta_name) == "newer");
}

TEST_CASE("nothing is public before it is published, and what was never fetched cannot be") {
  const Mirror mirror;
  REQUIRE(mirror.fetch(delta_name, "whole").has_value());
  CHECK(mirror.storage->public_files()->empty());
  CHECK(failed_with(mirror.storage->publish(bulk_name), Errc::io));
  CHECK_FALSE(is_there(mirror / "v1"));
}

TEST_CASE("the public files are listed by name with their sizes, without anything of ours") {
  const Mirror mirror;
  REQUIRE(mirror.fetch_and_publish(delta_name, "12345").has_value());
  REQUIRE(mirror.fetch_and_publish(bulk_name, "1234567").has_value());
  REQUIRE(mirror.fetch("v1/unfinished.zip", "1").has_value());
  REQUIRE(mirror.storage->write_manifest({.generation = 1}, {{.name = bulk_name, .sha256 = "ab"}}).has_value());
  write_file(mirror / "lost+found/x", "");
  const auto files = mirror.storage->public_files();
  REQUIRE(files.has_value());
  REQUIRE(files->size() == 2);
  CHECK((*files)[0].name == bulk_name);
  CHECK((*files)[0].size == 7);
  CHECK((*files)[1].name == delta_name);
}

TEST_CASE("a removed file takes the directories with it that become empty, and no others") {
  const Mirror mirror;
  REQUIRE(mirror.fetch_and_publish(bulk_name, "1").has_value());
  REQUIRE(mirror.fetch_and_publish(delta_name, "1").has_value());
  REQUIRE(mirror.storage->remove_public(delta_name).has_value());
  CHECK_FALSE(is_there(mirror / "v1/public/delta"));
  CHECK(is_there(mirror / bulk_name));
  CHECK(mirror.storage->remove_public(delta_name).has_value());
  REQUIRE(mirror.storage->remove_public(bulk_name).has_value());
  CHECK_FALSE(is_there(mirror / "v1"));
  CHECK(is_there(mirror.root()));
}

TEST_CASE("a quarantined file lies beside the reason, and the next one of its name replaces both") {
  const Mirror mirror;
  const std::string at = ".vtmirror/quarantine/v1%2Fa.zip";
  for (const std::string reason : {"member x: CRC error", "it has 5 bytes, 6 were expected"}) {
    REQUIRE(mirror.fetch("v1/a.zip", reason + "!").has_value());
    REQUIRE(mirror.storage->quarantine("v1/a.zip", reason).has_value());
    CHECK(read_file(mirror / at) == reason + "!");
    CHECK(read_file(mirror / (at + ".reason.txt")) == reason + "\nfile: v1/a.zip\n");
  }
  CHECK(mirror.storage->partial_files()->empty());
  CHECK(mirror.storage->public_files()->empty());
}

TEST_CASE("a quarantined file goes with its reason when a sound one of its name is published") {
  const Mirror mirror;
  for (const std::string name : {"v1/a.zip", "v1/b.zip"}) {
    REQUIRE(mirror.fetch(name, "bad").has_value());
    REQUIRE(mirror.storage->quarantine(name, "why").has_value());
  }
  REQUIRE(mirror.fetch_and_publish("v1/a.zip", "good").has_value());
  CHECK_FALSE(is_there(mirror / ".vtmirror/quarantine/v1%2Fa.zip"));
  CHECK_FALSE(is_there(mirror / ".vtmirror/quarantine/v1%2Fa.zip.reason.txt"));
  CHECK(read_file(mirror / ".vtmirror/quarantine/v1%2Fb.zip") == "bad");
  CHECK(is_there(mirror / ".vtmirror/quarantine/v1%2Fb.zip.reason.txt"));
}

TEST_CASE("a quarantined file is never taken for another's reason") {
  const Mirror mirror;
  for (const std::string name : {"v1/a.zip.reason.txt", "v1/a.zip"}) {
    REQUIRE(mirror.fetch(name, "bytes of " + name).has_value());
    REQUIRE(mirror.storage->quarantine(name, "reason of " + name).has_value());
  }
  CHECK(read_file(mirror / ".vtmirror/quarantine/v1%2Fa.zip%2Ereason.txt") == "bytes of v1/a.zip.reason.txt");
  CHECK(read_file(mirror / ".vtmirror/quarantine/v1%2Fa.zip.reason.txt").starts_with("reason of v1/a.zip\n"));
}

TEST_CASE("the free space is the file system's, less than all of it") {
  const Mirror mirror;
  const auto space = std::filesystem::space(mirror.root());
  const auto free = mirror.storage->free_space();
  REQUIRE(free.has_value());
  CHECK(*free > 0);
  CHECK(static_cast<std::uintmax_t>(*free) <= space.capacity);
}

TEST_CASE("a directory that was removed, moved or put elsewhere is not the one that was opened") {
  const Mirror mirror;
  CHECK(mirror.storage->in_place().has_value());
  std::filesystem::rename(mirror.root(), mirror.directory / "moved");
  CHECK(failed_with(mirror.storage->in_place(), base::Errc::io));
  std::filesystem::create_directory(mirror.root());
  CHECK(failed_with(mirror.storage->in_place(), base::Errc::io));
  std::filesystem::remove(mirror.root());
  std::filesystem::create_directory_symlink(mirror.directory / "moved", mirror.root());
  CHECK(mirror.storage->in_place().has_value());
  CHECK(mirror.open()->in_place().has_value());
}

TEST_CASE("a mirror is made with what is missing above it, and refused where a file stands") {
  const TemporaryDirectory directory;
  const mode_t before = ::umask(077);
  CHECK(mirror::open_storage({.directory = (directory / "a/b/mirror/").string()}).has_value());
  ::umask(before);
  CHECK(mode_of(directory / "a/b/mirror") == 0755);
  write_file(directory / "file", "");
  CHECK(failed_with(mirror::open_storage({.directory = (directory / "file").string()}), Errc::io));
  CHECK(failed_with(mirror::open_storage({.directory = (directory / "file/mirror").string()}), Errc::io));
}
