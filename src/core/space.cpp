#include "vtmirror/core/space.hpp"

#include <algorithm>

namespace vtmirror::core {

Fit Space::claim(std::int64_t size, std::int64_t allocated) {
  Fit fit{.needs = std::max<std::int64_t>(0, size - allocated), .free = left_};
  fit.fits = fit.needs == 0 || fit.needs <= left_;
  if (fit.fits) left_ -= fit.needs;
  return fit;
}

base::Error does_not_fit(const Fit& fit, std::int64_t reserve) {
  return {.code = base::Errc::no_space, .shortage = base::Shortage{fit.needs, fit.free, reserve}};
}

Cause no_room(const Fit& fit, std::int64_t reserve) { return cause_of(does_not_fit(fit, reserve)); }

bool is_due_to_reserve(const Cause& cause) {
  const auto needed = number(cause, "needed");
  return needed && *needed <= number(cause, "free").value_or(0) + number(cause, "reserve").value_or(0);
}

}  // namespace vtmirror::core
