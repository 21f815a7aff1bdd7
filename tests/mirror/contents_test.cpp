// What a stream of a published file's members has, and how it ends when the file is damaged.
#include "vtmirror/mirror/contents.hpp"

#include "mirror/damaged_zips.hpp"
#include "mirror/followed.hpp"
#include "mirror/measured.hpp"
#include "mirror/own_names.hpp"
#include "mirror/sha256.hpp"
#include "support/gzip_file.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

namespace {

struct Streamed {
  base::Result<std::string> ended;   ///< the digest
  std::vector<std::string> members;  ///< a text for each
  std::string whole() const {
    std::string text;
    for (const auto& member : members) text += member;
    return text;
  }
};

Streamed stream(const std::string& bytes, const std::optional<std::string>& member = {}) {
  std::vector<std::string> members;
  const mirror::ContentsReader reader{.begin_member = [&] { members.emplace_back(); },
                                      .feed =
                                          [&](std::span<const std::byte> part) {
                                            members.back().append(reinterpret_cast<const char*>(part.data()),
                                                                  part.size());
                                            return true;
                                          },
                                      .makes_digest = true};
  auto ended = mirror::read_contents(file_of(bytes), "delta 16 Nov", member, reader);
  return {std::move(ended), std::move(members)};
}

RawMember packed(RawMember member) {
  member.packed = deflated(member.text);
  return member;
}

/// A deflate stream that zlib inflates and that the quick inflater refuses in its second block, after `hello`.
RawMember refused_by_the_quick_inflater() {
  const std::string first = std::string(1, '\0') + number(5, 2) + number(0xFFFF - 5, 2) + "hello";
  const std::string second("\x05\xc1\x81\x0c\0\0\0\xc3\x30\xd6\xfa\x4b\xb4\x01\x10", 15);
  return {.name = "a.json", .text = "helloaaaaaaaaa", .packed = first + second};
}

}  // namespace

