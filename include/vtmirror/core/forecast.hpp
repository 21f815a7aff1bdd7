// How long the disk lasts at the present growth, and what keeping fewer chains would free.
// Pure. Promises no guess: nothing is forecast before two whole chains have been measured. Never counts what other
// programs write to the disk.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/calendar.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace vtmirror::core {

/// What a chain weighs, measured over the whole chains of the last weeks: those that a later bulk file has ended.
struct Growth {
  std::int64_t bulk = 0;    ///< bytes of the newest bulk file
  std::int64_t deltas = 0;  ///< bytes of deltas a day, rounded up
  int days = 0;             ///< from a bulk file to the next one
  base::Date newest{};      ///< the newest bulk file's date
  friend bool operator==(const Growth&, const Growth&) = default;
};

/// How many whole chains a forecast needs, and how far back they are looked for.
inline constexpr int measured_chains = 2;
inline constexpr std::chrono::days measured_for{70};

/// Measured from files that were ever held. Empty if there are fewer than `measured_chains` whole chains, or if the
/// newest bulk file is older than two chains: then the growth of those days says nothing about the present.
std::optional<Growth> growth(const Calendar& calendar, base::Date today);

struct Forecast {
  std::int64_t chain_bytes = 0;       ///< of a bulk file with its deltas
  int chain_days = 0;                 ///< days from one bulk file to the next
  std::optional<base::Date> full_on;  ///< the first day whose files do not fit; empty if there is none in `horizon`
  bool soon = false;                  ///< the next two bulk files with their deltas do not fit
  friend bool operator==(const Forecast&, const Forecast&) = default;
};
inline constexpr std::chrono::days horizon{5 * 365};

/// What keeping the newest `keep_cycles` chains would remove now.
struct Saving {
  int keep_cycles = 0;
  std::int64_t bytes = 0;
  friend bool operator==(const Saving&, const Saving&) = default;
};

/// Of the settings that would remove something, some that a person may choose from: the one that removes least first.
std::vector<Saving> savings(const Calendar& calendar, const Stock& stock);

/// The disk's future, as far as it can be known.
struct Outlook {
  base::Date today{};     ///< the day that it is made on, UTC
  std::int64_t free = 0;  ///< under the mirror, the reserve included
  std::int64_t reserve = 0;
  int keep_cycles = 0;
  std::optional<Forecast> forecast{};  ///< empty: too little history
  std::vector<Saving> savings{};       ///< of settings that keep fewer chains
  friend bool operator==(const Outlook&, const Outlook&) = default;
};

/// `policy` also says how many chains stay: an older one is removed after the first cycle that begins a newer one, and
/// its space is free a day later (`held_for`). `possible`: what `savings` returned, which costs more than the rest.
Outlook outlook(const Calendar& calendar, const Stock& stock, const std::vector<Saving>& possible, std::int64_t free,
                const Policy& policy, base::Date today);

/// The cause of the problem `disk_forecast`: "full_on", "left", "free", "reserve", "chain_bytes", "chain_days", and
/// "keep" with "frees" if a smaller mirror.keep_cycles would help: the largest one that makes room for two more chains,
/// or else the smallest. Empty if the disk lasts, or if that is not known.
std::optional<Cause> full_soon(const Outlook& outlook);

}  // namespace vtmirror::core
