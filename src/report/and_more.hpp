// How a sentence about one of several files ends: " (and 2 more)". Pure.
#pragma once

#include "vtmirror/core/cause.hpp"

#include <string>

namespace vtmirror::report {

/// By the cause's field `more`; empty if there are no others.
inline std::string and_more(const core::Cause& cause) {
  const auto more = core::number(cause, "more").value_or(0);
  return more > 0 ? " (and " + std::to_string(more) + " more)" : "";
}

}  // namespace vtmirror::report
