#include "simulation/life.hpp"
#include "vtmirror/host/host.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

constexpr std::uint64_t first_seed = 20'261'115;

std::optional<std::uint64_t> variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? std::nullopt : std::optional(std::strtoull(text, nullptr, 10));
}

/// Which of the lives are this process's: every `of`-th one from `first` on. VTMIRROR_SIMULATION_SHARE=1/4
struct Share {
  std::uint64_t first = 0, of = 1;
};

Share share() {
  const char* text = std::getenv("VTMIRROR_SIMULATION_SHARE");
  const std::string words = text == nullptr ? "0/1" : text;
  Share share{std::strtoull(words.c_str(), nullptr, 10), 1};
  if (const auto slash = words.find('/'); slash != std::string::npos)
    share.of = std::max<std::uint64_t>(std::strtoull(words.c_str() + slash + 1, nullptr, 10), 1);
  return share;
}

/// VTMIRROR_SIMULATION_FAULT=catalogue_lost: only the lives that can meet that class of event are lived, as after a
/// change of what no other life comes to. Null: all.
const char* only_fault() { return std::getenv("VTMIRROR_SIMULATION_FAULT"); }

bool is_wanted(const Life& life) { return only_fault() == nullptr || life.swarm().has(only_fault()); }

/// Between a season and a year, by the seed alone.
int days_of(std::uint64_t seed) {
  Random random(seed * 2 + 1);
  return static_cast<int>(between(random, 100, 366));
}

void live(Life& life, std::uint64_t seed, int days) {
  life.live(days);
  INFO("VTMIRROR_SIMULATION_SEED=" << seed << " VTMIRROR_SIMULATION_DAYS=" << days);
  INFO(life.drawn());
  INFO((life.observer().failure.empty() ? "" : life.observer().story()));
  CHECK(life.observer().failure == "");
}

}  // namespace

namespace {

void live_again(std::uint64_t seed, int days, const std::shared_ptr<const core::Zone>& zone) {
  Life life(seed, zone);
  live(life, seed, days);
  MESSAGE(life.logged());
  MESSAGE(life.probes().logged());
}

/// Lives, with their days, that meet a state which few others do; whatever the compiler, whose order of evaluation
/// moves a kill from one call to another.
constexpr std::pair<std::uint64_t, int> kept[]{{20'262'006, 120}, {20'263'020, 120}, {20'265'107, 90}, {20'262'137, 60},
                                               {20'261'161, 40},  {20'265'205, 45},  {20'265'212, 45}};

void live_years(int years, const std::shared_ptr<const core::Zone>& zone) {
  const auto own = share();
  Probes probes;
  std::uint64_t number = 0, mine = 0;
  for (int lived = 0; lived < years * 366; ++number) {
    const auto seed = first_seed + number;
    lived += days_of(seed);
    if (number % own.of != own.first) continue;
    Life life(seed, zone);
    if (!is_wanted(life)) continue;
    ++mine;
    live(life, seed, days_of(seed));
    probes.add(life.probes());
  }
  for (const auto& [seed, days] : kept) {
    if (own.first != 0) break;
    Life life(seed, zone);
    live(life, seed, days);
    probes.add(life.probes());
  }
  // A name that no fault has would be met by no life.
  CHECK((mine > 0 || only_fault() == nullptr));
  // Shares are added up by ./dev soak.
  INFO("states that no life has met");
  CHECK((own.of > 1 || only_fault() != nullptr ? "" : probes.missed()) == "");
  MESSAGE(number << " lives, of which this process lived " << mine << '\n' << probes.logged());
}

}  // namespace

TEST_CASE("a daemon lives through ten years of faults, and its mirror is right and its wake-ups in time on every day") {
  const std::shared_ptr<const core::Zone> zone = host::load_zone("Europe/London").value();
  const auto seed = variable("VTMIRROR_SIMULATION_SEED");
  const auto days = variable("VTMIRROR_SIMULATION_DAYS");
  const auto first = seed.value_or(first_seed);
  if (seed || days)
    live_again(first, static_cast<int>(days.value_or(days_of(first))), zone);
  else
    live_years(static_cast<int>(variable("VTMIRROR_SIMULATION_YEARS").value_or(10)), zone);
}

TEST_CASE("a life that is lived again from its seed is the same life") {
  const std::shared_ptr<const core::Zone> zone = host::load_zone("Europe/London").value();
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    Life once(seed, zone), again(seed, zone);
    once.live(25);
    again.live(25);
    CHECK(once.end() == again.end());
  }
}