TEST_CASE("members come in the directory's order, unpacked out of the ZIP and out of gzip") {
  const auto some = lines(3000), noise = body(300'000);
  const RawZip zip{.members = {gzip_member("b.json.gz", some),
                               packed(gzip_member("a.json.gz", noise)),
                               packed({.name = "c.json", .text = some}),
                               {.name = "d/"},
                               {.name = "d/e", .text = "x"}}};
  const auto streamed = stream(written(zip));
  CHECK(streamed.ended.has_value());
  CHECK(streamed.members == std::vector<std::string>{some, noise, some, "x"});
}

TEST_CASE("the digest is that of the whole file, in whatever order its members lie, and for one member too") {
  const auto noise = body(3'000'000);
  auto bytes = written({.members = {gzip_member("b.json.gz", lines(3000)),
                                    packed({.name = "a.json", .text = lines(200'000)}),
                                    {.name = "c", .text = noise}}});
  CHECK(stream(bytes).ended.value() == mirror::sha256(bytes));
  CHECK(stream(bytes, "a.json").ended.value() == mirror::sha256(bytes));
  const auto other = zip_of({{"a.json", lines(2000), ZIP_CM_BZIP2}, {"b", noise, ZIP_CM_STORE}});
  CHECK(stream(other).ended.value() == mirror::sha256(other));
  const auto none = mirror::read_contents(file_of(bytes), "delta 16 Nov", {}, {.feed = [](auto) { return true; }});
  CHECK(none.value().empty());
}

TEST_CASE("one member can be streamed, by its whole name; for another name the nearest one is suggested") {
  const auto bytes = written({.members = {gzip_member("a/b.json.gz", "one\n"), gzip_member("c.json.gz", "two\n")}});
  CHECK(stream(bytes, "c.json.gz").members == std::vector<std::string>{"two\n"});
  const auto none = stream(bytes, "c.json");
  REQUIRE(failed_with(none.ended, Errc::config));
  CHECK(none.ended.error().detail == "delta 16 Nov has no member c.json; did you mean c.json.gz?");
  CHECK(none.members.empty());
  const auto far = stream(bytes, "vehicles");
  REQUIRE(failed_with(far.ended, Errc::config));
  CHECK(far.ended.error().detail == "delta 16 Nov has no member vehicles; it has a/b.json.gz and 1 more");
}

TEST_CASE("members that only libzip can unpack are streamed too") {
  const auto text = lines(2000);
  const auto bytes = zip_of({{"a.json", text, ZIP_CM_BZIP2}, {"b.json.gz", gzip_of(text), ZIP_CM_BZIP2}});
  CHECK(stream(bytes).members == std::vector<std::string>{text, text});
  CHECK(check_whole(bytes).has_value());
}

TEST_CASE("of very many members that only libzip can unpack, the directory is not read for each one again") {
  std::vector<Member> members;
  for (int i = 0; i < 1000; ++i) members.push_back({std::to_string(i) + ".json", lines(3), ZIP_CM_BZIP2});
  const auto bytes = zip_of(members);
  const auto before = bytes_read();
  CHECK(stream(bytes).members.size() == members.size());
  const auto after = bytes_read();
  REQUIRE(before);
  CHECK(*after - *before <= 40 * static_cast<std::int64_t>(bytes.size()));
}

TEST_CASE("a stream that the quick inflater refuses is continued by zlib without a byte twice") {
  CHECK(stream(written({.members = {refused_by_the_quick_inflater()}})).whole() == "helloaaaaaaaaa");
  const auto& packed_twice = refused_by_the_quick_inflater();
  const auto gzip = std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + packed_twice.packed +
                    number(crc_of(packed_twice.text), 4) + number(packed_twice.text.size(), 4);
  CHECK(stream(written({.members = {{.name = "a.gz", .text = gzip + gzip_of("more")}}})).whole() ==
        "helloaaaaaaaaamore");
}

TEST_CASE("damage ends the stream with the file, the member and the reason, wherever it is") {
  const auto sound = written({.members = {gzip_member("a.json.gz", lines(3000)),
                                          packed({.name = "b", .text = lines(900)}),
                                          {.name = "c", .text = lines(20)}}});
  const auto whole = stream(sound).whole();
  REQUIRE(stream(sound).ended.has_value());
  for (std::size_t at = 0; at < sound.size(); at += 97) {
    CAPTURE(at);
    auto bytes = sound;
    flip(bytes, at);
    const auto streamed = stream(bytes);
    if (streamed.ended.has_value()) {
      // Times, versions and the like change nothing that is streamed.
      CHECK(streamed.whole() == whole);
      continue;
    }
    CHECK(failed_with(streamed.ended, Errc::integrity));
    CHECK(streamed.ended.error().detail.starts_with("delta 16 Nov: "));
  }
  auto bytes = sound;
  flip(bytes, bytes.rfind("{\"id\""));
  const auto place = std::to_string(sound.find("PK\x01\x02") - lines(20).size());
  CHECK(stream(bytes).ended.error().detail ==
        "delta 16 Nov: member c: its checksum is wrong (its data begin at byte " + place + " of the ZIP)");
  CHECK(failed_with(stream(sound.substr(0, sound.size() / 2)).ended, Errc::integrity));
}

TEST_CASE("a gzip file that is cut inside of a sound ZIP is damage") {
  const auto text = lines(3000);
  RawMember member = gzip_member("a.json.gz", text);
  member.text.resize(member.text.size() - 9);
  const auto streamed = stream(written({.members = {member}}));
  REQUIRE(failed_with(streamed.ended, Errc::integrity));
  CHECK(streamed.ended.error().detail ==
        "delta 16 Nov: member a.json.gz: the gzip file in it is truncated (its data begin at byte 39 of the ZIP)");
  CHECK(text.starts_with(streamed.whole()));
}

TEST_CASE("a stream stops when its reader wants no more") {
  const auto bytes = written({.members = {gzip_member("a.json.gz", std::string(50 << 20, 'x'))}});
  std::size_t pieces = 0;
  const mirror::ContentsReader reader{.begin_member = {},
                                      .feed = [&](std::span<const std::byte>) { return ++pieces < 3; }};
  CHECK(failed_with(mirror::read_contents(file_of(bytes), "a", {}, reader), Errc::cancelled));
  CHECK(pieces == 3);
}

TEST_CASE("the bytes that the catalogue knew are opened, also after others were published under the name") {
  const Mirror mirror;
  const std::string older = "the older edition", newer = "the newer one", digest(64, 'a');
  const mirror::Published known{.name = bulk_name, .sha256 = digest, .size = std::ssize(older)};
  const auto opened_text = [&](const mirror::Published& file) {
    const auto opened = mirror::open_published(mirror.root().string(), file);
    std::string text(100, '\0');
    if (opened) text.resize(static_cast<std::size_t>(::pread(opened->get(), text.data(), text.size(), 0)));
    return opened ? text : opened.error().detail;
  };
  REQUIRE(mirror.fetch_and_publish(bulk_name, older).has_value());
  CHECK(opened_text(known) == older);
  REQUIRE(mirror.shelf->hold({.name = bulk_name, .size = known.size, .sha256 = digest}).has_value());
  REQUIRE(mirror.fetch_and_publish(bulk_name, newer).has_value());
  CHECK(opened_text(known) == older);
  CHECK(opened_text({.name = bulk_name, .sha256 = std::string(64, 'b'), .size = std::ssize(newer)}) == newer);
  CHECK(opened_text({.name = bulk_name, .sha256 = "", .size = 5}) ==
        core::short_name(bulk_name) + ": it has 13 bytes, 5 were published");
  CHECK(failed_with(mirror::open_published(mirror.root().string(), {.name = bulk_name, .size = 5}), Errc::integrity));
  REQUIRE(mirror.shelf->remove(bulk_name).has_value());
  CHECK(opened_text(known) == older);
  CHECK(failed_with(mirror::open_published(mirror.root().string(), {.name = bulk_name, .size = 1}), Errc::io));
}
