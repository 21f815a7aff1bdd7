// What a start does about what the process before it left, when the start itself meets trouble.
#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

const std::string today = delta_name(18);

struct Mirror : AgentRig {
  Mirror() {
    list_wednesday(*this);
    REQUIRE(cycle());
  }
  base::Result<void> start() {
    std::optional<base::Result<void>> recovered;
    in_process([&](agent::Agent& agent) { return recover(agent, recovered); });
    return *recovered;
  }
  static boost::asio::awaitable<void> recover(agent::Agent& agent, std::optional<base::Result<void>>& recovered) {
    recovered = co_await agent.recover();
  }
  bool names_missing_file() const {
    const auto& files = storage.manifest->chain.files;
    return std::ranges::any_of(files, [&](const auto& file) { return !storage.published.contains(file.name); }) ||
           std::ranges::any_of(storage.sums, [&](const auto& file) { return !storage.published.contains(file.name); });
  }
};

}  // namespace

TEST_CASE("at whatever call a start dies, no manifest names a file whose removal it finishes") {
  int died = 0;
  for (int call = 1; call < 12; ++call) {
    CAPTURE(call);
    Mirror mirror;
    REQUIRE(mirror.catalogue.remove(today, mirror.clock.now()));
    mirror.storage.die_at(call);
    died += mirror.start() ? 0 : 1;
    CHECK_FALSE(mirror.names_missing_file());
    mirror.storage.power_cut();
    CHECK(mirror.start());
    CHECK_FALSE(mirror.storage.published.contains(today));
    CHECK_FALSE(mirror.names_missing_file());
  }
  CHECK(died > 2);
}

TEST_CASE("a published file that cannot be read now is not forgotten by a start") {
  Mirror mirror;
  core::PartialRecord verified{
      .name = today, .kind = core::Kind::delta, .date = base::parse_date("2026-11-18").value()};
  verified.size = 21'000;
  verified.durable.add({0, 21'000});
  verified.verified = true;
  verified.sha256 = "digest-of-version-2";
  REQUIRE(mirror.catalogue.keep_partial(verified));
  mirror.storage.unfinished.clear();
  mirror.storage.published[today] = numbered_bytes(2, 0, 21'000);
  mirror.storage.unreadable.insert(today);
  const auto refused = mirror.start();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::Errc::io);
  CHECK(mirror.catalogue.partials().value().size() == 1);
  mirror.storage.unreadable.clear();
  CHECK(mirror.start());
  const auto files = mirror.catalogue.files().value();
  const auto file = std::ranges::find(files, today, &core::FileRecord::name);
  REQUIRE(file != files.end());
  CHECK(file->sha256 == "digest-of-version-2");
}
