#include "vtmirror/host/local_time.hpp"

#include <ctime>

namespace vtmirror::host {

base::Time machine_now() { return std::chrono::floor<base::Milliseconds>(std::chrono::system_clock::now()); }

std::chrono::seconds utc_offset(base::Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  const auto instant = static_cast<std::time_t>(seconds);
  std::tm local{};
  if (::localtime_r(&instant, &local) == nullptr) return {};
  return std::chrono::seconds(local.tm_gmtoff);
}

}  // namespace vtmirror::host
