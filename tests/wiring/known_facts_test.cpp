#include "wiring/known_facts.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace vtmirror;

namespace {

/// A catalogue whose reads fail while `broken` is set.
struct Disk {
  base::Result<report::DaemonFacts> read() {
    ++reads;
    if (broken) return base::Error{base::Errc::io, "catalogue.db: Input/output error"};
    report::DaemonFacts facts;
    facts.mirror.files = files;
    return facts;
  }
  wiring::KnownFacts facts() {
    report::DaemonFacts unknown;
    unknown.mirror.directory = "/srv/mirror";
    return {[this] { return read(); }, unknown};
  }

  bool broken = false;
  int reads = 0;
  std::int64_t files = 5;
};

}  // namespace

TEST_CASE("the catalogue is read once after each change") {
  Disk disk;
  auto facts = disk.facts();
  CHECK(facts.now().mirror.files == 5);
  disk.files = 6;
  CHECK(facts.now().mirror.files == 5);
  facts.forget();
  CHECK(facts.now().mirror.files == 6);
  CHECK(disk.reads == 2);
}

TEST_CASE("while the catalogue cannot be read, the last facts stay, and the next answer after that is whole") {
  Disk disk;
  auto facts = disk.facts();
  CHECK(facts.now().mirror.files == 5);
  facts.forget();
  disk.broken = true;
  CHECK(facts.now().mirror.files == 5);
  REQUIRE(facts.fault().has_value());
  CHECK(facts.fault()->detail == "catalogue.db: Input/output error");
  disk.files = 6;
  disk.broken = false;
  CHECK(facts.now().mirror.files == 6);
  CHECK_FALSE(facts.fault().has_value());
}

TEST_CASE("a catalogue that could never be read leaves what the settings say") {
  Disk disk{.broken = true};
  auto facts = disk.facts();
  CHECK(facts.now().mirror.directory == "/srv/mirror");
  CHECK(facts.fault().has_value());
  CHECK_FALSE(facts.now().mirror.generation.has_value());
}
