// How the daemon's own rotation of the client secret ended, or why none began. Pure.
// Only values; `report` makes the sentence when it is shown. Never holds a secret.
#pragma once

#include "vtmirror/core/cause.hpp"

#include <string_view>

namespace vtmirror::core {

enum class RotationOutcome {
  none,            ///< none began; if one did, it runs, or its process ended before the result
  in_use,          ///< the new secret was verified and is in use
  verified_later,  ///< the same, by another process or on another day than the one that requested it
  failed,          ///< a secret may have been issued; the cause says why it is not in use
  postponed,       ///< the request was not sent; the cause says why; the next day it is tried again
  cut_off,         ///< the process that had sent the request ended before the answer
  older,           ///< recorded by a version before 0.2.0, as the sentence in the cause's detail
};
/// Errors: none; `older` has no name, because nothing records it any more.
std::string_view name(RotationOutcome outcome) noexcept;

struct RotationEnd {
  RotationOutcome outcome = RotationOutcome::none;
  Cause cause{};
  friend bool operator==(const RotationEnd&, const RotationEnd&) = default;
};

/// What the catalogue keeps: a name of `RotationOutcome`, or the sentence that an older version kept in its place.
RotationEnd rotation_end_of(std::string_view stored, Cause cause);

}  // namespace vtmirror::core
