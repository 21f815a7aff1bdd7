#include "simulator/http_date.hpp"

#include <array>

namespace vtmirror::simulator {

std::string http_date(base::Time time) {
  static constexpr std::array<const char*, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const base::Date date(day);
  const std::string iso = base::iso8601(time);  // 2026-11-18T08:07:12Z
  return std::string(weekdays[std::chrono::weekday(day).c_encoding()]) + ", " + iso.substr(8, 2) + " " +
         months[static_cast<unsigned>(date.month()) - 1] + " " + iso.substr(0, 4) + " " + iso.substr(11, 8) + " GMT";
}

}  // namespace vtmirror::simulator
