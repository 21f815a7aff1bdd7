#include "mirror/stored.hpp"
#include "mirror/zip_maker.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

namespace {

constexpr ports::CheckRules zip_only{.zip = true, .digest = false};
constexpr ports::CheckRules digest_only{.zip = false, .digest = true};

/// Text that deflate makes smaller, but not by much.
std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "{\"id\": " + std::to_string(i * 7919 % 100003) + "}\n";
  return text;
}

std::string sound_zip(zip_int32_t method = ZIP_CM_DEFLATE) {
  const TemporaryDirectory directory;
  make_zip(directory / "a.zip",
           {{"first.json", lines(2000), method}, {"d/", ""}, {"d/second.json", lines(500), method}});
  return read_file(directory / "a.zip");
}

base::Result<ports::Checked> check(const std::string& bytes, ports::CheckRules rules) {
  const Mirror mirror;
  REQUIRE(mirror.fetch("v1/a.zip", bytes).has_value());
  return mirror.partials->check("v1/a.zip", static_cast<std::int64_t>(bytes.size()), rules, {});
}

void flip(std::string& bytes, std::size_t at) { bytes.at(at) = static_cast<char>(bytes.at(at) ^ 0x20); }

struct Damage {
  const char* what;
  std::function<void(std::string&)> harm;
};

const std::vector<Damage>& damages() {
  static const std::vector<Damage> table{
      {"the last byte is missing", [](auto& z) { z.pop_back(); }},
      {"the second half is missing", [](auto& z) { z.resize(z.size() / 2); }},
      {"all but the first page is missing", [](auto& z) { z.resize(4096); }},
      {"nothing is there", [](auto& z) { z.clear(); }},
      {"a byte of the first member's data is wrong", [](auto& z) { flip(z, 500); }},
      {"a byte of the last member's data is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02") - 50); }},
      {"a page in the middle is zeros", [](auto& z) { z.replace(4096, 4096, 4096, '\0'); }},
      {"the local header's mark is wrong", [](auto& z) { flip(z, 0); }},
      {"the local header's method is wrong", [](auto& z) { flip(z, 8); }},
      {"the local header's checksum is wrong", [](auto& z) { flip(z, 14); }},
      {"the local header's name is wrong", [](auto& z) { flip(z, 30); }},
      {"the directory's mark is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02")); }},
      {"the directory's checksum is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02") + 16); }},
      {"the directory's size of a member is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02") + 24); }},
      {"the directory's offset of a member is wrong", [](auto& z) { flip(z, z.rfind("PK\x01\x02") + 42); }},
      {"the directory's name of a member is wrong", [](auto& z) { flip(z, z.find("PK\x01\x02") + 46); }},
      {"the end record counts another number of members", [](auto& z) { flip(z, z.rfind("PK\x05\x06") + 10); }},
      {"the end record's offset of the directory is wrong", [](auto& z) { flip(z, z.rfind("PK\x05\x06") + 16); }},
      {"something is appended", [](auto& z) { z += "<html>"; }},
      {"much is appended", [](auto& z) { z.append(100000, 'x'); }},
      {"it is a page that says sorry", [](auto& z) { z = "<html>" + std::string(z.size(), 'x'); }},
  };
  return table;
}

}  // namespace

TEST_CASE("a sound ZIP passes, stored, deflated, and with a directory among its members") {
  CHECK(check(sound_zip(ZIP_CM_STORE), {}).has_value());
  CHECK(check(sound_zip(ZIP_CM_DEFLATE), {}).has_value());
}

TEST_CASE("a ZIP that is damaged in any place is refused") {
  for (const auto method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    for (const auto& damage : damages()) {
      CAPTURE(damage.what);
      CAPTURE(method);
      std::string bytes = sound_zip(method);
      damage.harm(bytes);
      const auto checked = check(bytes, zip_only);
      CHECK(failed_with(checked, Errc::integrity));
      if (checked.has_error()) CHECK(checked.error().detail.starts_with("v1/a.zip: "));
    }
  }
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
  CHECK(checked.error().detail == "v1/a.zip: member d/second.json: CRC error");
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
}

TEST_CASE("a missing file cannot be checked, and does not count as damaged") {
  const Mirror mirror;
  CHECK(failed_with(mirror.shelf->check("v1/a.zip", 6, {}, {}), Errc::io));
  CHECK(failed_with(mirror.partials->check("v1/a.zip", 6, {}, {}), Errc::io));
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
    CHECK(mirror.partials->check("v1/a.zip", size, rules, watch).has_value());
    CHECK(seen.size() >= (rules.zip ? 7U : 1U));
    CHECK(std::is_sorted(seen.begin(), seen.end()));
    CHECK(seen.back() <= size);
    for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i] - seen[i - 1] <= 16 << 20);
    const auto ended = mirror.partials->check("v1/a.zip", size, rules, [](std::int64_t) { return false; });
    CHECK(failed_with(ended, Errc::cancelled));
  }
}
