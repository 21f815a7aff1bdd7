// A file is checked while it is downloaded.
#include "agent/publisher.hpp"
#include "agent/transfer_rig.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t mib = TransferRig::mib;

struct Rig : TransferRig {
  Rig() : TransferRig(1) {
    storage.followed = [this](const std::string&, std::int64_t front) {
      fronts.push_back(front);
      counted.push_back(shared.catalogue.has_begun_checks(start - 24h).value());
    };
  }

  /// Each answer breaks after its number of bytes, and the store then asks for two minutes.
  void break_after(std::vector<std::int64_t> each) {
    service.store_script = [lengths = std::move(each)](const StoreRequest& request, StoreAnswer& answer) {
      const auto number = static_cast<std::size_t>(request.number);
      if (number > lengths.size()) return;
      answer.body.resize(static_cast<std::size_t>(lengths[number - 1]));
      answer.end = base::Error{.code = base::Errc::rate_limited, .detail = "wait", .retry_after = 120s};
    };
  }
  base::Result<ports::Checked> judge() {
    std::optional<base::Result<ports::Checked>> verdict;
    boost::asio::co_spawn(loop, check->finish(), [&verdict](std::exception_ptr thrown, auto result) {
      REQUIRE(!thrown);
      verdict = std::move(result);
    });
    settle();
    REQUIRE(verdict);
    return *verdict;
  }
  bool is_under_check() const { return shared.catalogue.has_begun_checks(start - 24h).value(); }

  std::vector<std::int64_t> fronts;  ///< up to which the file was checked, each time
  std::vector<bool> counted;         ///< whether a death at that moment would have counted
};

}  // namespace

TEST_CASE("a file is checked as far as it is durable, while the rest is awaited") {
  Rig rig;
  rig.break_after({mib, 2 * mib});
  rig.begin();
  CHECK(rig.fronts.empty());
  rig.pass(2s);
  CHECK(rig.fronts == std::vector<std::int64_t>{mib});
  rig.pass(122s);
  CHECK(rig.fronts == std::vector<std::int64_t>{mib, 3 * mib});
  rig.pass(120s);
  REQUIRE(rig.ended);
  CHECK(rig.is_whole());
  const auto verdict = rig.judge();
  REQUIRE(verdict);
  CHECK(verdict->size == rig.size);
  // A kill during a download of hours says nothing against the file.
  CHECK(rig.counted == std::vector<bool>{false, false});
}

TEST_CASE("the bytes of an object that was replaced are not taken for those of the new one") {
  Rig rig;
  rig.service.store_script = [&rig](const StoreRequest& request, StoreAnswer& answer) {
    if (request.number == 1) {
      answer.body.resize(mib);
      answer.end = base::Error{.code = base::Errc::rate_limited, .detail = "wait", .retry_after = 120s};
    }
    if (request.number != 2) return;
    rig.service.files[rig.name].version = 2;
    answer = ScriptedService::refusal(412);
  };
  rig.begin();
  rig.pass(2s);
  CHECK(rig.fronts == std::vector<std::int64_t>{mib});
  rig.pass(200s);
  REQUIRE(rig.ended);
  CHECK(rig.is_whole());
  const auto verdict = rig.judge();
  REQUIRE(verdict);
  CHECK(verdict->sha256 == "digest-of-version-2");
}

TEST_CASE("what an earlier process left is read first, and a death meanwhile counts as one in a check") {
  Rig rig;
  rig.break_after({mib});
  rig.begin(4 * mib);
  CHECK(rig.fronts == std::vector<std::int64_t>{4 * mib});
  CHECK(rig.counted == std::vector<bool>{true});
  CHECK_FALSE(rig.is_under_check());
  rig.pass(2s);
  CHECK(rig.counted == std::vector<bool>{true, false});
  rig.pass(120s);
  REQUIRE(rig.ended);
  CHECK(rig.judge().has_value());
  CHECK_FALSE(rig.is_under_check());
}

TEST_CASE("a check yields to the transfer until it is far behind") {
  for (const auto behind : {4 * mib, 4 * mib - 1}) {
    CAPTURE(behind);
    Rig rig;
    rig.of_checks.behind = behind;
    rig.reads = false;  // other work has all processors
    rig.break_after({mib});
    rig.begin(4 * mib);
    CHECK(rig.fronts.empty() == (behind == 4 * mib));
    rig.reads = true;
    rig.settle();
    CHECK(rig.fronts.front() == 4 * mib);
    rig.pass(200s);
    REQUIRE(rig.ended);
  }
}

TEST_CASE("where a check has ended the process, none goes along with a download") {
  Rig rig;
  rig.of_checks.alone = true;
  rig.break_after({mib});
  rig.begin(4 * mib);
  rig.pass(200s);
  REQUIRE(rig.ended);
  CHECK(rig.fronts.empty());
  CHECK(rig.judge().has_value());
}

TEST_CASE("a check that could not read follows no more, and reads on when the file is whole") {
  Rig rig;
  rig.break_after({mib, mib});
  rig.begin();
  rig.storage.unread_once = true;
  rig.pass(2s);
  CHECK(rig.fronts.empty());
  rig.pass(300s);
  REQUIRE(rig.ended);
  CHECK(rig.fronts.empty());
  const auto verdict = rig.judge();
  REQUIRE(verdict);
  CHECK(verdict->size == rig.size);
}

TEST_CASE("a whole body that runs over bytes that are durable leaves them as they are") {
  // The body that follows is of other bytes, as from a line that damages them: what is checked is what is on the disk.
  TransferRig rig(1, 16 * mib, {.sync_after = mib, .most = 4 * mib});
  rig.service.store_script = [&rig](const StoreRequest&, StoreAnswer& answer) {
    answer = rig.service.whole(rig.name);
    answer.body[static_cast<std::size_t>(5 * mib)] ^= 1;
  };
  rig.begin(core::Range{mib, 10 * mib});
  rig.pass(60s);
  REQUIRE(rig.ended);
  CHECK(rig.ended->has_value());
  CHECK(rig.is_whole());
}

TEST_CASE("the count of a check that must not begin stays") {
  Rig rig;
  for (int n = 0; n < core::deadly_checks; ++n)
    REQUIRE(rig.shared.catalogue.begin_check(rig.name, rig.size, rig.start).value() == n);
  rig.break_after({mib});
  rig.begin(4 * mib);
  rig.pass(200s);
  REQUIRE(rig.ended);
  CHECK(rig.fronts.empty());
  const auto judged = rig.judge();
  REQUIRE(judged.has_error());
  CHECK(core::cause_of(judged.error()) == core::deadly_check(3));
}
