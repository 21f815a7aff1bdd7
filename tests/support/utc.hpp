// A zone without summer time, in which a day is what its date says.
#pragma once

#include "vtmirror/core/schedule.hpp"

namespace vtmirror::test {

class Utc : public core::Zone {
 public:
  base::Date day_of(base::Time time) const override { return std::chrono::floor<std::chrono::days>(time); }
  base::Time instant(base::Date date, std::chrono::minutes since_midnight) const override {
    return std::chrono::sys_days(date) + since_midnight;
  }
};

}  // namespace vtmirror::test
