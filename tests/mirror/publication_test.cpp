// What readers of the mirror meet: manifest.json, SHA256SUMS, current.
#include "mirror/killed.hpp"
#include "mirror/manifest.hpp"
#include "mirror/stored.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

using namespace vtmirror;
using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

core::Held held(const std::string& name, int date, const std::string& sha256 = "ab") {
  return {.kind = core::Kind::delta, .name = name, .date = day(date), .size = 5, .sha256 = sha256};
}

/// A publication whose texts all differ by its generation.
std::vector<core::Held> files_of(std::int64_t generation) {
  std::vector<core::Held> files;
  for (int i = 0; i < 5; ++i)
    files.push_back(held("v1/" + std::to_string(generation) + "/" + std::to_string(i) + ".zip", 15 + i));
  return files;
}
base::Result<std::vector<core::Cause>> publish(const Mirror& mirror, std::int64_t generation,
                                               const std::vector<core::Held>& files) {
  ports::Manifest manifest{.edition = {"session", generation, at_eight()}, .chain = {}};
  manifest.chain.files = files;
  return mirror.shelf->write_manifest(manifest, files);
}

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}
std::vector<std::string> link_directories(const Mirror& mirror) {
  auto names = names_in(mirror / ".vtmirror");
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("current-"); });
  return names;
}

/// The generation that each of the three belongs to; 0 where it is in no state that a publication leaves.
std::int64_t manifest_of(const Mirror& mirror) {
  return mirror::manifest_generation_of(read_file(mirror / "manifest.json")).value_or(0);
}
std::int64_t sums_of(const Mirror& mirror, std::int64_t first, std::int64_t last) {
  const std::string text = read_file(mirror / "SHA256SUMS");
  for (auto g = first; g <= last; ++g)
    if (text == mirror::sums_text(files_of(g))) return g;
  return 0;
}
std::int64_t current_of(const Mirror& mirror) {
  const std::string target = fs::read_symlink(mirror / "current").string();
  const auto generation = std::stoll(target.substr(target.find('-') + 1));
  if (names_in(mirror / "current") !=
      std::vector<std::string>{"01-0.zip", "02-1.zip", "03-2.zip", "04-3.zip", "05-4.zip"})
    return 0;
  const auto link = fs::read_symlink(mirror / "current/05-4.zip").string();
  return link == "../../v1/" + std::to_string(generation) + "/4.zip" ? generation : 0;
}

}  // namespace

TEST_CASE("current leads to the chain in load order, also after the mirror has moved") {
  const Mirror mirror;
  for (const auto& name : {bulk_name, delta_name}) REQUIRE(mirror.fetch_and_publish(name, name).has_value());
  REQUIRE(publish(mirror, 42, {held(bulk_name, 15), held(delta_name, 16)}).has_value());
  CHECK(fs::read_symlink(mirror / "current") == ".vtmirror/current-42");
  fs::rename(mirror.root(), mirror.directory / "moved");
  const fs::path current = mirror.directory / "moved/current";
  CHECK(names_in(current) ==
        std::vector<std::string>{"01-bulk-light-vehicle_15-11-2026.zip", "02-delta-light-vehicle_16-11-2026.zip"});
  CHECK(read_file(current / "01-bulk-light-vehicle_15-11-2026.zip") == bulk_name);
  CHECK(mode_of(current) == 0755);
  CHECK(mode_of(mirror.directory / "moved/manifest.json") == 0644);
}

TEST_CASE("links of a long chain sort in load order, equal basenames and endless ones among them") {
  const Mirror mirror;
  std::vector<core::Held> files;
  for (int i = 0; i < 120; ++i) files.push_back(held("v1/" + std::to_string(i) + "/same.zip", 15));
  files.push_back(held("v1/" + std::string(250, 'a') + "\xC3\xA9.z", 15));
  REQUIRE(publish(mirror, 1, files).has_value());
  const auto names = names_in(mirror / "current");
  REQUIRE(names.size() == 121);
  CHECK(names[0] == "001-same.zip");
  CHECK(names[119] == "120-same.zip");
  CHECK(names[120].size() <= 255);
  CHECK(names[120].ends_with("a\xC3\xA9.z"));
  for (std::size_t i = 0; i < 120; ++i)
    CHECK(fs::read_symlink(mirror / "current" / names[i]) == "../../" + files[i].name);
}

