#include "vtmirror/host/local_time.hpp"

#include "host/variable.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <memory>

namespace vtmirror::host {
namespace {

using std::chrono::hours;

base::Time at(const char* text) { return base::parse_time(text).value(); }

/// The C library reads TZ again when tzset is called.
struct Zone {
  explicit Zone(const char* name) : variable(std::make_unique<Variable>("TZ", name)) { ::tzset(); }
  ~Zone() {
    variable.reset();
    ::tzset();
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  std::unique_ptr<Variable> variable;
};

TEST_CASE("the local time is ahead of UTC by what the zone of the process says of that instant") {
  {
    const Zone tokyo("Asia/Tokyo");
    CHECK(utc_offset(at("2026-11-18T08:00:00Z")) == hours(9));
  }
  {
    const Zone london("Europe/London");
    CHECK(utc_offset(at("2026-11-18T08:00:00Z")) == hours(0));
    CHECK(utc_offset(at("2026-07-18T08:00:00Z")) == hours(1));
    CHECK(utc_offset(at("2026-10-25T00:59:59Z")) == hours(1));
    CHECK(utc_offset(at("2026-10-25T01:00:00Z")) == hours(0));
  }
  const Zone west("XXX3:30");
  CHECK(utc_offset(at("2026-11-18T08:00:00Z")) == -std::chrono::minutes(210));
}

}  // namespace
}  // namespace vtmirror::host
