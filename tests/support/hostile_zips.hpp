// ZIPs that were made to harm or to mislead, and unusual ones that are harmless: each with what the check says of it.
#pragma once

#include "support/gzip_file.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::test {

struct HostileZip {
  std::string what;
  std::string bytes;
  std::string reason;  ///< of the refusal, behind "a.zip: "; empty: it is harmless and accepted
};

namespace hostile {

using Descriptor = RawMember::Descriptor;
using Zips = std::vector<HostileZip>;

inline const std::string entry_mark = "PK\x01\x02";
inline const std::string end_mark = "PK\x05\x06";

inline RawMember packed_member(const std::string& name, const std::string& text = lines(40)) {
  return {.name = name, .text = text, .packed = deflated(text)};
}

/// Two members, the first one changed.
inline std::string two(const std::function<void(RawMember&)>& change) {
  RawZip zip{.members = {packed_member("a.json"), packed_member("b.json", lines(3))}};
  change(zip.members[0]);
  return written(zip);
}

inline std::string named(const std::string& name) {
  return two([&](auto& m) { m.name = name; });
}

inline std::string sound(bool zip64 = false, const std::string& comment = {}) {
  return written(
      {.members = {packed_member("a.json"), packed_member("b.json", lines(3))}, .comment = comment, .zip64 = zip64});
}

/// Puts a number into the record that begins with the last such mark.
inline std::string with(std::string bytes, const std::string& mark, std::size_t field, std::uint64_t value,
                        std::size_t width) {
  return bytes.replace(bytes.rfind(mark) + field, width, number(value, width));
}

inline std::string flipped(std::string bytes, std::size_t at) {
  flip(bytes, at);
  return bytes;
}

/// Records one behind the other, and a directory of any entries.
struct Parts {
  std::string locals, directory;
  std::size_t entries = 0;
  void add(const RawMember& member) {
    add_entry(member, locals.size());
    locals += local_of(member);
  }
  void add_entry(const RawMember& member, std::size_t offset) {
    directory += entry_of(member, offset);
    ++entries;
  }
  std::string bytes() const {
    RawZip zip;
    zip.members.resize(entries);
    return locals + directory + ends_of(zip, locals.size(), directory.size());
  }
};

inline void add_cut_and_wrong_files(Zips& all) {
  const auto whole = sound(), commented = sound(false, "a comment");
  const auto page = "<!DOCTYPE html><html><body>Sign in</body></html>" + std::string(5000, ' ');
  all.push_back({"nothing", "", "it is empty"});
  all.push_back(
      {"an HTML page", page, "it is a page of HTML or XML and no ZIP: a proxy, a login page or an error answered"});
  all.push_back(
      {"a JSON error", R"({"error": "expired"})", "it is not a ZIP: it has no end of central directory record"});
  all.push_back(
      {"a cut in the middle", whole.substr(0, whole.size() / 2), "it is truncated: its central directory is missing"});
  all.push_back({"a cut before the end record", whole.substr(0, whole.size() - 22),
                 "it is truncated: its central directory is missing"});
  all.push_back({"a cut in the end record", whole.substr(0, whole.size() - 1),
                 "it is truncated: its end of central directory record is incomplete"});
  all.push_back({"a cut in the comment", commented.substr(0, commented.size() - 1),
                 "it is truncated: its comment is incomplete"});
  all.push_back({"bytes behind the end", whole + "<html>", "6 bytes follow the end of the ZIP"});
  all.push_back({"no members", written({}), "the ZIP is empty"});
}

inline void add_wrong_checksums(Zips& all) {
  const auto whole = sound();
  const auto member = [](const std::string& what) { return "member a.json: " + what; };
  all.push_back({"contents that differ from the checksum", two([](auto& m) { m.crc = 1; }),
                 member("its checksum is wrong (its data begin at byte 36 of the ZIP)")});
  all.push_back({"stored contents that differ", written({.members = {{.name = "a.json", .text = "abc", .crc = 1}}}),
                 member("its checksum is wrong (its data begin at byte 36 of the ZIP)")});
  all.push_back({"another checksum in the local header", flipped(whole, 14),
                 member("its local header has another checksum than the central directory")});
  all.push_back({"another checksum in the directory", flipped(whole, whole.find(entry_mark) + 16),
                 member("its local header has another checksum than the central directory")});
  auto described = two([](auto& m) { m.descriptor = Descriptor::marked; });
  all.push_back({"another checksum in the data descriptor", flipped(described, described.find("PK\x07\x08") + 4),
                 member("the data descriptor behind its contents disagrees with the central directory")});
  all.push_back({"another size in the data descriptor", flipped(described, described.find("PK\x07\x08") + 8),
                 member("the data descriptor behind its contents disagrees with the central directory")});
  all.push_back({"a flag of a data descriptor, and none", two([](auto& m) { m.flags = 8; }),
                 member("the data descriptor behind its contents disagrees with the central directory")});
}

inline void add_wrong_contents(Zips& all) {
  const auto member = [](const std::string& what) { return "member a.json: " + what; };
  const auto stream = packed_member("a.json").packed;
  const auto data = std::to_string(30 + 6 + stream.size());
  all.push_back(
      {"contents that are longer than they should be", two([](auto& m) { m.size = m.text.size() - 1; }),
       member("it is longer than the " + std::to_string(lines(40).size() - 1) + " bytes that it should have")});
  all.push_back({"contents that are shorter than they should be", two([](auto& m) { m.size = m.text.size() + 1; }),
                 member("it is shorter than the central directory says (its data begin at byte 36 of the ZIP)")});
  all.push_back({"stored contents of two sizes", written({.members = {{.name = "a.json", .text = "abc", .size = 2}}}),
                 member("it is stored uncompressed, but its two sizes differ (its data begin at byte 36 of the ZIP)")});
  all.push_back({"garbage behind the deflate stream", two([](auto& m) { m.packed += "garbage"; }),
                 member("more bytes follow the end of its data, from byte " + data + " of the ZIP on")});
  all.push_back({"a deflate stream that is cut", two([](auto& m) { m.packed.pop_back(); }),
                 member("its data are truncated (its data begin at byte 36 of the ZIP)")});
  all.push_back({"a deflate stream that is none", two([](auto& m) { m.packed[0] = 7; }),
                 member("its data are damaged near byte 36 of the ZIP")});
  auto unknown = sound();
  unknown.replace(8, 2, number(97, 2)).replace(unknown.find(entry_mark) + 10, 2, number(97, 2));
  all.push_back({"an unknown method", unknown, member("it uses a compression method that this program cannot read")});
  all.push_back({"another method in the local header", flipped(sound(), 8),
                 member("its local header has another compression method or other flags than the central directory")});
  all.push_back({"a flag of encryption", two([](auto& m) { m.flags = 1; }), member("it is encrypted")});
  all.push_back(
      {"an encrypted member", zip_of({{"a.json", "x", ZIP_CM_STORE, ZIP_EM_AES_256}}), member("it is encrypted")});
}

inline void add_gzip_files(Zips& all) {
  const auto gzip = [](const std::function<void(std::string&)>& change) {
    RawMember member = gzip_member("a.json.gz", lines(40));
    change(member.text);
    return written({.members = {member, gzip_member("b.json.gz", "x")}});
  };
  const std::string where = "member a.json.gz: the gzip file in it ";
  all.push_back({"a gzip file that is cut", gzip([](auto& g) { g.resize(g.size() - 9); }),
                 where + "is truncated (its data begin at byte 39 of the ZIP)"});
  all.push_back({"a gzip file without its last byte", gzip([](auto& g) { g.pop_back(); }),
                 where + "is truncated (its data begin at byte 39 of the ZIP)"});
  all.push_back({"a gzip file with a wrong checksum", gzip([](auto& g) { flip(g, g.size() - 8); }),
                 where + "has a wrong checksum, near byte 39 of the ZIP"});
  all.push_back({"a gzip file with garbage behind it", gzip([](auto& g) { g += "garbage garbage"; }),
                 where + "has trailing bytes that are not gzip, near byte 39 of the ZIP"});
  all.push_back({"a gzip file that is none", gzip([](auto& g) { g = lines(9); }),
                 where + "is not a gzip file, near byte 39 of the ZIP"});
  all.push_back({"a gzip file without a byte", gzip([](auto& g) { g.clear(); }),
                 where + "is empty (its data begin at byte 39 of the ZIP)"});
  all.push_back({"a gzip file of several streams", gzip([](auto& g) { g += gzip_of(lines(3)); }), ""});
}

/// Programs go by the attributes or by the name.
inline void add_types(Zips& all) {
  const auto of_type = [](std::uint32_t attributes) { return two([&](auto& m) { m.attributes = attributes; }); };
  const std::string symlink =
      "member a.json: it is a symlink, which can lead out of the directory that it is unpacked into";
  all.push_back({"a symlink", of_type(0xA1FF0000), symlink});
  all.push_back({"a symlink of a program that says it is of DOS", of_type(0xA1FF0020), symlink});
  all.push_back({"a FIFO", of_type(0x11A40000), "member a.json: it is a special file"});
  all.push_back({"a device", of_type(0x61B60000), "member a.json: it is a special file"});
  const std::string directory =
      "member a.json: it is marked as a directory and named like a file, so some programs leave out what it contains";
  all.push_back({"a directory by the attributes of DOS", of_type(0x10), directory});
  all.push_back({"a directory by the attributes of Unix", of_type(0x41ED0000), directory});
  all.push_back({"contents under the name of a directory", two([](auto& m) { m.name = "d/"; }),
                 "member d/: its name is that of a directory, and it has contents, which some programs leave out"});
  const std::string nameless = ": it has no name under which it could be unpacked";
  all.push_back({"a member without a name", named(""), "member without a name" + nameless});
  all.push_back({"a member named by a dot", named("./."), "member ./." + nameless});
  all.push_back({"a file and a directory by all attributes",
                 [] {
                   auto file = packed_member("d/a.json");
                   file.attributes = 0x81A40020;
                   return written({.members = {{.name = "d/", .attributes = 0x41ED0010}, file}});
                 }(),
                 ""});
}

inline void add_names(Zips& all) {
  const auto refused = [&](const std::string& what, const std::string& name, const std::string& why) {
    std::string shown = name;
    for (auto& c : shown) c = c == '\0' ? '?' : c;
    all.push_back({what, named(name), "member " + shown + ": " + why});
  };
  const std::string absolute = "its name is an absolute path",
                    out = "its name leads out of the directory that it is unpacked into";
  refused("an absolute name", "/etc/cron.d/a", absolute);
  refused("an absolute name of Windows", "C:\\a", absolute);
  refused("a name with a backslash in front", "\\\\host\\a", absolute);
  refused("a name that leads out", "../a.json", out);
  refused("a name that leads out further on", "d/../../a.json", out);
  refused("a name that leads out by backslashes", "d\\..\\..\\a", out);
  refused("a NUL in a name", std::string("a.json\0.exe", 11), "its name contains a NUL, where programs cut it off");
  const auto with_path = [](const std::string& name, const std::string& path) {
    const auto field = number(0x7075, 2) + number(5 + path.size(), 2) + number(1, 1) + number(crc_of(name), 4) + path;
    return two([&](auto& m) {
      m.name = name;
      m.extra = m.entry_extra = field;
    });
  };
  const std::string other =
      "it has a second name in its Unicode path field, so programs unpack it under different names";
  all.push_back({"another name in Unicode", with_path("a.json", "z.json"), "member a.json: " + other});
  all.push_back(
      {"a name in Unicode that leads out", with_path("\xE4.json", "../\xC3\xA4.json"), "member ?.json: " + out});
  all.push_back({"a name and the same in Unicode", with_path("\xE4.json", "\xC3\xA4.json"), ""});
  RawZip twice{.members = {packed_member("a.json"), packed_member("a.json", lines(3))}};
  all.push_back({"two members of one name", written(twice),
                 "member a.json: two members have this name, and unpacked one would replace the other"});
  auto in_unicode = packed_member("\xC3\xA9.json");
  in_unicode.flags = 0x800;
  all.push_back({"two members of one name in two encodings",
                 written({.members = {packed_member("\x82.json", lines(3)), in_unicode}}),
                 "two of its members have names that are the same in another encoding, and unpacked one would replace "
                 "the other"});
  all.push_back({"another name in the local header", flipped(sound(), 30),
                 "member a.json: its local header has another name than the central directory"});
}

/// Members of these names, in this order. A name that ends with a slash has no contents.
inline std::string of_names(const std::vector<std::string>& names) {
  RawZip zip;
  for (const auto& name : names)
    zip.members.push_back(name.ends_with('/') ? RawMember{.name = name} : packed_member(name));
  return written(zip);
}

inline void add_names_that_meet(Zips& all) {
  const auto same = [&](const std::string& one, const std::string& other) {
    all.push_back({one + " beside " + other, of_names({other, one}),
                   "member " + one + ": it is unpacked to the same place as member " + other +
                       ", and one would replace the other"});
  };
  same("a.json", "./a.json");
  same("d/x", "d//x");
  same("d/x", "d/./x");
  same("d\\x", "d/x");
  same("a/", "a");
  const auto below = [&](const std::string& one, const std::string& other) {
    all.push_back({one + " beside " + other, of_names({one, "a.json", other, "z.json"}),
                   "member " + one + ": member " + other + " is a file where this one needs a directory"});
  };
  below("a/x", "a");
  below("a/b/c", "./a//b");
  below("d/e/", "d");
  below("a/-", "a");
  all.push_back({"a file between a name and what it is in", of_names({"a", "a b", "a-b", "a.b", "a/x"}),
                 "member a/x: member a is a file where this one needs a directory"});
  all.push_back({"one directory twice", of_names({"d/", "d/"}),
                 "member d/: two members have this name, and unpacked one would replace the other"});
  all.push_back({"a directory beside a file in it", of_names({"d/", "d/x", "d/e/", "d/e/y"}), ""});
  all.push_back({"a directory behind a file in it", of_names({"d/x", "d/"}), ""});
  all.push_back({"a directory under two names", of_names({"d/", "./d/", "d/x"}), ""});
  all.push_back({"names that begin with a dot and a slash", of_names({"./", "./d/", "./d/x", "./a.json"}), ""});
  all.push_back({"names that begin like others", of_names({"a", "ab", "a.b/c", "a-/c", "b/a", "b/ab/a"}), ""});
}

inline void add_places(Zips& all) {
  const std::string inside = "it begins inside of another member, or is the same one a second time";
  const auto a = packed_member("a.json"), b = packed_member("b.json", lines(3));
  Parts same;
  same.add(a);
  same.add(b);
  same.add_entry(a, 0);
  same.directory.replace(same.directory.rfind("a.json"), 6, "c.json");
  all.push_back({"two entries for one member", same.bytes(),
                 "member c.json: its local header has another name than the central directory"});
  Parts nested;
  nested.add({.name = "a.json", .text = local_of(b) + "the rest"});
  nested.add_entry(b, 30 + 6);
  all.push_back({"a member inside of another one's data", nested.bytes(), "member b.json: " + inside});
  // The data of the first one contain the second one, whole.
  Parts quilt;
  const auto inner = local_of({.name = "b.json", .text = "inner"});
  const std::string quoted = std::string(1, '\1') + number(inner.size(), 2) + number(~inner.size(), 2) + inner;
  quilt.add({.name = "a.json", .text = inner, .packed = quoted});
  quilt.add_entry({.name = "b.json", .text = "inner"}, quilt.locals.size() - inner.size());
  all.push_back({"overlapping members of one kernel", quilt.bytes(), "member b.json: " + inside});
  Parts hidden;
  hidden.add(a);
  hidden.locals += local_of({.name = "hidden.json", .text = "hidden"});
  hidden.add(b);
  all.push_back({"a member that the directory does not list", hidden.bytes(),
                 "at byte " + std::to_string(local_of(a).size()) +
                     " there is a member that the central directory does not list"});
  Parts behind_junk;
  behind_junk.add(a);
  behind_junk.locals += "?" + local_of({.name = "hidden.json", .text = "hidden"});
  behind_junk.add(b);
  all.push_back({"a member in a gap, behind a byte of nothing", behind_junk.bytes(),
                 "at byte " + std::to_string(local_of(a).size() + 1) +
                     " there is a member that the central directory does not list"});
  all.push_back({"an offset beyond the directory", with(sound(), entry_mark, 42, 0x7FFFFFF0, 4),
                 "member b.json: the central directory says that it begins behind the last member"});
  all.push_back({"an offset into the middle of a member", with(sound(), entry_mark, 42, 40, 4),
                 "member b.json: there is no member at the offset that the central directory gives, byte 40"});
  auto large = sound();
  large.replace(18, 4, number(0x7FFFFFF0, 4)).replace(large.find(entry_mark) + 20, 4, number(0x7FFFFFF0, 4));
  all.push_back({"contents that reach into the directory", large,
                 "member a.json: its contents reach into the central directory"});
}

inline void add_ends(Zips& all) {
  const std::string second =
      "its comment contains a second end of central directory record, so programs read different members from it";
  const auto inner = written({.members = {{.name = "evil.json", .text = "evil"}}});
  all.push_back({"an end record in the comment", sound(false, "PK\x05\x06" + std::string(18, '\0')), second});
  all.push_back({"a whole ZIP in the comment", sound(false, inner), second});
  all.push_back(
      {"an end record in the comment that is not its last", sound(false, end_mark + std::string(40, 'x')), second});
  all.push_back({"fewer members than the end record counts", with(with(sound(), end_mark, 8, 3, 2), end_mark, 10, 3, 2),
                 "its end of central directory record counts more members than fit into its central directory"});
  all.push_back({"more members than the end record counts", with(with(sound(), end_mark, 8, 1, 2), end_mark, 10, 1, 2),
                 "its central directory has more members than its end of central directory record counts"});
  all.push_back({"a directory elsewhere", with(sound(), end_mark, 16, 1, 4),
                 "there is no central directory at the offset that its end record gives"});
  all.push_back({"a directory beyond the end", with(sound(), end_mark, 16, 0x7FFFFFF0, 4),
                 "its end of central directory record places the central directory beyond the end, or gives it an "
                 "impossible size"});
  all.push_back({"a part of a split ZIP", with(sound(), end_mark, 4, 1, 2),
                 "its end of central directory record belongs to a split ZIP, or is wrong"});
  all.push_back({"an end record that needs ZIP64, without it", with(sound(), end_mark, 16, 0xFFFFFFFF, 4),
                 "its end of central directory record refers to ZIP64, but there is no ZIP64 record"});
  // Some programs take what is directly in front of the end record for the directory.
  const auto a = packed_member("a.json"), evil = packed_member("a.json", lines(7));
  const auto first = entry_of(a, 0);
  const auto before = local_of(a).size() + first.size(), gap = local_of(evil).size() + first.size();
  const auto second_one = entry_of(evil, before - gap);
  RawZip one;
  one.members.resize(1);
  all.push_back({"a second directory behind the first",
                 local_of(a) + first + local_of(evil) + second_one + ends_of(one, local_of(a).size(), first.size()),
                 std::to_string(gap) +
                     " bytes stand between its central directory and its end record, where programs look for the "
                     "directory"});
  // The nested member is in the data of the stored one, and a third entry shows it.
  Parts nested;
  nested.add({.name = "b.json", .text = local_of(evil)});
  nested.add(a);
  nested.add_entry(evil, 30 + 6);
  nested.entries = 2;
  const std::string more = "its central directory has more members than its end of central directory record counts";
  all.push_back({"an entry behind the last that is counted", nested.bytes(), more});
  Parts trailing;
  trailing.add(a);
  trailing.directory += "garbage";
  all.push_back({"garbage in the directory", trailing.bytes(),
                 "7 bytes of its central directory follow the entry of its last member"});
  const auto zip64 = sound(true);
  const std::string unlike = "its ZIP64 end of central directory record does not end where its locator begins";
  const auto record = zip64.rfind("PK\x06\x06"), locator = zip64.rfind("PK\x06\x07");
  auto longer = with(zip64, "PK\x06\x06", 4, 44 + 56, 8);
  longer.insert(locator, zip64.substr(record, 56));
  all.push_back({"a second ZIP64 record in the first one's extension", longer, unlike});
  auto apart = zip64;
  apart.insert(locator, zip64.substr(record, 56));
  all.push_back({"a second ZIP64 record behind the first", apart, unlike});
  all.push_back({"a ZIP64 locator that leads beyond the end", with(zip64, "PK\x06\x07", 8, 1ULL << 62U, 8),
                 "its ZIP64 locator leads to a place that is not before it"});
  all.push_back({"a ZIP64 locator that leads elsewhere", with(zip64, "PK\x06\x07", 8, 5, 8),
                 "its ZIP64 locator does not lead to a ZIP64 end of central directory record"});
  all.push_back({"ZIP64 counts other members than ZIP", with(zip64, end_mark, 10, 1, 2),
                 "its end of central directory records, of ZIP and of ZIP64, disagree"});
  all.push_back(
      {"ZIP64 counts very many members",
       with(with(zip64, "PK\x06\x06", 24, 1ULL << 40U, 8), "PK\x06\x06", 32, 1ULL << 40U, 8),
       "it has 1099511627776 members and something unusual in its records: of such a ZIP, no more than 100000 "
       "members are checked"});
  all.push_back({"a size in ZIP64 that is not there", two([](auto& m) { m.size = 0xFFFFFFFF; }),
                 "member a.json: its sizes should be in a ZIP64 field that does not have them"});
}

inline void add_bombs(Zips& all) {
  const std::string zeros(16 << 20, '\0');
  const auto stream = deflated(zeros);
  const auto crc = crc_of(zeros);
  const std::string harm =
      "the ZIP inflates to more than 256 MiB and 200 times its size, so it may be a decompression bomb";
  RawZip ratio;
  for (int i = 0; i < 30; ++i)
    ratio.members.push_back(
        {.name = std::to_string(i), .text = {}, .packed = stream, .crc = crc, .size = zeros.size()});
  all.push_back({"a bomb by its ratio", written(ratio), "member 21: " + harm});
  std::string streams;
  const auto one = std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10) + stream + number(crc, 4) + number(zeros.size(), 4);
  for (int i = 0; i < 40; ++i) streams += one;
  all.push_back({"a bomb by nesting", written({.members = {packed_member("a.gz", streams)}}), "member a.gz: " + harm});
  Parts many;
  many.add({.name = "0000000", .text = "x"});
  const auto entry = std::exchange(many.directory, {});
  constexpr int count = 150'000;
  for (int i = 0; i < count; ++i) {
    many.directory += entry;
    const auto digits = std::to_string(10'000'000 + i).substr(1);
    many.directory.replace(many.directory.size() - digits.size(), digits.size(), digits);
  }
  auto ends = ends_of({.members = {}, .zip64 = true}, many.locals.size(), many.directory.size());
  ends.replace(24, 16, number(count, 8) + number(count, 8));
  all.push_back({"a bomb by its number of members", many.locals + many.directory + ends,
                 "it has 150000 members and something unusual in its records: of such a ZIP, no more than 100000 "
                 "members are checked"});
  all.push_back({"a ZIP in a ZIP", written({.members = {{.name = "a.zip", .text = written(ratio)}}}), ""});
}

