// The classes of events that can happen in a life, which of them one life draws, and what one of its days brings.
// Promises that a class that a life has not drawn never happens in it. Everything follows from the dice.
#pragma once

#include "support/every.hpp"
#include "support/upstream.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <string>

namespace vtmirror::test {

enum class Fault {
  api,                     ///< requests to issuer and listing fail in one way or another
  breaks,                  ///< bodies break on the way, or come wrong
  expiry,                  ///< bodies begin so late that the links end
  late,                    ///< today's delta is listed hours later, or not before tomorrow
  late_by_days,            ///< or days later, also after the next roll-over
  absent,                  ///< or never
  republished,             ///< another object with another size under a listed name
  republished_on_the_way,  ///< while it is downloaded
  republished_in_secret,   ///< with the same size and date
  two_bulks,               ///< the bulk file of the week before is listed beside the new one
  old_bulk,                ///< or instead of it
  empty_listing,           ///< nothing is listed, or no bulk file
  refused,                 ///< an entry of the listing is not readable
  fails_for_days,          ///< one file cannot be downloaded
  slow,                    ///< transfers take hours
  ranges_ignored,          ///< the store sends a whole file where a part was requested
  lost,                    ///< files disappear from the mirror's disk
  put_back,                ///< and somebody puts some of them back
  rotten,                  ///< a bit of a held file flips, and neither its size nor its times show it
  unfinished_touched,      ///< an unfinished file disappears, or is cut or damaged, while no process runs
  disk_full,               ///< what is to be downloaded does not fit
  full_at_start,           ///< nothing can be written while a process starts
  catalogue_locked,        ///< another program holds the catalogue's lock
  catalogue_locked_at_start,
  clock_set,
  killed,
  restarted,
  overslept,  ///< the machine is suspended beyond the wake-up
  catalogue_lost,
  state_wiped,       ///< catalogue and mirror, with all that is in them
  settings_refused,  ///< a reload is refused, and another one is accepted hours later
  /// A file of a day to come is listed by mistake. Has dice of its own: a mirror that leaves it out lives as without
  /// it.
  to_come,
};

/// What one life draws: some classes with their weights, the others never.
class Swarm {
  using Percents = std::array<std::uint64_t, every<Fault>().size()>;
  // Before the others: members are drawn in this order, and a seed keeps its life.
  Percents percent_;

 public:
  explicit Swarm(Random& random);
  bool has(Fault fault) const { return percent(fault) > 0; }
  bool has(std::string_view name) const;  ///< by its name in `Fault`
  /// Of the days on which it happens.
  std::uint64_t percent(Fault fault) const { return percent_[static_cast<std::size_t>(fault)]; }

  std::uint64_t calm_percent;  ///< of the days on which nothing happens
  int keep_cycles;
  std::string logged() const;  ///< for people

 private:
  static Percents draw_percents(Random& random);
};

/// What is wrong on a day; nothing on many.
struct DayFaults {
  std::set<Fault> drawn;
  std::uint64_t api_percent = 0;     ///< of requests
  std::uint64_t break_percent = 0;   ///< of bodies
  std::uint64_t expiry_percent = 0;  ///< of bodies

  bool has(Fault fault) const { return drawn.contains(fault); }
  bool of_the_delta() const { return has(Fault::late) || has(Fault::late_by_days) || has(Fault::absent); }
  bool any_but_of_the_delta() const;
};

/// On most days of a roll-over two classes come together.
DayFaults roll_faults(const Swarm& swarm, Random& random, bool rolls_over);

}  // namespace vtmirror::test
