#include "mirror/damaged_zips.hpp"
#include "support/no_descriptors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <utility>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

namespace {

constexpr ports::CheckRules zip_only{.zip = true, .digest = false};
constexpr ports::CheckRules digest_only{.zip = false, .digest = true};

base::Result<ports::Checked> check(const std::string& bytes, ports::CheckRules rules) {
  const Mirror mirror;
  REQUIRE(mirror.fetch("v1/a.zip", bytes).has_value());
  return check_partial(*mirror.partials, "v1/a.zip", static_cast<std::int64_t>(bytes.size()), rules);
}

}  // namespace

TEST_CASE("a sound ZIP passes, stored, deflated, and with a directory among its members") {
  CHECK(check(sound_zip(ZIP_CM_STORE), {}).has_value());
  CHECK(check(sound_zip(ZIP_CM_DEFLATE), {}).has_value());
}

TEST_CASE("a ZIP that is damaged in any place is refused") {
  for_each_damaged_zip([](const std::string& bytes) {
    const auto checked = check(bytes, zip_only);
    CHECK(failed_with(checked, Errc::integrity));
    if (checked.has_value()) return;
    CHECK(checked.error().detail.starts_with("v1/a.zip: "));
    CHECK_FALSE(checked.error().why.empty());
    CHECK(checked.error().detail.ends_with(": " + checked.error().why));
  });
}

TEST_CASE("every single byte of a stored ZIP's contents counts") {
  const TemporaryDirectory directory;
  make_zip(directory / "a.zip", {{"a", "0123456789", ZIP_CM_STORE}});
  const std::string sound = read_file(directory / "a.zip");
  for (std::size_t at = sound.find("0123456789"); at < sound.find("PK\x01\x02"); ++at) {
    std::string bytes = sound;
    flip(bytes, at);
    CHECK(failed_with(check(bytes, zip_only), Errc::integrity));
  }
}

TEST_CASE("the member whose checksum is wrong is named") {
  std::string bytes = sound_zip(ZIP_CM_STORE);
  flip(bytes, bytes.rfind("{\"id\""));
  const auto checked = check(bytes, zip_only);
  REQUIRE(failed_with(checked, Errc::integrity));
  CHECK(checked.error().detail.starts_with("v1/a.zip: member d/second.json: its checksum is wrong"));
  CHECK(checked.error().detail == "v1/a.zip: member d/second.json: " + checked.error().why);
}

TEST_CASE("a ZIP with more members than its old form can count passes, and is refused without its last member") {
  const TemporaryDirectory directory;
  std::vector<Member> members;
  for (int i = 0; i < 65600; ++i) members.push_back({std::to_string(i), "", ZIP_CM_STORE});
  members.back().text = "the end";
  make_zip(directory / "a.zip", members);
  std::string bytes = read_file(directory / "a.zip");
  REQUIRE(bytes.find("PK\x06\x06") != std::string::npos);
  CHECK(check(bytes, zip_only).has_value());
  flip(bytes, bytes.find("the end"));
  CHECK(failed_with(check(bytes, zip_only), Errc::integrity));
}

TEST_CASE("a ZIP without members is refused") {
  std::string bytes(22, '\0');
  bytes.replace(0, 4, "PK\x05\x06");
  CHECK(failed_with(check(bytes, zip_only), Errc::integrity));
}

TEST_CASE("an encrypted member is refused, and so is a flag that claims one") {
  const TemporaryDirectory directory;
  make_zip(directory / "a.zip", {{"plain", "x"}, {"closed", "y", ZIP_CM_STORE, ZIP_EM_AES_256}});
  const auto checked = check(read_file(directory / "a.zip"), zip_only);
  REQUIRE(failed_with(checked, Errc::integrity));
  CHECK(checked.error().detail == "v1/a.zip: member closed: it is encrypted");
  CHECK(checked.error().why == "it is encrypted");

  std::string flagged = sound_zip();
  flagged[6] = static_cast<char>(flagged[6] | 1);
  flagged[flagged.find("PK\x01\x02") + 8] |= 1;
  CHECK(failed_with(check(flagged, zip_only), Errc::integrity));
}

