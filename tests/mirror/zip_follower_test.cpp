// What the follower proves, what it leaves to the check of the whole file, and that it is never laxer.
#include "mirror/damaged_zips.hpp"
#include "mirror/followed.hpp"
#include "support/raw_zip.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using namespace vtmirror::test;
using Descriptor = RawMember::Descriptor;

namespace {

constexpr std::size_t chunks[] = {1, 7, 4096, 1U << 20U};

RawMember packed_member(const std::string& name, const std::string& text = lines(40)) {
  return {.name = name, .text = text, .packed = deflated(text)};
}

RawMember with(RawMember member, const std::function<void(RawMember&)>& change) {
  change(member);
  return member;
}

RawMember described(const std::string& name, Descriptor descriptor) {
  return with(packed_member(name), [&](auto& m) { m.descriptor = descriptor; });
}

/// Two members, the first one changed.
RawZip two(const std::function<void(RawMember&)>& change = [](auto&) {}) {
  return {.members = {with(packed_member("a"), change), packed_member("b/c", lines(3))}};
}

RawZip two_of(RawMember first) { return {.members = {std::move(first), packed_member("z")}}; }

struct Form {
  const char* what;
  RawZip zip;
};

std::vector<Form> followed_forms() {
  RawZip commented = two(), zip64 = two();
  commented.comment = std::string(65535, 'x');
  zip64.zip64 = true;
  const auto named = [](const std::string& first, const std::string& second) {
    return RawZip{.members = {packed_member("d/x"), {.name = first}, {.name = second}, packed_member("d/y")}};
  };
  return {
      {"deflated", two()},
      {"stored", {.members = {{.name = "a", .text = lines(20)}}}},
      {"without contents", {.members = {{.name = "a/"}, {.name = "b"}, {.name = "c", .packed = deflated("")}}}},
      {"a descriptor with its mark", two_of(described("a", Descriptor::marked))},
      {"a descriptor without a mark", two_of(described("a", Descriptor::plain))},
      {"a descriptor of 64 bits", two_of(described("a", Descriptor::marked64))},
      {"a descriptor of 64 bits without a mark", two_of(described("a", Descriptor::plain64))},
      {"only descriptors", {.members = {described("a", Descriptor::plain), described("b", Descriptor::marked64)}}},
      {"sizes in ZIP64", two([](auto& m) { m.zip64 = true; })},
      {"sizes in ZIP64, and a descriptor",
       two_of(with(described("a", Descriptor::marked64), [](auto& m) { m.zip64 = true; }))},
      {"end records of ZIP64", zip64},
      {"a comment of the greatest length", commented},
      {"a comment of a member", two([](auto& m) { m.comment = "why"; })},
      {"other extra fields", two([](auto& m) {
         m.extra = number(0x5455, 2) + number(5, 2) + "01234";
         m.entry_extra = number(0x5455, 2) + number(1, 2) + "0";
       })},
      {"the longest extra field",
       two([](auto& m) { m.extra = number(7, 2) + number(65531, 2) + std::string(65531, 'x'); })},
      {"the longest name", two([](auto& m) { m.name = std::string(65535, 'n'); })},
      {"a name in UTF-8", two([](auto& m) { m.name = "\xC3\xA4\xE2\x82\xAC"; })},
      {"a name that says that it is UTF-8", two([](auto& m) {
         m.name = "\xC3\xA4";
         m.flags = 0x800;
       })},
      {"an entry that needs a higher version", two([](auto& m) { m.entry_version = 45; })},
      {"directories beside files in them", named("d/", "d/e/")},
      {"names with parts that lead nowhere", named("./d/", "./d//e/./z")},
  };
}

/// What no proof covers. The whole check accepts some of them.
std::vector<Form> other_forms() {
  const auto with_gap = [](const char* text) { return two([&](auto& m) { m.gap = text; }); };
  const auto extra = [](std::uint64_t id, const std::string& text) {
    return number(id, 2) + number(text.size(), 2) + text;
  };
  RawZip gap = two(), behind = two(), ends = two(), twice = two();
  gap.before_directory = "x";
  behind.before_end = "x";
  ends.comment = "PK\x05\x06" + std::string(18, '\0');
  twice.members[1].name = "a";
  const auto named = [](const std::string& first, const std::string& second) {
    return RawZip{.members = {packed_member(first), {.name = "m"}, {.name = second}}};
  };
  std::vector<Form> forms{
      {"no members", {}},
      {"two names of one file", named("./a", "a")},
      {"two names of one file below a directory", named("d/x", "d//x")},
      {"a file and a file in it", named("a", "a/x")},
      {"a file in another one, which follows", named("a/b/x", "a")},
      {"a file and a directory of its name", named("a", "a/")},
      {"one directory twice", {.members = {{.name = "d/"}, {.name = "d/"}}}},
      {"a directory under two names", {.members = {{.name = "d/"}, {.name = "./d/"}}}},
      {"an unused byte between members", with_gap("x")},
      {"an unused byte before the directory", gap},
      {"an unused byte behind the directory", behind},
      {"one name twice", twice},
      {"a comment that could be an end record", ends},
      {"a member without a name", two([](auto& m) { m.name = ""; })},
      {"a name with a NUL", two([](auto& m) { m.name = std::string("a\0b", 3); })},
      {"a name in another encoding", two([](auto& m) { m.name = "\xE4"; })},
      {"a name with a control character", two([](auto& m) { m.name = "a\x01"; })},
      {"a second name in an extra field", two([&](auto& m) { m.extra = m.entry_extra = extra(0x7075, "\1abcdx"); })},
      {"an extra field that is cut", two([](auto& m) { m.extra = number(7, 2) + number(9, 2) + "x"; })},
      {"extra bytes that are no field", two([](auto& m) { m.extra = std::string(3, '\0'); })},
      {"a flag of encryption", two([](auto& m) { m.flags = 1; })},
      {"a flag that nobody knows", two([](auto& m) { m.flags = 0x4000; })},
      {"an entry that needs a lower version", two([](auto& m) { m.version = 45; })},
      {"a byte behind the deflate stream", two([](auto& m) { m.packed += 'x'; })},
      {"a deflate stream that is cut", two([](auto& m) { m.packed.pop_back(); })},
      {"a member that is longer than it says", two([](auto& m) { m.size = m.text.size() - 1; })},
      {"a member that is shorter than it says", two([](auto& m) { m.size = m.text.size() + 1; })},
      {"a wrong checksum", two([](auto& m) { m.crc = 1; })},
      {"a wrong checksum of a stored member", {.members = {{.name = "a", .text = "abc", .crc = 1}}}},
      {"a stored member with a descriptor",
       {.members = {{.name = "a", .text = "abc", .descriptor = Descriptor::marked}}}},
      {"a byte behind a descriptor", two_of(with(described("a", Descriptor::marked), [](auto& m) { m.gap = "x"; }))},
      {"a byte between stream and descriptor",
       two_of(with(described("a", Descriptor::marked), [](auto& m) { m.packed += 'x'; }))},
  };
  return forms;
}

}  // namespace

