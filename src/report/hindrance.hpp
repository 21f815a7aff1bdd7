// How a hindrance (core/hindrance.hpp) reads in the problem `repair_failed`, and what to do about it. Pure.
#pragma once

#include "vtmirror/core/hindrance.hpp"

#include <string>
#include <string_view>

namespace vtmirror::report {

/// What its problem says: `subject` and `reason` are those of the cause, as the reader is to see them.
std::string sentence(core::Hindrance hindrance, const std::string& subject, const std::string& reason);

/// Empty for `none`.
std::string_view advice_on(core::Hindrance hindrance) noexcept;

}  // namespace vtmirror::report
