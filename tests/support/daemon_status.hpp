// The status of a daemon on a quiet day, for the commands that ask it.
#pragma once

#include "vtmirror/report/status.hpp"

#include <string>

namespace vtmirror::test {

inline base::Time instant(const std::string& text) { return base::parse_time(text).value(); }
inline base::Date date(const std::string& text) { return base::parse_date(text).value(); }

inline report::Status quiet_status() {
  report::Status status;
  status.version = "1.0.0";
  status.state = core::State::idle;
  status.since = instant("2026-11-18T08:10:22Z");
  status.last_cycle = report::LastCycleStatus{
      instant("2026-11-18T08:03:10Z"), instant("2026-11-18T08:03:20Z"), core::Outcome::complete, 2, 95'800'000, ""};
  status.mirror = {"/var/lib/vtmirror/mirror", 12, 41'300'000'000, 210'000'000'000, 42};
  status.chain = {true, date("2026-11-18"), {}, {}};
  status.secret = {date("2027-03-01"), false, 103, {}};
  return status;
}

}  // namespace vtmirror::test
