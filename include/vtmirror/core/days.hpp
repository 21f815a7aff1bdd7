// How each day stands: what the status page, GET /v1/calendar and `vtmirror coverage --calendar` draw.
// Pure. Promises one state for each day of the range, the worst of that day's files, and the same files to load as the
// chain. Never reads a clock.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/calendar.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/files.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// From the worst to the best: the state of a day is the worst of its files.
enum class DayState {
  damaged,      ///< its bytes failed a check: on disk, or twice after a download (quarantined)
  lost,         ///< it was published, and is not on disk any more
  refused,      ///< its entry in the listing failed a check
  late,         ///< no listing that was read after the day's tries has its delta, or a later one
  missing,      ///< listed, and not held as listed
  downloading,  ///< the same, and bytes are coming
  expected,     ///< no delta is listed yet of that day or a later one, and its tries have not ended
  unknown,      ///< no listing covered the day
  absent,       ///< the service made no delta
  held,         ///< public, whole, verified
  removed,      ///< was held, and was pruned since
};

struct DayStateKind {
  DayState state{};
  std::string_view name{};  ///< as in JSON
};

/// In the order of the states.
inline constexpr std::array day_state_kinds{
    DayStateKind{DayState::damaged, "damaged"},   DayStateKind{DayState::lost, "lost"},
    DayStateKind{DayState::refused, "refused"},   DayStateKind{DayState::late, "late"},
    DayStateKind{DayState::missing, "missing"},   DayStateKind{DayState::downloading, "downloading"},
    DayStateKind{DayState::expected, "expected"}, DayStateKind{DayState::unknown, "unknown"},
    DayStateKind{DayState::absent, "absent"},     DayStateKind{DayState::held, "held"},
    DayStateKind{DayState::removed, "removed"},
};

constexpr const DayStateKind& kind_of(DayState state) noexcept {
  return day_state_kinds[static_cast<std::size_t>(state)];
}
constexpr std::string_view name(DayState state) noexcept { return kind_of(state).name; }

/// A file that was listed or held for a day.
struct DayFile {
  Kind kind{};
  std::string name;
  std::int64_t size = 0;
  DayState state{};
  int load = 0;                           ///< its place in the chain, from 1; 0: it is not in it
  std::optional<MissingReason> reason{};  ///< why it is not held, if the chain asks for it
  std::string detail{};                   ///< for people; empty here: `report` writes it
  friend bool operator==(const DayFile&, const DayFile&) = default;
};

struct Day {
  base::Date date{};
  DayState state{};
  std::vector<DayFile> files{};  ///< the bulk file first; none for a day without an entry
  friend bool operator==(const Day&, const Day&) = default;
};

/// What the calendar and the chain do not know.
struct DayFacts {
  base::Date today{};
  std::optional<base::Date> awaited{};     ///< the day whose delta is asked for now, or was asked for last
  std::vector<base::Date> late{};          ///< days that the problem `late_delta` is about
  std::optional<base::Date> settled{};     ///< the last day whose tries had ended when the newest listing was read
  std::vector<std::string> downloading{};  ///< names
};

/// The newest `most` days, ascending: from the first day that anything is known of to today, or to the newest file
/// if that is later, by a week at most. Empty if nothing is known and nothing is awaited. `files`: what is
/// published. `chain`: of the same moment.
std::vector<Day> days_of(const Calendar& calendar, const Chain& chain, std::span<const FileRecord> files,
                         const DayFacts& facts, int most);

/// "7 days held, 1 late": how many days have each state, the worst first.
struct DayCount {
  DayState state{};
  int days = 0;
};
std::vector<DayCount> count_of(std::span<const Day> days);

}  // namespace vtmirror::core
