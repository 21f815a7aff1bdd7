// What a new catalogue gets from a damaged one.
#include "catalogue/made.hpp"
#include "catalogue/sql.hpp"
#include "support/temporary_directory.hpp"
#include "vtmirror/catalogue/rescue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace vtmirror::test {
namespace {

namespace fs = std::filesystem;

constexpr int many = 200;

struct Place {
  TemporaryDirectory directory{TemporaryDirectory::base_in_memory()};
  std::string damaged = (directory / "catalogue.db.broken-20261118T000000Z").string();
  std::string path = (directory / "catalogue.db").string();

  /// Several pages of history and of notices, all in the database itself.
  void fill() const {
    {
      auto old = opened(damaged);
      REQUIRE(old.set_channels({{"hook", every_topic}, {"mail", every_topic}}));
      for (int n = 1; n <= many; ++n) {
        const auto id = old.begin_cycle(at(n)).value();
        REQUIRE(old.finish_cycle(finished(id, n), {notice(n)}));
      }
      REQUIRE(old.keep_problems({{.code = core::ProblemCode::late_delta, .since = at(3)}}));
      REQUIRE(old.keep_credential("first", at(1)));
      REQUIRE(old.keep_key_use(at(2)));
      REQUIRE(old.publish(file(1)));
      const auto record = file(1);
      core::Offer offer{.action = core::LoadAction::append, .why = {.reason = core::LoadReason::more}};
      offer.files = {{record.kind, record.name, record.date, record.size, record.sha256, 1}};
      offer.after = {.session = "s", .generation = 1, .start = day(1), .deltas = offer.files};
      REQUIRE(old.keep_asked("warehouse", at(4)));
      const auto ticket = old.keep_offer("warehouse", offer, at(4)).value().value();
      REQUIRE(old.acknowledge("warehouse", ticket, at(5)));
      REQUIRE(old.keep_offer("warehouse", offer, at(6)));
    }
    fs::remove(damaged + "-wal");
    fs::remove(damaged + "-shm");
  }
  using Remains = catalogue::Era;
  catalogue::Salvaged salvaged(catalogue::Era era = catalogue::Era::present) const {
    { opened(path); }
    fs::remove(path + ".salvaged");
    const auto kept = catalogue::salvage(path, damaged, era, at(9));
    REQUIRE(kept);
    REQUIRE(*kept);
    return **kept;
  }
  void overwrite(std::int64_t from, std::int64_t length) const {
    std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(from);
    for (std::int64_t n = 0; n < length; ++n) file.put(static_cast<char>(n * 37 + 11));
  }
};

std::size_t channels_of(const std::vector<catalogue::Delivery>& deliveries, const std::string& id) {
  return static_cast<std::size_t>(
      std::ranges::count(deliveries, id, [](const catalogue::Delivery& each) { return each.notice.id; }));
}

TEST_CASE("everything but the files is kept of a catalogue that can be read, and the old one is not changed") {
  const Place place;
  place.fill();
  const auto bytes = read_file(place.damaged);
  const auto before = opened(place.damaged, catalogue::Access::read_only);
  const auto kept = place.salvaged();
  CHECK(kept.cycles == many);
  CHECK(kept.notices == many + 1);
  const auto after = opened(place.path);
  const auto history = after.history(1000).value();
  REQUIRE(history.size() == many);
  CHECK(history.front().started == at(many));
  CHECK(history.front().bytes == finished(many, many).bytes);
  CHECK(history.front().failure == finished(many, many).failure);
  CHECK(history.front().not_before == finished(many, many).not_before);
  CHECK(after.deliveries().value().size() == before.deliveries().value().size());
  CHECK(after.deliveries().value().front().notice.id == before.deliveries().value().front().notice.id);
  CHECK(after.problems().value() == before.problems().value());
  CHECK(after.last_key_use().value() == at(2));
  CHECK(after.files().value().empty());
  CHECK(after.generation().value() == 0);
  const auto consumer = after.consumer("warehouse").value();
  REQUIRE(consumer.has_value());
  CHECK(consumer->position == before.consumer("warehouse").value()->position);
  CHECK(consumer->ticket == before.consumer("warehouse").value()->ticket);
  CHECK(consumer->offer == before.consumer("warehouse").value()->offer);
  CHECK(read_file(place.damaged) == bytes);
}

TEST_CASE("it is done once, and not where files were published") {
  const Place place;
  place.fill();
  place.salvaged();
  const auto in_vain = [&](const std::string& path) {
    const auto kept = catalogue::salvage(path, place.damaged, catalogue::Era::present, at(9));
    REQUIRE(kept);
    return !*kept;
  };
  CHECK(in_vain(place.path));
  fs::remove(place.path + ".salvaged");
  CHECK(in_vain(place.path));
  // The new catalogue is lost in its turn, while the damaged one still lies there.
  const Place later;
  later.fill();
  later.salvaged();
  for (const auto* end : {"", "-wal", "-shm"}) fs::remove(later.path + end);
  { opened(later.path); }
  const auto kept = catalogue::salvage(later.path, later.damaged, catalogue::Era::present, at(9));
  REQUIRE(kept);
  CHECK_FALSE(*kept);
  const auto other = (place.directory / "other.db").string();
  { REQUIRE(opened(other).publish(file(1))); }
  CHECK(in_vain(other));
}

TEST_CASE("of a catalogue that is older than the mirror, only the history and the credentials are kept") {
  const Place place;
  place.fill();
  REQUIRE(opened(place.damaged).begin_cycle(at(many + 1)));
  const auto kept = place.salvaged(catalogue::Era::past);
  CHECK(kept.cycles == many + 1);
  CHECK(kept.notices == 0);
  const auto after = opened(place.path);
  CHECK(after.history(1000).value().size() == many);
  CHECK(after.history(1).value().front().finished);
  CHECK(after.last_key_use().value() == at(2));
  CHECK(after.deliveries().value().empty());
  CHECK(after.problems().value().empty());
}

/// Without its schema a database says nothing of its other pages.
std::set<std::int64_t> pages_of_the_schema(const std::string& path) {
  std::set<std::int64_t> pages;
  const auto driver = connected(path, catalogue::Access::read_only);
  for (const auto& page : column(*driver, "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'"))
    pages.insert(std::stoll(page));
  return pages;
}

TEST_CASE("whichever page is damaged, the rows of the others are kept, and each notice that is kept has its channels") {
  Place whole;
  whole.fill();
  const auto size = static_cast<std::int64_t>(fs::file_size(whole.damaged));
  const auto schema = pages_of_the_schema(whole.damaged);
  REQUIRE(schema.contains(1));
  std::int64_t best = 0;
  for (std::int64_t page = 1; page * 4096 < size; ++page) {
    CAPTURE(page);
    const Place place;
    fs::copy_file(whole.damaged, place.damaged);
    place.overwrite(page * 4096, 4096);
    const auto kept = place.salvaged();
    const auto after = opened(place.path);
    CHECK_FALSE(after.damage());
    if (!schema.contains(page + 1)) CHECK(kept.cycles + kept.notices >= many);
    best = std::max(best, kept.notices);
    const auto deliveries = after.deliveries();
    REQUIRE(deliveries);
    for (const auto& each : *deliveries) CHECK(channels_of(*deliveries, each.notice.id) >= 1);
    CHECK(after.history(1000).has_value());
    CHECK(after.problems().has_value());
  }
  CHECK(best == many + 1);
}

TEST_CASE("rows between two damaged pages are found by their numbers") {
  const Place place;
  place.fill();
  std::vector<std::int64_t> pages;
  {
    const auto driver = connected(place.damaged, catalogue::Access::read_only);
    for (const auto& page : column(*driver, "SELECT pageno FROM dbstat WHERE name = 'notice' AND pagetype = 'leaf'"))
      pages.push_back(std::stoll(page));
  }
  REQUIRE(pages.size() > 6);
  std::ranges::sort(pages);
  place.overwrite((pages[1] - 1) * 4096, 4096);
  place.overwrite((pages[pages.size() - 2] - 1) * 4096, 4096);
  CHECK(place.salvaged().notices > many / 2);
}

TEST_CASE("a file that is no database, or that is missing, gives nothing and hinders nothing") {
  const Place place;
  write_file(place.damaged, std::string(9000, 'x'));
  CHECK(place.salvaged().notices == 0);
  const Place none;
  CHECK(none.salvaged().cycles == 0);
}

TEST_CASE("a notice of a generation that the new catalogue does not know is sent when that one's is written") {
  const Place place;
  place.fill();
  place.salvaged();
  auto catalogue = opened(place.path);
  REQUIRE(catalogue.restore({"session", 1, at(1), {file(1)}, {}}));
  REQUIRE(catalogue.keep_written(1));
  const auto next = catalogue.next_delivery("hook", core::DeliveryOrder::newest);
  REQUIRE(next);
  REQUIRE(*next);
  CHECK((*next)->notice.topic == core::Topic::published);
}

}  // namespace
}  // namespace vtmirror::test
