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
  CHECK(mirror.partials->files()->empty());
}

TEST_CASE("a file that was replaced upstream replaces the old one, and readers of the old one can finish it") {
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
  CHECK(mirror.shelf->files()->empty());
  CHECK(failed_with(mirror.publish(bulk_name), Errc::io));
  CHECK_FALSE(is_there(mirror / "v1"));
}

TEST_CASE("the public files are listed by name with their sizes, without anything of ours") {
  const Mirror mirror;
  REQUIRE(mirror.fetch_and_publish(delta_name, "12345").has_value());
  REQUIRE(mirror.fetch_and_publish(bulk_name, "1234567").has_value());
  REQUIRE(mirror.fetch("v1/unfinished.zip", "1").has_value());
  REQUIRE(mirror.shelf->write_manifest({.edition = {"s", 1}}, {{.name = bulk_name, .sha256 = "ab"}}).has_value());
  write_file(mirror / "lost+found/x", "");
  const auto files = mirror.shelf->files();
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
  REQUIRE(mirror.shelf->remove(delta_name).has_value());
  CHECK_FALSE(is_there(mirror / "v1/public/delta"));
  CHECK(is_there(mirror / bulk_name));
  CHECK(mirror.shelf->remove(delta_name).has_value());
  REQUIRE(mirror.shelf->remove(bulk_name).has_value());
  CHECK_FALSE(is_there(mirror / "v1"));
  CHECK(is_there(mirror.root()));
}

TEST_CASE("a directory that was removed, moved or put elsewhere is not the one that was opened") {
  const Mirror mirror;
  CHECK(mirror.shelf->in_place().has_value());
  std::filesystem::rename(mirror.root(), mirror.directory / "moved");
  CHECK(failed_with(mirror.shelf->in_place(), base::Errc::io));
  std::filesystem::create_directory(mirror.root());
  CHECK(failed_with(mirror.shelf->in_place(), base::Errc::io));
  std::filesystem::remove(mirror.root());
  std::filesystem::create_directory_symlink(mirror.directory / "moved", mirror.root());
  CHECK(mirror.shelf->in_place().has_value());
  CHECK(mirror.open().shelf->in_place().has_value());
}

TEST_CASE("a mirror is made with what is missing above it, and refused where a file stands") {
  const TemporaryDirectory directory;
  const mode_t before = ::umask(077);
  CHECK(mirror::open_directory({.directory = (directory / "a/b/mirror/").string()}).has_value());
  ::umask(before);
  CHECK(mode_of(directory / "a/b/mirror") == 0755);
  write_file(directory / "file", "");
  CHECK(failed_with(mirror::open_directory({.directory = (directory / "file").string()}), Errc::io));
  CHECK(failed_with(mirror::open_directory({.directory = (directory / "file/mirror").string()}), Errc::io));
}
