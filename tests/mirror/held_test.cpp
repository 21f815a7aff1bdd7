// What a reader of an older manifest still finds: its bytes under their digest, and the directory of links behind it.
#include "mirror/killed.hpp"
#include "mirror/stored.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <utility>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

using std::chrono::hours;
using std::chrono::seconds;

const std::string older = "the older edition";
const std::string newer = "the newer edition!";
const std::string older_digest(64, 'a');
const std::string newer_digest(64, 'b');

core::Held file(const std::string& name, const std::string& bytes, const std::string& digest) {
  return {.kind = core::Kind::bulk, .name = name, .date = day(15), .size = std::ssize(bytes), .sha256 = digest};
}
const core::Held older_file = file(bulk_name, older, older_digest);
const core::Held newer_file = file(bulk_name, newer, newer_digest);

base::Result<bool> hold(const Mirror& mirror, const core::Held& promised) {
  return mirror.shelf->hold({.name = promised.name, .size = promised.size, .sha256 = promised.sha256});
}
base::Result<std::vector<core::Cause>> write_manifest(const Mirror& mirror, std::int64_t generation,
                                                      const std::vector<core::Held>& files) {
  ports::Manifest manifest{.edition = {"session", generation, at_eight()}, .chain = {}};
  manifest.chain.files = files;
  return mirror.shelf->write_manifest(manifest, files);
}

/// A mirror whose first generation has the older edition. `reader` is in its directory of links.
struct Published : Mirror {
  explicit Published(core::Held promised = older_file)
      : Mirror{TemporaryDirectory(TemporaryDirectory::base_in_memory())}, first(std::move(promised)) {
    REQUIRE(fetch_and_publish(bulk_name, older).has_value());
    REQUIRE(write_manifest(*this, 1, {first}).has_value());
    reader = root() / fs::read_symlink(*this / "current");
  }

  bool replace(const core::Held& next) const {
    return hold(*this, first).has_value() && publish(bulk_name).has_value() &&
           write_manifest(*this, 2, {next}).has_value();
  }
  bool remove() const {
    return hold(*this, first).has_value() && write_manifest(*this, 2, {}).has_value() &&
           shelf->remove(bulk_name).has_value();
  }
  std::string read_by_link() const { return read_file(reader / "01-bulk-light-vehicle_15-11-2026.zip"); }
  std::string read_by_digest() const { return read_file(*this / ".vtmirror/held" / older_digest); }
  /// As a reader of the first manifest does it: under the public name, and by the digest if other bytes are there.
  std::string read_by_manifest() const {
    const auto bytes = is_there(*this / bulk_name) ? read_file(*this / bulk_name) : std::string();
    return bytes == older ? bytes : read_by_digest();
  }

  core::Held first;
  fs::path reader;
};

}  // namespace

TEST_CASE("a replaced file stays readable by its digest and by the links that led to it") {
  const Published mirror;
  REQUIRE(mirror.fetch(bulk_name, newer).has_value());
  REQUIRE(mirror.replace(newer_file));
  CHECK(read_file(mirror / bulk_name) == newer);
  CHECK(read_file(mirror / "current/01-bulk-light-vehicle_15-11-2026.zip") == newer);
  CHECK(mirror.read_by_digest() == older);
  CHECK(mirror.read_by_link() == older);
  CHECK(mode_of(mirror / ".vtmirror/held") == 0755);
  CHECK(mirror.shelf->generation().value() == 2);
  REQUIRE(mirror.shelf->files().value().size() == 1);
  CHECK(mirror.shelf->files().value()[0].name == bulk_name);
}

TEST_CASE("a link to a file that was lost or damaged leads to no other edition") {
  Published mirror;
  SUBCASE("it was removed") { fs::remove(mirror / bulk_name); }
  SUBCASE("it was cut") { fs::resize_file(mirror / bulk_name, 3); }
  SUBCASE("its record says that its bytes are not those that were promised") { mirror.first.size = -1; }
  REQUIRE(hold(mirror, mirror.first).value());
  CHECK_FALSE(fs::exists(mirror / ".vtmirror/held" / older_digest));
  REQUIRE(mirror.fetch(bulk_name, newer).has_value());
  REQUIRE(mirror.publish(bulk_name).has_value());
  REQUIRE(write_manifest(mirror, 2, {newer_file}));
  CHECK(read_file(mirror / bulk_name) == newer);
  CHECK(read_file(mirror / "current/01-bulk-light-vehicle_15-11-2026.zip") == newer);
  CHECK_FALSE(fs::exists(mirror.reader / "01-bulk-light-vehicle_15-11-2026.zip"));
}

TEST_CASE("a removed file stays readable by its digest and by the links that led to it") {
  const Published mirror;
  REQUIRE(mirror.remove());
  CHECK_FALSE(is_there(mirror / bulk_name));
  CHECK(mirror.read_by_digest() == older);
  CHECK(mirror.read_by_link() == older);
  CHECK(mirror.shelf->files().value().empty());
}

