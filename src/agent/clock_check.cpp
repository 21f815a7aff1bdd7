#include "agent/clock_check.hpp"

#include "agent/request_error.hpp"

#include <utility>

namespace vtmirror::agent {
namespace {

/// What is kept for a time is kept for days.
constexpr base::Milliseconds longest_difference = std::chrono::hours(24);

}  // namespace

bool ClockCheck::agreed() const noexcept { return !clocks_differ(server_, own_, longest_difference); }

bool ClockCheck::is_right(base::Time now, base::Steady steady) const noexcept {
  return agreed() && !clocks_differ(own_ + (steady - steady_), now, longest_difference);
}

std::string ClockCheck::words() const {
  return "its Date is " + base::iso8601(*server_) + " and this machine's clock says " + base::iso8601(own_);
}

base::Error ClockCheck::explained(base::Error error) const { return with_clocks(std::move(error), server_, own_); }

}  // namespace vtmirror::agent
