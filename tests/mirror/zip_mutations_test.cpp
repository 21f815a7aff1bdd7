// ZIPs with random damage: the check while a file arrives and that of the whole file must say the same.
// VTMIRROR_ZIP_MUTATIONS=N makes more of them, VTMIRROR_ZIP_SEED=N others.
#include "mirror/damaged_zips.hpp"
#include "mirror/followed.hpp"
#include "support/raw_zip.hpp"
#include "vtmirror/base/encoding.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

using namespace vtmirror;
using namespace vtmirror::test;
using Descriptor = RawMember::Descriptor;

namespace {

using Dice = std::mt19937_64;

std::uint64_t variable(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

RawMember stored(const std::string& name, const std::string& text) { return {.name = name, .text = text}; }

RawMember packed(const std::string& name, const std::string& text, Descriptor descriptor = Descriptor::none) {
  return {.name = name, .text = text, .packed = deflated(text), .descriptor = descriptor};
}

std::vector<std::string> archives() {
  const auto noise = body(90), some = lines(12), many = lines(80);
  std::vector<RawZip> zips{
      {.members = {stored("a", some)}},
      {.members = {packed("a", some)}},
      {.members = {packed("a", many), packed("b", noise), stored("c/", "")}},
      {.members = {packed("a", some, Descriptor::marked), packed("b", "bb", Descriptor::plain)}},
      {.members = {packed("a", some, Descriptor::marked64), packed("b", noise, Descriptor::plain64)}},
      {.members = {stored("a", "aaa"), packed("b", some)}, .comment = "a comment"},
      {.members = {stored("a", "aaa"), packed("b", some)}, .comment = "c", .zip64 = true},
      {.members = {stored("", "nameless")}},
      {.members = {stored("a", "1"), stored("a", "2")}},
      {.members = {stored("d/a", "1"), stored("d/b", "2"), stored("d/c/", ""), stored("d.a", "3")}},
  };
  RawZip wide{.members = {packed("w", some), stored("x", "xyz")}, .zip64 = true};
  for (auto& member : wide.members) member.zip64 = true;
  wide.members[0].extra = number(0x5455, 2) + number(5, 2) + "12345";
  zips.push_back(wide);
  RawZip crowd;
  for (unsigned i = 0; i < 30; ++i) crowd.members.push_back(stored("m" + std::to_string(i), std::string(i % 3, 'x')));
  zips.push_back(crowd);
  std::vector<std::string> bytes;
  for (const auto& zip : zips) bytes.push_back(written(zip));
  bytes.push_back(zip_of({{"a.json", lines(30)}, {"d/", ""}, {"d/b.json", lines(9), ZIP_CM_STORE}}));
  return bytes;
}

std::size_t place(const std::string& bytes, Dice& dice) {
  // Half of the places are in a record's first bytes: the rest of an archive is mostly contents.
  static const std::vector<std::string> marks{"PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "PK\x06\x06", "PK\x07\x08"};
  const auto any = dice() % bytes.size();
  if (dice() % 2 == 0) return any;
  const auto found = bytes.find(marks[dice() % marks.size()], any);
  return found == std::string::npos ? any : std::min(found + dice() % 48, bytes.size() - 1);
}

std::string random_bytes(Dice& dice) {
  const auto value = dice() % 4 == 0 ? ~0ULL : dice() % 3 == 0 ? 0 : dice();
  return number(value, 1 + dice() % 8);
}

void harm(std::string& bytes, Dice& dice) {
  const auto at = place(bytes, dice), length = static_cast<std::size_t>(1 + dice() % 40);
  switch (dice() % 9) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice() % 8));
      break;
    case 1:
      bytes[at] = static_cast<char>(dice());
      break;
    case 2:
      bytes[at] = static_cast<char>(bytes[at] + (dice() % 2 == 0 ? 1 : -1));
      break;
    case 3:
      bytes.resize(at);
      break;
    case 4:
      bytes.erase(at, length);
      break;
    case 5:
      bytes.insert(at, random_bytes(dice));
      break;
    case 6:
      std::swap(bytes[at], bytes[place(bytes, dice)]);
      break;
    case 7:
      bytes.insert(at, bytes.substr(place(bytes, dice), length));
      break;
    default: {
      const auto with = random_bytes(dice);
      bytes.replace(at, with.size(), with);
    }
  }
}

/// The same change in a local header and in its entry, so that only the contents contradict it.
void harm_both(std::string& bytes, Dice& dice) {
  const auto local = bytes.find("PK\x03\x04"), entry = bytes.find("PK\x01\x02");
  if (local == std::string::npos || entry == std::string::npos || bytes.size() < entry + 46) return;
  const auto field = dice() % 26;
  const auto value = static_cast<char>(dice());
  bytes[local + 4 + field] = value;
  bytes[entry + 6 + field] = value;
}

std::string mutant(const std::vector<std::string>& archives, Dice& dice) {
  auto bytes = archives[dice() % archives.size()];
  if (dice() % 5 == 0) harm_both(bytes, dice);
  for (auto times = dice() % 3; times-- > 0 && !bytes.empty();) harm(bytes, dice);
  return bytes;
}

}  // namespace

TEST_CASE("whatever random damage a ZIP has, no proof contradicts the whole check") {
  const auto count = variable("VTMIRROR_ZIP_MUTATIONS", 10'000);
  Dice dice(variable("VTMIRROR_ZIP_SEED", 20'261'123));
  const auto sound = archives();
  int accepted = 0, good = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto bytes = mutant(sound, dice);
    const auto old = check_whole(bytes);
    const bool proof = proven(bytes, 1 + dice() % 64);
    accepted += old.has_value() ? 1 : 0;
    good += proof ? 1 : 0;
    INFO(base::hex(bytes));
    if (proof) REQUIRE(old.has_value());
    if (i % 4 == 0) REQUIRE(same_verdict(bytes));
  }
  MESSAGE(count << " archives: the whole check accepts " << accepted << ", of which " << good << " are proven");
  if (mirror::Inflater::available()) CHECK(good > static_cast<int>(count / 10));
  CHECK(accepted < static_cast<int>(count * 2 / 3));
}