TEST_CASE("without digests the links still lead to the bytes that they were made for") {
  const Published mirror(file(bulk_name, older, ""));
  REQUIRE(mirror.fetch(bulk_name, newer).has_value());
  REQUIRE(mirror.replace(file(bulk_name, newer, "")));
  CHECK(mirror.read_by_link() == older);
  REQUIRE(mirror.shelf->release(at_eight()).has_value());
  REQUIRE(mirror.shelf->release(at_eight() + hours(24)).has_value());
  CHECK(fs::is_empty(mirror / ".vtmirror/held"));
}

TEST_CASE("what was superseded goes a day after it was found so, and not before") {
  const Published mirror;
  REQUIRE(mirror.remove());
  for (const auto after : {seconds(0), seconds(1), seconds(hours(24)) - seconds(1)}) {
    REQUIRE(mirror.open().shelf->release(at_eight() + after).has_value());
    CHECK(mirror.read_by_digest() == older);
    CHECK(mirror.read_by_link() == older);
  }
  REQUIRE(mirror.shelf->release(at_eight() + hours(24)).has_value());
  CHECK_FALSE(is_there(mirror / ".vtmirror/held" / older_digest));
  CHECK_FALSE(is_there(mirror.reader));
  CHECK(is_there(mirror / "current"));
}

TEST_CASE("what a release would free is known before it, without what has another name or is not due") {
  const Published mirror;
  const auto releasable = [&mirror](hours after) { return mirror.shelf->releasable(at_eight() + after).value(); };
  CHECK(releasable(hours(0)) == 0);
  REQUIRE(mirror.remove());
  CHECK(releasable(hours(24)) == 0);  // no release has found it yet
  REQUIRE(mirror.shelf->release(at_eight()).has_value());
  CHECK(releasable(hours(23)) == 0);
  const auto bytes = releasable(hours(24));
  CHECK(bytes >= std::ssize(older));
  CHECK(mirror.read_by_digest() == older);
  const auto second = mirror / "second name";
  fs::create_hard_link(mirror / ".vtmirror/held" / older_digest, second);
  CHECK(releasable(hours(24)) == 0);
  fs::remove(second);
  CHECK(releasable(hours(24)) == bytes);
  REQUIRE(mirror.shelf->release(at_eight() + hours(24)).has_value());
  CHECK(releasable(hours(24)) == 0);
}

TEST_CASE("bytes that links lead to which are not due would not be freed") {
  const Published mirror;
  REQUIRE(mirror.fetch(bulk_name, newer).has_value());
  REQUIRE(hold(mirror, older_file).has_value());
  REQUIRE(mirror.shelf->release(at_eight()).has_value());
  REQUIRE(mirror.publish(bulk_name).has_value());
  CHECK(mirror.read_by_link() == older);
  CHECK(mirror.shelf->releasable(at_eight() + hours(24)).value() == 0);
}

TEST_CASE("bytes that were held before their links were superseded stay as long as these links") {
  const Published mirror;
  REQUIRE(mirror.fetch(bulk_name, newer).has_value());
  REQUIRE(hold(mirror, older_file).has_value());
  REQUIRE(mirror.shelf->release(at_eight()).has_value());  // by the start after a kill
  REQUIRE(mirror.publish(bulk_name).has_value());
  REQUIRE(write_manifest(mirror, 2, {newer_file}).has_value());
  REQUIRE(mirror.shelf->release(at_eight() + hours(5)).has_value());
  for (const auto after : {hours(24), hours(28)}) {
    REQUIRE(mirror.open().shelf->release(at_eight() + after).has_value());
    CHECK(mirror.read_by_link() == older);
  }
  REQUIRE(mirror.shelf->release(at_eight() + hours(29)).has_value());
  CHECK_FALSE(is_there(mirror.reader));
  CHECK_FALSE(is_there(mirror / ".vtmirror/held" / older_digest));
}

TEST_CASE("held bytes to which current leads stay, however long its switch takes") {
  const Published mirror;
  REQUIRE(hold(mirror, older_file).has_value());
  for (const auto after : {hours(0), hours(24), hours(100)})
    REQUIRE(mirror.shelf->release(at_eight() + after).has_value());
  CHECK(read_file(mirror / "current/01-bulk-light-vehicle_15-11-2026.zip") == older);
}