TEST_CASE("a reader of a directory of links that was replaced has a day to finish") {
  const Mirror mirror;
  const std::vector<std::string> all{"current-1", "current-2", "current-3", "current-4"};
  for (std::int64_t generation = 1; generation <= 4; ++generation) {
    REQUIRE(publish(mirror, generation, files_of(generation)).has_value());
    CHECK(current_of(mirror) == generation);
  }
  REQUIRE(mirror.shelf->release(at_eight()).has_value());
  REQUIRE(mirror.shelf->release(at_eight() + std::chrono::hours(24) - std::chrono::seconds(1)).has_value());
  CHECK(link_directories(mirror) == all);
  REQUIRE(mirror.shelf->release(at_eight() + std::chrono::hours(24)).has_value());
  CHECK(link_directories(mirror) == std::vector<std::string>{"current-4"});
  CHECK(mirror.shelf->generation().value() == 4);
}

TEST_CASE("the same generation published once more leaves readers where they are, and changes nothing under them") {
  const Mirror mirror;
  REQUIRE(publish(mirror, 7, files_of(7)).has_value());
  REQUIRE(publish(mirror, 7, files_of(7)).has_value());
  CHECK(fs::read_symlink(mirror / "current") == ".vtmirror/current-7");
  for (std::int64_t other = 8; other <= 11; ++other) {
    const fs::path before = mirror.root() / fs::read_symlink(mirror / "current");
    const auto links = names_in(before);
    REQUIRE(publish(mirror, 7, files_of(other)).has_value());
    CHECK(mirror.root() / fs::read_symlink(mirror / "current") != before);
    CHECK(fs::read_symlink(mirror / "current/01-0.zip") == "../../v1/" + std::to_string(other) + "/0.zip");
    CHECK(names_in(before) == links);
    CHECK(mirror.shelf->generation().value() == 7);
  }
  CHECK(link_directories(mirror).size() == 5);
}

TEST_CASE("a file with the same content is not replaced, and one that others changed is") {
  const Mirror mirror;
  REQUIRE(publish(mirror, 7, files_of(7)).has_value());
  const auto is_same_after = [&](const std::function<void()>& change) {
    // A second name keeps the old file, so that a new one cannot have its number.
    for (const auto* name : {"manifest.json", "SHA256SUMS"}) {
      fs::remove(mirror.directory / name);
      fs::create_hard_link(mirror / name, mirror.directory / name);
    }
    change();
    REQUIRE(publish(mirror, 7, files_of(7)).has_value());
    CHECK(mirror.shelf->generation().value() == 7);
    return std::pair(fs::equivalent(mirror / "manifest.json", mirror.directory / "manifest.json"),
                     fs::equivalent(mirror / "SHA256SUMS", mirror.directory / "SHA256SUMS"));
  };
  CHECK(is_same_after([] {}) == std::pair(true, true));
  CHECK(is_same_after([&] { write_file(mirror / "SHA256SUMS", "ab  v1/a.zip\n"); }) == std::pair(true, false));
  CHECK(is_same_after([&] { write_file(mirror / "manifest.json", "{}"); }) == std::pair(false, true));
}

TEST_CASE("the generation on disk is known as long as nothing is missing, cut or changed") {
  const Mirror mirror;
  CHECK(mirror.shelf->generation().value() == std::nullopt);
  const std::vector<std::function<void()>> harms{
      [&] { fs::remove(mirror / "manifest.json"); },
      [&] { fs::remove(mirror / "SHA256SUMS"); },
      [&] { fs::remove(mirror / "current"); },
      [&] { fs::remove(mirror / ".vtmirror/published"); },
      [&] { fs::remove(mirror / "current/03-2.zip"); },
      [&] { fs::remove_all(mirror.root() / fs::read_symlink(mirror / "current")); },
      [&] { write_file(mirror / "SHA256SUMS", "ab  v1/a.zip\n"); },
      [&] { write_file(mirror / "manifest.json", "{\"generation\": 8}"); },
      [&] { fs::resize_file(mirror / ".vtmirror/published", 10); },
  };
  for (const auto& harm : harms) {
    REQUIRE(publish(mirror, 8, files_of(8)).has_value());
    REQUIRE(mirror.open().shelf->generation().value() == 8);
    harm();
    CHECK(mirror.shelf->generation().value() == std::nullopt);
  }
}

