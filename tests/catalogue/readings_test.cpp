// What the catalogue knows of public files that were read again.
#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"

#include <doctest/doctest.h>

namespace vtmirror::test {
namespace {

using core::Condition;

/// Two published files.
struct Rig {
  Rig() {
    REQUIRE(catalogue.publish(file(1)));
    REQUIRE(catalogue.publish(file(2)));
  }
  core::FileRecord record(int number) const { return catalogue.file(delta_name(number)).value().value(); }
  catalogue::Catalogue catalogue = catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value();
};

const core::Cause wrong_checksum{.code = base::Errc::integrity, .detail = "member a: wrong checksum"};

}  // namespace

TEST_CASE("a publication counts as the first reading of its file, and a later reading as the newest") {
  Rig rig;
  CHECK(rig.record(1).read_at == file(1).published_at);
  const auto differs = rig.catalogue.keep_reading(rig.record(1), at(50), Condition::whole);
  CHECK(differs.value() == false);
  CHECK(rig.record(1).read_at == at(50));
  CHECK(rig.record(2).read_at == file(2).published_at);
  CHECK(rig.catalogue.damages().value().empty());
}

TEST_CASE("what a reading found is kept with its reason until the file is whole, and its last good reading stays") {
  Rig rig;
  CHECK(rig.catalogue.keep_reading(rig.record(1), at(50), Condition::damaged, wrong_checksum).value() == true);
  CHECK(rig.record(1).condition == Condition::damaged);
  CHECK(rig.record(1).read_at == file(1).published_at);
  REQUIRE(rig.catalogue.damages().value().size() == 1);
  const core::Damage damage{delta_name(1), Condition::damaged, wrong_checksum, at(50)};
  CHECK(rig.catalogue.damages().value().front() == damage);

  CHECK(rig.catalogue.keep_reading(rig.record(1), at(60), Condition::damaged, wrong_checksum).value() == false);
  CHECK(rig.catalogue.damages().value().front().found_at == at(60));
  CHECK(rig.catalogue.keep_reading(rig.record(1), at(70), Condition::lost, {.detail = "gone"}).value() == true);
  CHECK(rig.catalogue.damages().value().front().condition == Condition::lost);
  CHECK(rig.catalogue.keep_reading(rig.record(1), at(80), Condition::whole).value() == true);
  CHECK(rig.catalogue.damages().value().empty());
  CHECK(rig.record(1).read_at == at(80));
}

TEST_CASE("a publication and a removal end what a reading found") {
  Rig rig;
  for (const int number : {1, 2})
    REQUIRE(rig.catalogue.keep_reading(rig.record(number), at(50), Condition::damaged, wrong_checksum));
  auto same = file(1);
  same.published_at = at(90);
  REQUIRE(rig.catalogue.publish(same));
  CHECK(rig.record(1).condition == Condition::whole);
  CHECK(rig.record(1).read_at == at(90));
  REQUIRE(rig.catalogue.damages().value().size() == 1);
  REQUIRE(rig.catalogue.remove({delta_name(2)}, at(95)));
  CHECK(rig.catalogue.damages().value().empty());
}

TEST_CASE("a reading of bytes that were replaced meanwhile says nothing about the new ones") {
  Rig rig;
  const auto read = rig.record(1);
  auto newer = file(1);
  newer.sha256 = "another digest";
  REQUIRE(rig.catalogue.publish(newer));
  const auto before = shown(rig.catalogue);
  CHECK_FALSE(rig.catalogue.keep_reading(read, at(50), Condition::damaged, wrong_checksum).value().has_value());
  CHECK(shown(rig.catalogue) == before);
  CHECK(rig.catalogue.damages().value().empty());
  REQUIRE(rig.catalogue.remove({delta_name(2)}, at(60)));
  CHECK_FALSE(rig.catalogue.keep_reading(file(2, 2), at(70), Condition::lost).value().has_value());
}

}  // namespace vtmirror::test
