// Times relative to now, for people: "tomorrow 08:03", "in 14h", "3 days ago". Pure.
#pragma once

#include "vtmirror/report/status.hpp"

#include <string>

namespace vtmirror::report {

class ReaderClock {
 public:
  ReaderClock(base::Time now, const TableLook& look) : now_(now), look_(look) {}

  /// "today 08:03", "yesterday 08:03", "2026-11-25 08:03"; with "UTC" if the reader's time zone is unknown.
  std::string at(base::Time time) const;
  /// "in 14h", "12s ago", "now".
  std::string away(base::Time time) const;
  /// "today", "3 days ago", "in 103 days".
  std::string away(base::Date day) const;

 private:
  base::Time local(base::Time time) const;
  base::Date day_of(base::Time time) const;

  base::Time now_;
  const TableLook& look_;
};

}  // namespace vtmirror::report
