// `vtmirror status --check`: judges a status as a monitoring plugin does. Pure.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/report/status.hpp"

#include <string>

namespace vtmirror::report {

/// The exit statuses of monitoring plugins, which differ from those of the other commands.
enum class Judgement { ok = 0, warning = 1, critical = 2, unknown = 3 };

struct CheckResult {
  Judgement judgement{};
  std::string line;  ///< "VTMIRROR OK - ... | age=..s;; files=.. bytes=..B free=..B days_left=.."
};

/// Critical: the secret has expired; the chain's newest file is more than two days older than it should be, or there is
/// none after a cycle has ended; the last cycle failed and a problem is of the error kind. Warning: any problem, or a
/// last cycle that failed. Unknown, whatever else is so: the catalogue cannot be read. `age` is the time since the
/// newest file's day began.
CheckResult judge(const Status& status, base::Time now);

/// Without a status the result is unknown.
CheckResult judge(const base::Error& error);

/// The newest day whose delta must be held at `now`: today from 14:00 UTC on (published at 8, with six hours' grace).
base::Date expected_day(base::Time now);

}  // namespace vtmirror::report
