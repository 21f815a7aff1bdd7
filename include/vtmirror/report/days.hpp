// Days and times in words for people: "15, 16 and 17 Nov", "2026-11-22 09:35:10" by the reader's clock. Pure.
#pragma once

#include "vtmirror/base/time.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// The reader's UTC offset at that instant. Empty if the reader's time zone is not known.
using UtcOffset = std::function<std::chrono::seconds(base::Time)>;

/// "2026-11-22 09:35:10"; without an offset in UTC, as "2026-11-22T09:35:10Z".
std::string local_time(base::Time time, const UtcOffset& offset);

/// "2026-11-22 09:35:10 +02:00", for readers elsewhere, as those of a mail may be; without an offset in UTC, as above.
std::string local_time_with_offset(base::Time time, const UtcOffset& offset);

/// The day by the reader's clock; without an offset that of UTC.
base::Date local_day(base::Time time, const UtcOffset& offset);

/// "09:35" by the reader's clock; without an offset "07:35 UTC".
std::string minute_words(base::Time time, const UtcOffset& offset);

/// "today", "tomorrow" or "yesterday"; empty for any other day.
std::string_view near_day(base::Date day, base::Date today);

/// "in 14h", "12s ago", "in 3 days", "now".
std::string away_words(base::Time time, base::Time now);

/// "09:35", "tomorrow 09:35", "2026-11-25 09:35": with the day where it is not today, in the words of the status;
/// without an offset in UTC, as "09:35 UTC".
std::string clock_time(base::Time time, base::Time now, const UtcOffset& offset);

/// "Nov"
std::string month_words(base::Date day);
/// "20 Nov"
std::string day_words(base::Date day);
/// "15, 16 and 17 Nov", "30 Nov and 1 Dec", "19 to 22 Nov", with the years if they are not all of one: "29 Nov 2026 to
/// 26 Nov 2027". `days` are ascending and valid. Empty if there are none.
std::string days_words(const std::vector<base::Date>& days);

}  // namespace vtmirror::report
