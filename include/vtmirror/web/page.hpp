// The status page: one HTML document of the state of the moment, and the files beside it, which are compiled in.
// Promises that every text of the service, of a file or of a setting is escaped, that the page has no style, script or
// handler of its own (its Content-Security-Policy would forbid it), and that it says the same without the script.
// Pure: the clock and the time zone are arguments. Never shows a secret: a status holds none.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/report/calendar.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/report/status.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::web {

/// How many cycles are drawn.
inline constexpr int plotted_cycles = 60;

struct PageFacts {
  report::Status status{};
  report::DayCalendar calendar{};
  std::vector<core::CycleRecord> cycles{};  ///< newest first
  std::optional<base::Date> day{};          ///< whose week is shown in detail; empty: the newest week
  std::string unreadable{};                 ///< why the catalogue cannot be read; empty: it was read
  base::Time now{};
  report::UtcOffset utc_offset{};  ///< of the daemon's machine; the script shows the reader's own
};

std::string page_html(const PageFacts& facts);

struct File {
  std::string_view path{};  ///< "/style.css"
  std::string_view type{};  ///< for Content-Type
  std::string_view bytes{};
};
/// The files that the page asks for; null if there is none of that path.
const File* find_file(std::string_view path) noexcept;

}  // namespace vtmirror::web