TEST_CASE("every usual form of a ZIP is proven, however it arrives") {
  if (!mirror::Inflater::available()) return skip(no_follower);
  for (const auto& form : followed_forms()) {
    CAPTURE(form.what);
    const auto bytes = written(form.zip);
    for (const auto chunk : chunks) CHECK(proven(bytes, chunk));
    CHECK(check_whole(bytes).has_value());
  }
  for (const auto method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) CHECK(proven(sound_zip(method)));
}

TEST_CASE("what is unusual or wrong is not proven, and has the verdict that it always had") {
  for (const auto& form : other_forms()) {
    CAPTURE(form.what);
    const auto bytes = written(form.zip);
    for (const auto chunk : chunks) CHECK_FALSE(proven(bytes, chunk));
    CHECK(same_verdict(bytes));
  }
}

TEST_CASE("a damaged ZIP is refused in the same words as by the whole check alone") {
  for_each_damaged_zip([](const std::string& bytes) {
    for (const auto chunk : chunks) CHECK_FALSE(proven(bytes, chunk));
    CHECK(same_verdict(bytes));
  });
}

TEST_CASE("every byte of the records counts, of the directory and of the end") {
  RawZip zip = two_of(described("a", Descriptor::marked));
  zip.zip64 = true;
  zip.comment = "c";
  const auto sound = written(zip);
  for (std::size_t at = sound.find("PK\x01\x02"); at < sound.size(); ++at) {
    CAPTURE(at);
    for (const int bit : {1, 32, 128}) {
      auto bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ bit);
      if (proven(bytes)) CHECK(check_whole(bytes).has_value());
      CHECK(same_verdict(bytes));
    }
  }
}