TEST_CASE("bytes that became public again and are superseded once more have their day again") {
  const Published mirror;
  REQUIRE(mirror.fetch(bulk_name, newer).has_value());
  REQUIRE(mirror.replace(newer_file));
  REQUIRE(mirror.shelf->release(at_eight()).has_value());
  REQUIRE(hold(mirror, newer_file).has_value());
  REQUIRE(mirror.fetch_and_publish(bulk_name, older).has_value());
  REQUIRE(write_manifest(mirror, 3, {older_file}).has_value());
  REQUIRE(mirror.shelf->release(at_eight() + hours(20)).has_value());
  REQUIRE(hold(mirror, older_file).has_value());
  REQUIRE(mirror.fetch_and_publish(bulk_name, newer).has_value());
  REQUIRE(write_manifest(mirror, 4, {newer_file}).has_value());
  REQUIRE(mirror.shelf->release(at_eight() + hours(23)).has_value());
  REQUIRE(mirror.shelf->release(at_eight() + hours(46)).has_value());
  CHECK(mirror.read_by_digest() == older);
  REQUIRE(mirror.shelf->release(at_eight() + hours(47)).has_value());
  CHECK_FALSE(is_there(mirror / ".vtmirror/held" / older_digest));
}

TEST_CASE("bytes that were damaged before they were held are replaced when the same edition is published again") {
  const Published mirror;
  auto damaged = older;
  damaged[0] ^= 1;
  write_file(mirror / bulk_name, damaged);
  REQUIRE(mirror.remove());
  CHECK(mirror.read_by_digest() == damaged);
  REQUIRE(mirror.fetch(bulk_name, older).has_value());
  REQUIRE(mirror.shelf->publish({.name = bulk_name, .size = std::ssize(older), .sha256 = older_digest}).has_value());
  CHECK(mirror.read_by_digest() == older);
  CHECK(mirror.read_by_link() == older);
  CHECK(read_file(mirror / bulk_name) == older);
  CHECK(fs::hard_link_count(mirror / bulk_name) == 2);
}

TEST_CASE("a file that others changed or removed was promised to nobody, and is not held") {
  const Published mirror;
  write_file(mirror / bulk_name, "what somebody else wrote");
  CHECK(hold(mirror, older_file).value());
  fs::remove(mirror / bulk_name);
  CHECK(hold(mirror, older_file).value());
  CHECK_FALSE(is_there(mirror / ".vtmirror/held" / older_digest));
}

TEST_CASE("a list of what is superseded that others damaged costs a day, and nothing else") {
  const Published mirror;
  REQUIRE(mirror.remove());
  REQUIRE(mirror.shelf->release(at_eight()).has_value());
  for (const auto* damaged :
       {"", "\n\n", "held", "2026-11-18T08:00:00Z", "never held/x\n", "2026-11-18T08:00:00Z \n"}) {
    write_file(mirror / ".vtmirror/superseded", damaged);
    REQUIRE(mirror.shelf->release(at_eight() + hours(30)).has_value());
    CHECK(mirror.read_by_digest() == older);
  }
  REQUIRE(mirror.shelf->release(at_eight() + hours(54)).has_value());
  CHECK_FALSE(is_there(mirror / ".vtmirror/held" / older_digest));
}

TEST_CASE("a process killed at any system call while it replaces or removes a file takes no bytes from their readers") {
  const auto replaces = [](const Published& mirror) { return mirror.replace(newer_file); };
  const auto removes = [](const Published& mirror) { return mirror.remove(); };
  for (const bool replacing : {true, false}) {
    int at = 1;
    for (;; ++at) {
      const Published mirror;
      if (replacing) REQUIRE(mirror.fetch(bulk_name, newer).has_value());
      const auto change = [&] { return replacing ? replaces(mirror) : removes(mirror); };
      const auto end = killed_at(at, change);
      if (end == End::untraceable) return skip("no process may be traced here");
      CAPTURE(at);
      CAPTURE(replacing);
      REQUIRE(end != End::failed);
      CHECK(mirror.read_by_manifest() == older);
      CHECK(mirror.read_by_link() == older);
      if (end == End::finished) break;
      // The next process does what is left, or all of it again.
      REQUIRE(mirror.shelf->release(at_eight()).has_value());
      const bool is_public = is_there(mirror / bulk_name) && read_file(mirror / bulk_name) == older;
      if (is_public) REQUIRE(change());
      CHECK(mirror.read_by_manifest() == older);
      CHECK(mirror.read_by_link() == older);
    }
    CHECK(at > 50);
  }
}

TEST_CASE("a release that is killed at any system call removes nothing early, and the next one removes the rest") {
  for (int at = 1;; ++at) {
    const Published mirror;
    REQUIRE(mirror.remove());
    const auto first = killed_at(at, [&] { return mirror.shelf->release(at_eight()).has_value(); });
    if (first == End::untraceable) return skip("no process may be traced here");
    CAPTURE(at);
    CHECK(mirror.read_by_link() == older);
    REQUIRE(mirror.shelf->release(at_eight() + hours(1)).has_value());
    const auto second = killed_at(at, [&] { return mirror.shelf->release(at_eight() + hours(25)).has_value(); });
    REQUIRE(mirror.shelf->release(at_eight() + hours(25)).has_value());
    CHECK_FALSE(is_there(mirror / ".vtmirror/held" / older_digest));
    CHECK_FALSE(is_there(mirror.reader));
    if (first == End::finished && second == End::finished) break;
  }
}
