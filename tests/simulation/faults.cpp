#include "simulation/faults.hpp"

#include <algorithm>
#include <vector>

namespace vtmirror::test {

namespace {

/// Of the days of a life that draws the class with weight 1.
std::uint64_t usual_percent(Fault fault) {
  switch (fault) {
    case Fault::api:
      return 12;
    case Fault::breaks:
      return 15;
    case Fault::expiry:
      return 10;
    case Fault::killed:
      return 14;
    case Fault::restarted:
      return 8;
    case Fault::absent:
    case Fault::late:
      return 6;
    case Fault::clock_set:
    case Fault::state_wiped:
      return 2;
    case Fault::catalogue_lost:
    case Fault::settings_refused:
    case Fault::fails_for_days:
    case Fault::to_come:
    case Fault::full_at_start:
    case Fault::catalogue_locked_at_start:
    case Fault::late_by_days:
      return 3;
    case Fault::slow:
    case Fault::lost:
    case Fault::put_back:
    case Fault::rotten:
    case Fault::refused:
      return 6;
    default:
      return 5;
  }
}

}  // namespace

Swarm::Swarm(Random& random)
    : percent_(draw_percents(random)),
      calm_percent(static_cast<std::uint64_t>(between(random, 25, 60))),
      keep_cycles(static_cast<int>(between(random, 0, 3))) {}

Swarm::Percents Swarm::draw_percents(Random& random) {
  Percents drawn{};
  const auto draw = [&drawn](Fault fault, Random& dice) {
    if (chance(dice, 45)) return;
    const auto weight = static_cast<std::uint64_t>(between(dice, 1, 3));
    drawn[static_cast<std::size_t>(fault)] = usual_percent(fault) * weight;
  };
  for (const auto& each : every<Fault>())
    if (each.value != Fault::to_come) draw(each.value, random);
  Random own = random;
  draw(Fault::to_come, own);
  return drawn;
}

bool Swarm::has(std::string_view name) const {
  return std::ranges::any_of(every<Fault>(), [&](const auto& each) { return each.word == name && has(each.value); });
}

std::string Swarm::logged() const {
  std::string text = "keep_cycles " + std::to_string(keep_cycles);
  for (const auto& each : every<Fault>())
    if (has(each.value)) text += ", " + std::string(each.word) + " " + std::to_string(percent(each.value)) + "%";
  return text;
}

bool DayFaults::any_but_of_the_delta() const {
  return std::ranges::any_of(drawn, [](Fault fault) {
    return fault != Fault::late && fault != Fault::late_by_days && fault != Fault::absent;
  });
}

DayFaults roll_faults(const Swarm& swarm, Random& random, bool rolls_over) {
  DayFaults faults;
  if (chance(random, swarm.calm_percent)) return faults;
  std::vector<Fault> drawable;
  Random own = random;
  if (chance(own, swarm.percent(Fault::to_come))) faults.drawn.insert(Fault::to_come);
  for (const auto& each : every<Fault>()) {
    if (!swarm.has(each.value) || each.value == Fault::to_come) continue;
    drawable.push_back(each.value);
    if (chance(random, swarm.percent(each.value))) faults.drawn.insert(each.value);
  }
  if (rolls_over && !drawable.empty() && chance(random, 60))
    for (int n = 0; n < 2; ++n) faults.drawn.insert(drawable[random() % drawable.size()]);
  if (faults.has(Fault::absent)) faults.drawn.erase(Fault::late);
  if (faults.has(Fault::absent) || faults.has(Fault::late)) faults.drawn.erase(Fault::late_by_days);
  const auto percent = [&](Fault fault, std::int64_t most) {
    return faults.has(fault) ? static_cast<std::uint64_t>(between(random, 1, most)) : 0;
  };
  faults.api_percent = faults.has(Fault::api) && chance(random, 10) ? 100 : percent(Fault::api, 60);
  faults.break_percent = percent(Fault::breaks, 70);
  faults.expiry_percent = percent(Fault::expiry, 40);
  return faults;
}

}  // namespace vtmirror::test