TEST_CASE("without digests there is no SHA256SUMS, and an older one is removed") {
  const Mirror mirror;
  REQUIRE(publish(mirror, 1, {held("v1/a.zip", 15)}).has_value());
  REQUIRE(publish(mirror, 2, {held("v1/a.zip", 15, "")}).has_value());
  CHECK_FALSE(is_there(mirror / "SHA256SUMS"));
  CHECK(mirror.shelf->generation().value() == 2);
  CHECK(read_file(mirror / "manifest.json").find("sha256") == std::string::npos);
}

TEST_CASE("sha256sum itself confirms the sums, and finds a file that has changed") {
  if (const auto why = absent("sha256sum", "coreutils")) return skip(*why);
  const Mirror mirror;
  std::vector<core::Held> files;
  for (const auto& name : {bulk_name, delta_name, std::string("v1/a name with  spaces*.zip")}) {
    REQUIRE(mirror.fetch_and_publish(name, "bytes of " + name).has_value());
    const auto size = static_cast<std::int64_t>(9 + name.size());
    files.push_back(held(name, 15, mirror.shelf->check(name, size, {.zip = false, .digest = true}, {})->sha256));
  }
  REQUIRE(publish(mirror, 1, files).has_value());
  const std::string command = "cd '" + mirror.root().string() + "' && sha256sum --strict -c SHA256SUMS >/dev/null 2>&1";
  CHECK(std::system(command.c_str()) == 0);
  write_file(mirror / delta_name, "other");
  CHECK(std::system(command.c_str()) != 0);
}

TEST_CASE("a publisher killed at any system call leaves manifest, sums and current each whole") {
  const Mirror mirror{TemporaryDirectory(TemporaryDirectory::base_in_memory())};
  REQUIRE(publish(mirror, 1, files_of(1)).has_value());
  std::int64_t generation = 1;
  base::Time now = at_eight();
  int at = 1;
  for (;; ++at) {
    const auto next = generation + 1;
    const auto end = killed_at(at, [&] { return publish(mirror, next, files_of(next)).has_value(); });
    if (end == End::untraceable) return skip("no process may be traced here");
    CAPTURE(at);
    REQUIRE(end != End::failed);
    const auto manifest = manifest_of(mirror);
    const auto sums = sums_of(mirror, generation, next);
    const auto current = current_of(mirror);
    CHECK((manifest == next || manifest == generation));
    CHECK((sums == manifest || sums == manifest - 1));
    CHECK((current == sums || current == sums - 1));
    const auto logged = mirror.shelf->generation().value();
    CHECK((!logged || (*logged == manifest && *logged == sums && *logged == current)));
    if (end == End::finished) break;
    REQUIRE(publish(mirror, next, files_of(next)).has_value());
    CHECK(mirror.shelf->generation().value() == next);
    // A day later what was superseded before is gone, and so is what the kills left.
    now += std::chrono::hours(24);
    REQUIRE(mirror.shelf->release(now).has_value());
    CHECK(link_directories(mirror).size() <= 3);
    generation = next;
  }
  CHECK(at > 50);
}

TEST_CASE("a file whose publication is killed at any system call is public and whole, or unfinished and whole") {
  const Mirror mirror{TemporaryDirectory(TemporaryDirectory::base_in_memory())};
  for (int at = 1;; ++at) {
    const std::string name = "v1/" + std::to_string(at) + "/a.zip";
    const std::string unfinished = ".vtmirror/partial/v1%2F" + std::to_string(at) + "%2Fa.zip";
    REQUIRE(mirror.fetch(name, "whole").has_value());
    const auto end = killed_at(at, [&] { return mirror.publish(name).has_value(); });
    if (end == End::untraceable) return skip("no process may be traced here");
    CAPTURE(at);
    REQUIRE(end != End::failed);
    CHECK(is_there(mirror / name) != is_there(mirror / unfinished));
    CHECK(read_file(mirror / (is_there(mirror / name) ? name : unfinished)) == "whole");
    if (is_there(mirror / name)) CHECK(mode_of(mirror / name) == 0644);
    if (end == End::finished) break;
    if (!is_there(mirror / name)) REQUIRE(mirror.publish(name).has_value());
  }
}