/// A bzip2 stream of eight times as many line breaks, each in a block of 2.3 kB of its own: much is read, with a table
/// to build for each block, and next to nothing comes out.
inline std::string bzip2_in_small_blocks(std::size_t eights) {
  constexpr unsigned contents = '\n', selectors = 18002;
  std::uint32_t crc = 0xFFFFFFFFU ^ (contents << 24U);
  for (int i = 0; i < 8; ++i) crc = (crc << 1U) ^ ((crc & 0x80000000U) != 0 ? 0x04C11DB7U : 0U);
  crc = ~crc;
  std::string bits;
  const auto put = [&bits](std::uint64_t value, unsigned count) {
    while (count-- > 0) bits += static_cast<char>('0' + ((value >> count) & 1U));
  };
  for (int block = 0; block < 8; ++block) {
    put(0x314159265359, 48);
    put(crc, 32);
    put(0, 1 + 24);  // not randomised; the block begins with its first byte
    put(1U << (15 - contents / 16), 16);
    put(1U << (15 - contents % 16), 16);
    put(2, 3);  // tables
    put(selectors, 15);
    bits.append(selectors, '0');
    for (int table = 0; table < 2; ++table) put(2U << 3U, 5 + 3);  // three codes of two bits
    put(0, 2);                                                     // one byte
    put(2, 2);                                                     // the end
  }
  std::string blocks;
  for (std::size_t at = 0; at < bits.size(); at += 8)
    blocks += static_cast<char>(std::stoi(bits.substr(at, 8), nullptr, 2));
  std::string stream = "BZh1";
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < eights; ++i) {
    stream += blocks;
    for (int block = 0; block < 8; ++block) all = ((all << 1U) | (all >> 31U)) ^ crc;
  }
  stream += "\x17\x72\x45\x38\x50\x90";
  for (unsigned byte = 4; byte-- > 0;) stream += static_cast<char>(all >> (8 * byte));
  return stream;
}

