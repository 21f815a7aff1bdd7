#include "vtmirror/host/zone.hpp"

#include "vtmirror/base/text.hpp"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include <chrono>

namespace vtmirror::host {
namespace {

class SystemZone : public core::Zone {
 public:
  explicit SystemZone(cctz::time_zone zone) : zone_(zone) {}

  base::Date day_of(base::Time time) const override {
    const cctz::civil_day day(cctz::convert(std::chrono::floor<cctz::seconds>(time), zone_));
    return {std::chrono::year{static_cast<int>(day.year())}, std::chrono::month{static_cast<unsigned>(day.month())},
            std::chrono::day{static_cast<unsigned>(day.day())}};
  }

  base::Time instant(base::Date day, std::chrono::minutes since_midnight) const override {
    const cctz::civil_day civil(static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                                static_cast<unsigned>(day.day()));
    const auto local = cctz::civil_second(civil) + std::chrono::seconds(since_midnight).count();
    const auto found = zone_.lookup(local);
    // `pre` uses the offset before the change: the only one, or the first of two; `trans` is the change itself.
    return found.kind == cctz::time_zone::civil_lookup::SKIPPED ? found.trans : found.pre;
  }

 private:
  cctz::time_zone zone_;
};

/// cctz would read any file that an absolute name, ".." or "file:" leads to, and use TZ for "libc:localtime".
bool is_name(const std::string& name) {
  return !name.empty() && name.front() != '/' && name.find("..") == std::string::npos &&
         name.find(':') == std::string::npos;
}

}  // namespace

base::Result<std::unique_ptr<core::Zone>> load_zone(const std::string& iana_name) {
  cctz::time_zone zone;
  if (is_name(iana_name) && cctz::load_time_zone(iana_name, &zone)) return std::make_unique<SystemZone>(zone);
  return base::Error{base::Errc::config,
                     "unknown time zone \"" + base::printable(iana_name, 80) +
                         "\" (use an IANA name such as \"Europe/London\", and install the package tzdata)"};
}

}  // namespace vtmirror::host
