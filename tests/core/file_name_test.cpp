#include "vtmirror/base/encoding.hpp"
#include "vtmirror/core/listing.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <random>
#include <string>

using namespace vtmirror;
using core::check_name;
using namespace std::string_literals;

TEST_CASE("plain relative paths are names of the mirror") {
  for (const std::string& name : {"v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip"s, "a"s,
                                  "a b.zip"s, "v1/current/x.zip"s, "v1/manifest.json"s, ".hidden/..x/x.."s,
                                  "caf\xc3\xa9.zip"s, "currently/x.zip"s, std::string(255, 'x')}) {
    CAPTURE(name);
    CHECK(check_name(name));
  }
}

TEST_CASE("a name that could leave the mirror or meet what is ours is refused with the reason") {
  struct Case {
    std::string name;
    const char* reason;
  };
  std::string too_long = "x";
  while (too_long.size() <= 1'024) too_long += "/x";
  for (const Case& row : {Case{"", "empty"},
                          {"/etc/passwd", "absolute"},
                          {"..", "\"..\""},
                          {"v1/../../etc/passwd", "\"..\""},
                          {"v1/./a.zip", "\".\""},
                          {"v1//a.zip", "empty part"},
                          {"v1/", "empty part"},
                          {"v1\\a.zip", "backslash"},
                          {"a\0b"s, "control character"},
                          {"a\nb", "control character"},
                          {"a\x7f", "control character"},
                          {"a\xc2\x85", "control character"},
                          {"a\xe2\x80\xaepiz.exe", "control character"},
                          {"a\xff.zip", "UTF-8"},
                          {"a\xc0\xae\xc0\xae", "UTF-8"},
                          {std::string(256, 'x'), "255 bytes"},
                          {"v1/" + std::string(256, 'x') + "/a.zip", "255 bytes"},
                          {too_long, "1,024 bytes"},
                          {".vtmirror/partial/x", ".vtmirror"},
                          {".VTMirror/x", ".vtmirror"},
                          {"v1/.vtmirror/x", ".vtmirror"},
                          {"manifest.json", "manifest.json"},
                          {"Manifest.JSON/x", "manifest.json"},
                          {"SHA256SUMS", "SHA256SUMS"},
                          {"sha256sums", "SHA256SUMS"},
                          {"current/x.zip", "current"},
                          {"CURRENT", "current"}}) {
    const auto& name = row.name;
    const auto& reason = row.reason;
    CAPTURE(name);
    const auto checked = check_name(name);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == base::Errc::protocol);
    CHECK(checked.error().detail.find(reason) != std::string::npos);
  }
}

TEST_CASE("a name that passes stays in the mirror and is its own normal form") {
  // Letters that paths are made of, so that a good part of the names passes.
  const std::string letters = "ab./.\\_=%~\n\xc3\xa9 "s + '\0';
  const std::filesystem::path root = "/mirror/root";
  std::mt19937 random{42};
  int passed = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::string name;
    for (auto left = random() % 12; left > 0; --left) {
      name += random() % 50 == 0 ? static_cast<char>(random()) : letters[random() % letters.size()];
    }
    if (!check_name(name)) continue;
    ++passed;
    CAPTURE(name);
    const std::filesystem::path path = root / name;
    REQUIRE(path.lexically_normal() == path);
    REQUIRE(path.string() == root.string() + "/" + name);
    REQUIRE(path.lexically_relative(root).begin()->string() != "..");
    REQUIRE(base::valid_utf8(name));
    REQUIRE(name.find('\0') == std::string::npos);
  }
  CHECK(passed > 1'000);
}

TEST_CASE("a usual name says which file it is, and any other one says nothing") {
  const auto read = [](std::string_view name) {
    const auto file = core::read_name(name);
    return file ? std::string(core::name(file->kind)) + " " + base::iso8601(file->date) : "";
  };
  CHECK(read("v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip") == "bulk 2026-11-15");
  CHECK(read("v1/public/delta/year=2026/month=1/day=5/delta-light-vehicle_05-01-2026.zip") == "delta 2026-01-05");
  CHECK(read("v1/public/delta/year=2026/month=1/day=6/delta-light-vehicle_05-01-2026.zip") == "");
  CHECK(read("v1/public/delta/delta-light-vehicle_31-02-2026.zip") == "");
  CHECK(read("delta/bulk/x_05-01-2026.zip") == "");
  CHECK(read("v1/x_05-01-2026.zip") == "");
  CHECK(read("../delta/x_05-01-2026.zip") == "");
  CHECK(read("delta/notes.txt") == "");
  CHECK(read("") == "");
}

TEST_CASE("the service's files have a short name, and any other name stays as it is") {
  CHECK(core::short_name("v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip") ==
        "bulk 15 Nov");
  CHECK(core::short_name("v1/public/delta/year=2027/month=1/day=2/delta-light-vehicle_02-01-2027.zip") ==
        "delta 2 Jan");
  CHECK(core::short_name("delta/delta-light-vehicle_29-02-2028.zip") == "delta 29 Feb");
  for (const std::string name :
       {"", "a.zip", "delta[3]", "delta of 2026-11-16", "https://store.example/a.zip", "/etc/vtmirror/vtmirror.toml",
        "v1/public/delta/delta-heavy-vehicle_18-11-2026.zip", "v1/public/delta/bulk-light-vehicle_18-11-2026.zip",
        "v1/public/delta/delta-light-vehicle_31-02-2026.zip", "v1/public/delta/_18-11-2026.zip",
        "v1/public/delta/day=17/delta-light-vehicle_18-11-2026.zip", "v1/public/delta-light-vehicle_18-11-2026.zip",
        "v1/public/delta/delta-light-vehicle_18-11-2026.zip.part", "../delta/delta-light-vehicle_18-11-2026.zip",
        "v1/public/delta/delta-light-vehicle_18-11-2026.v2_18-11-2026.zip"}) {
    CAPTURE(name);
    CHECK(core::short_name(name) == name);
  }
}