TEST_CASE("the digest is SHA-256 of every byte") {
  CHECK(check("abc", digest_only)->sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(check("", digest_only)->sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(check(std::string(3 << 20, 'a'), digest_only)->sha256 ==
        "6f850bc94ae6f7de14297c01616c36d712d22864497b28a63b81d776b035e656");
  CHECK(check("abc", {.zip = false, .digest = false})->sha256.empty());
}

TEST_CASE("a file of another size is refused before it is read, with both sizes") {
  const Mirror mirror;
  REQUIRE(mirror.fetch_and_publish("v1/a.zip", "12345").has_value());
  const auto checked = mirror.shelf->check("v1/a.zip", 6, {}, [](std::int64_t) -> bool {
    FAIL("read");
    return true;
  });
  REQUIRE(failed_with(checked, Errc::integrity));
  CHECK(checked.error().detail == "v1/a.zip: it has 5 bytes, 6 were expected");
  CHECK(checked.error().why == "it has 5 bytes, 6 were expected");
}

TEST_CASE("a missing file cannot be checked, and does not count as damaged") {
  const Mirror mirror;
  CHECK(failed_with(mirror.shelf->check("v1/a.zip", 6, {}, {}), Errc::io));
  CHECK(failed_with(check_partial(*mirror.partials, "v1/a.zip", 6, {}), Errc::io));
}

TEST_CASE("a file for which no descriptor is left does not count as damaged, and the error names the limit") {
  const Mirror mirror;
  REQUIRE(mirror.fetch_and_publish("v1/a.zip", "12345").has_value());
  std::optional<NoDescriptors> no_descriptors(std::in_place);
  const auto checked = mirror.shelf->check("v1/a.zip", 5, digest_only, {});
  no_descriptors.reset();
  REQUIRE(failed_with(checked, Errc::io));
  CHECK(checked.error().diagnosis == base::Diagnosis::open_files);
  CHECK(checked.error().service_code.empty());
}

TEST_CASE("the observer of a check is called at least every 16 MiB, and may stop the check") {
  const TemporaryDirectory directory;
  make_zip(directory / "a.zip", {{"zeros", std::string(100 << 20, '\0')}, {"bytes", body(20 << 20), ZIP_CM_STORE}});
  const Mirror mirror;
  const std::string bytes = read_file(directory / "a.zip");
  const auto size = static_cast<std::int64_t>(bytes.size());
  REQUIRE(mirror.fetch("v1/a.zip", bytes).has_value());
  for (const auto rules : {zip_only, digest_only}) {
    std::vector<std::int64_t> seen;
    const auto watch = [&](std::int64_t read) {
      seen.push_back(read);
      return true;
    };
    CHECK(check_partial(*mirror.partials, "v1/a.zip", size, rules, watch).has_value());
    CHECK(seen.size() >= (rules.zip ? 7U : 1U));
    CHECK(std::is_sorted(seen.begin(), seen.end()));
    CHECK(seen.back() <= size);
    for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i] - seen[i - 1] <= 16 << 20);
    const auto ended = check_partial(*mirror.partials, "v1/a.zip", size, rules, [](std::int64_t) { return false; });
    CHECK(failed_with(ended, Errc::cancelled));
  }
}

TEST_CASE("a check in the background finds the same as any other, and is held to its rate") {
  const TemporaryDirectory directory;
  make_zip(directory / "a.zip", {{"bytes", body(1 << 20), ZIP_CM_STORE}});
  auto bytes = read_file(directory / "a.zip");
  const auto size = static_cast<std::int64_t>(bytes.size());
  const Mirror mirror;
  REQUIRE(mirror.fetch_and_publish("v1/a.zip", bytes).has_value());
  ports::CheckRules rules{.in_background = true, .bytes_a_second = 4 * size};
  const auto begun = std::chrono::steady_clock::now();
  const auto checked = mirror.shelf->check("v1/a.zip", size, rules, {});
  // A quarter of a second; what is lost by a busy machine makes it longer, never shorter.
  CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(200));
  REQUIRE(checked.has_value());
  CHECK(checked->sha256 == mirror.shelf->check("v1/a.zip", size, {}, {}).value().sha256);

  rules.bytes_a_second = 1000;
  int asked = 0;
  const auto stopped = mirror.shelf->check("v1/a.zip", size, rules, [&asked](std::int64_t) { return ++asked < 3; });
  CHECK(failed_with(stopped, Errc::cancelled));
  bytes[bytes.size() / 2] ^= 1;
  REQUIRE(mirror.fetch_and_publish("v1/a.zip", bytes).has_value());
  CHECK(failed_with(mirror.shelf->check("v1/a.zip", size, {.in_background = true}, {}), Errc::integrity));
}

TEST_CASE("a ZIP that needs a closer look is held to its rate too, whatever in it is read") {
  const auto noise = body(1 << 20);
  const std::pair<std::string, std::string> zips[] = {
      {"a member that only libzip can unpack", zip_of({{"a", noise, ZIP_CM_BZIP2}})},
      {"a data descriptor that the follower does not read",
       written({.members = {{.name = "a", .text = noise, .descriptor = RawMember::Descriptor::marked}}})},
      {"bytes that belong to no member",
       written({.members = {{.name = "a", .text = "x", .gap = std::string(1 << 20, '\0')}}})},
  };
  for (const auto& zip : zips) {
    CAPTURE(zip.first);
    const auto& bytes = zip.second;
    const auto size = static_cast<std::int64_t>(bytes.size());
    const Mirror mirror;
    REQUIRE(mirror.fetch_and_publish("v1/a.zip", bytes).has_value());
    ports::CheckRules rules{.zip = true, .digest = false, .in_background = true, .bytes_a_second = 2 * size};
    const auto begun = std::chrono::steady_clock::now();
    CHECK(mirror.shelf->check("v1/a.zip", size, rules, {}).has_value());
    // Half a second, as above.
    CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(400));
    rules.bytes_a_second = 1000;
    int asked = 0;
    const auto stopped = mirror.shelf->check("v1/a.zip", size, rules, [&asked](std::int64_t) { return ++asked < 3; });
    CHECK(failed_with(stopped, Errc::cancelled));
  }
}