TEST_CASE("an entry must say of its member what the local header says, field by field") {
  if (!mirror::Inflater::available()) return skip(no_follower);
  const auto sound = written(two());
  REQUIRE(proven(sound));
  const auto entry = sound.find("PK\x01\x02");
  // Version, flags, method, time, date, checksum, sizes, name length, disk, offset, name.
  for (const std::size_t field : {6U, 8U, 10U, 12U, 14U, 16U, 20U, 24U, 28U, 34U, 42U, 46U}) {
    CAPTURE(field);
    auto bytes = sound;
    bytes[entry + field] = static_cast<char>(bytes[entry + field] ^ 2);
    if (field == 6) bytes[entry + field] = 10;
    CHECK_FALSE(proven(bytes));
    CHECK(same_verdict(bytes));
  }
}

TEST_CASE("the end records must say what the directory is") {
  if (!mirror::Inflater::available()) return skip(no_follower);
  for (const bool zip64 : {false, true}) {
    RawZip zip = two();
    zip.zip64 = zip64;
    zip.comment = "c";
    const auto sound = written(zip);
    REQUIRE(proven(sound));
    const auto begin = sound.find(zip64 ? "PK\x06\x06" : "PK\x05\x06");
    for (std::size_t at = begin; at < sound.size() - 1; ++at) {
      if (zip64 && at >= begin + 12 && at < begin + 16) continue;  // which version made it, and which it needs
      CAPTURE(at - begin);
      auto bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ 1);
      CHECK_FALSE(proven(bytes));
      CHECK(same_verdict(bytes));
    }
  }
}

TEST_CASE("a descriptor must say what the contents were, although many programs do not read it") {
  if (!mirror::Inflater::available()) return skip(no_follower);
  const auto sound = written(two_of(described("a", Descriptor::marked)));
  for (const std::size_t field : {0U, 4U, 8U, 12U}) {
    CAPTURE(field);
    auto bytes = sound;
    flip(bytes, bytes.find("PK\x07\x08") + field);
    CHECK_FALSE(proven(bytes));
    CHECK(check_whole(bytes).error().detail ==
          "a.zip: member a: the data descriptor behind its contents disagrees with the central directory");
    CHECK(same_verdict(bytes));
  }
}

TEST_CASE("members in another order than in the directory are left to the whole check") {
  RawZip zip = two();
  const auto first = local_of(zip.members[0]), second = local_of(zip.members[1]);
  const auto directory = entry_of(zip.members[1], first.size()) + entry_of(zip.members[0], 0);
  const auto bytes = first + second + directory + ends_of(zip, first.size() + second.size(), directory.size());
  CHECK_FALSE(proven(bytes));
  CHECK(check_whole(bytes).has_value());
}

TEST_CASE("a file that is cut anywhere is not proven") {
  const auto sound = written(two_of(described("a", Descriptor::plain)));
  for (std::size_t size = 0; size < sound.size(); ++size) CHECK_FALSE(proven(sound.substr(0, size), 100));
}

TEST_CASE("a record that only looks like a locator of ZIP64 is left to the whole check") {
  RawZip zip = two();
  zip.members[1].comment = "PK\x06\x07" + std::string(16, '\0');
  const auto bytes = written(zip);
  CHECK_FALSE(proven(bytes));
  CHECK(same_verdict(bytes));
}

TEST_CASE("names that lead through millions of directories are left to the whole check") {
  RawZip zip;
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "/d";
  for (int i = 0; i < 4000; ++i) zip.members.push_back({.name = std::to_string(i) + deep});
  const auto bytes = written(zip);
  CHECK_FALSE(proven(bytes));
  CHECK(check_whole(bytes).has_value());
}