/// Much is read for the line breaks in it.
inline std::string much_for_little(std::size_t eights) {
  return written({.members = {{.name = "a.json",
                               .text = std::string(8 * eights, '\n'),
                               .packed = bzip2_in_small_blocks(eights),
                               .version = 46,
                               .entry_version = 46,
                               .method = ZIP_CM_BZIP2}}});
}

inline void add_harmless(Zips& all) {
  const auto a = packed_member("a.json"), b = packed_member("b.json", lines(3));
  all.push_back({"an ordinary ZIP", sound(), ""});
  all.push_back({"ZIP64 that is not needed", sound(true), ""});
  all.push_back({"a comment", sound(false, "a comment"), ""});
  all.push_back({"a gap between two members", two([](auto& m) { m.gap = std::string(100, '\0'); }), ""});
  all.push_back({"members in another order than in the directory",
                 [&] {
                   Parts parts;
                   parts.locals = local_of(b) + local_of(a);
                   parts.add_entry(a, local_of(b).size());
                   parts.add_entry(b, 0);
                   return parts.bytes();
                 }(),
                 ""});
  all.push_back({"a program in front of the ZIP",
                 [&] {
                   Parts parts;
                   parts.locals = "#!/bin/sh\nexit\n" + std::string(500, '#');
                   parts.add(a);
                   return parts.bytes();
                 }(),
                 ""});
  all.push_back({"a stored member with a data descriptor",
                 written({.members = {{.name = "a.json", .text = "abc", .descriptor = Descriptor::marked}}}), ""});
  all.push_back({"data descriptors without a mark", two([](auto& m) { m.descriptor = Descriptor::plain; }), ""});
  all.push_back({"a name in another encoding", named("\xE4.json"), ""});
  all.push_back({"dots in a name", named("..a/b...json"), ""});
  all.push_back({"directories and empty members",
                 written({.members = {{.name = "d/"}, {.name = "d/e"}, packed_member("d/f", "")}}), ""});
  all.push_back({"a member packed by bzip2", zip_of({{"a.json", lines(40), ZIP_CM_BZIP2}}), ""});
  all.push_back({"a member that is packed to more than it is", much_for_little(10), ""});
}

}  // namespace hostile

/// Made at the first call.
inline const std::vector<HostileZip>& hostile_zips() {
  static const auto table = [] {
    using namespace hostile;
    Zips all;
    for (const auto& add : {add_cut_and_wrong_files, add_wrong_checksums, add_wrong_contents, add_gzip_files, add_types,
                            add_names, add_names_that_meet, add_places, add_ends, add_bombs, add_harmless})
      add(all);
    return all;
  }();
  return table;
}

}  // namespace vtmirror::test
