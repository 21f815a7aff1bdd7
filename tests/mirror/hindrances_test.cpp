// What only a person can mend: a directory that cannot be read, something foreign in the place of a text.
#include "mirror/stored.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

using namespace vtmirror;
using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

base::Result<std::vector<core::Cause>> publish(const Mirror& mirror, std::int64_t generation) {
  ports::Manifest manifest{.edition = {"session", generation, at_eight()}, .chain = {}};
  const core::Held bulk{.kind = core::Kind::bulk, .name = bulk_name, .date = day(15), .size = 3, .sha256 = "ab"};
  manifest.chain.files = {bulk};
  return mirror.shelf->write_manifest(manifest, {bulk});
}

bool says(const fs::path& text, const std::string& part) { return read_file(text).find(part) != std::string::npos; }

/// Whether `check` holds in a process of another user, which is not root.
template <class Check>
bool holds_for_another_user(Check check) {
  const auto child = ::fork();
  if (child == 0) ::_exit(::setuid(65534) == 0 && check() ? 0 : 1);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("what the program did not make stays in the place of a text, and the other texts are written") {
  for (const std::string text : {"manifest.json", "SHA256SUMS", "current", ".vtmirror/published"}) {
    CAPTURE(text);
    const Mirror mirror;
    REQUIRE(publish(mirror, 1));
    fs::remove_all(mirror / text);
    fs::create_directories(mirror / text);
    write_file(mirror / text / "theirs", "kept");
    const auto written = publish(mirror, 2);
    REQUIRE(written);
    REQUIRE(written->size() == 1);
    CHECK(written->front().subject == text);
    CHECK(written->front().detail == "it is a directory");
    CHECK(core::hindrance_of(written->front()) == core::Hindrance::obstructed);
    CHECK(read_file(mirror / text / "theirs") == "kept");
    if (text != "manifest.json") CHECK(says(mirror / "manifest.json", "\"generation\": 2"));
    if (text != "SHA256SUMS") CHECK(says(mirror / "SHA256SUMS", bulk_name));
    if (text != "current") CHECK(fs::read_symlink(mirror / "current") == ".vtmirror/current-2");
    // Neither an interrupted publication nor a finished one is claimed, and the rest can be read.
    CHECK(mirror.shelf->generation().value() == std::nullopt);
    CHECK(mirror.shelf->remains());

    fs::remove_all(mirror / text);
    const auto again = publish(mirror, 2);
    REQUIRE(again);
    CHECK(again->empty());
    CHECK(mirror.shelf->generation().value() == 2);
  }
}

TEST_CASE("a file of somebody else in the place of current is not replaced") {
  const Mirror mirror;
  write_file(mirror / "current", "theirs");
  const auto written = publish(mirror, 1);
  REQUIRE(written);
  REQUIRE(written->size() == 1);
  CHECK(written->front().subject == "current");
  CHECK(read_file(mirror / "current") == "theirs");
}

TEST_CASE("a directory that cannot be read hides only its own files, and is named") {
  const Mirror mirror;
  REQUIRE(mirror.fetch_and_publish(bulk_name, "bulk"));
  REQUIRE(mirror.fetch_and_publish(delta_name, "delta"));
  const std::string shut = "v1/public/delta/year=2026";
  REQUIRE(::chmod((mirror / shut).c_str(), 0) == 0);
  CHECK(holds_for_another_user([&] {
    std::vector<core::Cause> unread;
    const auto files = mirror.shelf->files(unread);
    const bool all = files && files->size() == 1 && files->front().name == bulk_name;
    return all && unread.size() == 1 && unread.front().subject == shut && core::is_below(delta_name, unread) &&
           !core::is_below(bulk_name, unread) && !core::is_below(shut, unread) && !mirror.shelf->files();
  }));
  REQUIRE(::chmod((mirror / shut).c_str(), 0755) == 0);
  CHECK(mirror.shelf->files().value().size() == 2);
}

TEST_CASE("a directory in the scratch that cannot be read hides only what lies in it") {
  const Mirror mirror;
  REQUIRE(mirror.fetch(bulk_name, "bulk"));
  REQUIRE(mirror.fetch(delta_name, "delta"));
  REQUIRE(mirror.partials->quarantine(delta_name, "it is damaged"));
  for (const std::string own : {".vtmirror", ".vtmirror/partial", ".vtmirror/quarantine"})
    REQUIRE(::chmod((mirror / own).c_str(), 0755) == 0);
  for (const std::string shut : {".vtmirror/partial/x", ".vtmirror/quarantine/x"}) {
    fs::create_directory(mirror / shut);
    REQUIRE(::chmod((mirror / shut).c_str(), 0) == 0);
  }
  CHECK(holds_for_another_user([&] {
    const auto files = mirror.partials->files();
    const auto quarantined = mirror.partials->quarantined();
    return files && files->size() == 1 && files->front().name == bulk_name && quarantined && quarantined->size() == 1;
  }));
}

TEST_CASE("a directory of links that cannot be read is left where it is, and current leads to a new one") {
  const Mirror mirror;
  REQUIRE(mirror.fetch_and_publish(bulk_name, "bulk"));
  REQUIRE(publish(mirror, 1));
  // As it is for a user who owns the mirror, and not that directory.
  for (const auto& each : fs::recursive_directory_iterator(mirror.root()))
    REQUIRE(::lchown(each.path().c_str(), 65534, 65534) == 0);
  for (const auto& each : {mirror.directory.path(), mirror.root()}) REQUIRE(::chown(each.c_str(), 65534, 65534) == 0);
  REQUIRE(::chown((mirror / ".vtmirror/current-1").c_str(), 0, 0) == 0);
  REQUIRE(::chmod((mirror / ".vtmirror/current-1").c_str(), 0) == 0);
  CHECK(holds_for_another_user([&] {
    if (mirror.shelf->generation().value() != std::nullopt) return false;
    const auto written = publish(mirror, 1);
    const bool finished = written && written->empty() && mirror.shelf->generation().value() == 1;
    return finished && mirror.shelf->hold({.name = bulk_name, .size = 4, .sha256 = "ab"}).has_value();
  }));
  CHECK(fs::read_symlink(mirror / "current") == ".vtmirror/current-1-2");
}
