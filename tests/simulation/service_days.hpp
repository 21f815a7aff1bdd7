// The service through the years, and what goes wrong with it and with the machine on each day. All of it follows from
// the dice. A day begins at 07:00 in London. Never looks at the mirror.
#pragma once

#include "simulation/london.hpp"
#include "support/scripted_service.hpp"
#include "support/upstream.hpp"

#include <string>

namespace vtmirror::test {

/// What is wrong on a day; nothing on most.
struct DayFaults {
  std::uint64_t api_percent = 0;     ///< of requests to issuer and listing that fail in one way or another
  std::uint64_t break_percent = 0;   ///< of bodies that break on the way
  std::uint64_t expiry_percent = 0;  ///< of bodies that take so long that the links end
  bool late = false;                 ///< today's delta is listed hours later, or not before tomorrow
  bool absent = false;               ///< and never will be
  bool republished = false;
  bool republished_on_the_way = false;
  bool disk_full = false;
  bool clock_set = false;
  bool killed = false;
  bool restarted = false;
  bool overslept = false;  ///< suspended beyond the wake-up

  bool of_the_delta() const { return late || absent; }
  bool any() const {
    return api_percent + break_percent + expiry_percent > 0 || of_the_delta() || republished ||
           republished_on_the_way || disk_full || clock_set || killed || restarted || overslept;
  }
};

inline DayFaults roll_faults(Random& random) {
  DayFaults faults;
  if (chance(random, 50)) return faults;
  const auto percent = [&](std::uint64_t of_days, std::int64_t most) {
    return chance(random, of_days) ? static_cast<std::uint64_t>(between(random, 1, most)) : 0;
  };
  faults.api_percent = chance(random, 2) ? 100 : percent(20, 60);
  faults.break_percent = percent(25, 70);
  faults.expiry_percent = percent(15, 40);
  faults.late = chance(random, 12);
  faults.absent = !faults.late && chance(random, 8);
  faults.republished = chance(random, 10);
  faults.republished_on_the_way = chance(random, 8);
  faults.disk_full = chance(random, 8);
  faults.clock_set = chance(random, 4);
  faults.killed = chance(random, 25);
  faults.restarted = chance(random, 15);
  faults.overslept = chance(random, 10);
  return faults;
}

class ServiceDays {
 public:
  ServiceDays(ScriptedService& service, Random& random) : service_(service), random_(random) {}

  /// The files of day `number` (0 is a Sunday) but its delta: a new bulk file on Sundays, and the deltas before it go.
  void begin(int number) {
    if (number % 7 != 0 && !service_.files.empty()) return;
    service_.files.clear();
    list(core::Kind::bulk, number, between(random_, 500, 1500));
  }
  void list_delta(int number) { list(core::Kind::delta, number, between(random_, 1, 300)); }

  /// Another object under the name of one that is listed.
  std::string republish() {
    auto at = service_.files.begin();
    std::advance(at, between(random_, 0, std::ssize(service_.files) - 1));
    at->second.version = at->second.version % 100 + 1;
    at->second.size += between(random_, 1, 50);
    return at->first;
  }

 private:
  void list(core::Kind kind, int number, std::int64_t size) {
    service_.files[file_name(kind, number)] = {kind, base::iso8601(day(number)), size,
                                               static_cast<int>(between(random_, 1, 100))};
  }

  ScriptedService& service_;
  Random& random_;
};

}  // namespace vtmirror::test
