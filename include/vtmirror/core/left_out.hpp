// The listed files that a plan leaves out, and what each of them counts as.
// Pure: a table from actions to failures. Makes no sentence and holds no link.
#pragma once

#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace vtmirror::core {

/// A file that a plan skips or refuses.
struct LeftOut {
  Action action;
  Failure failure;       ///< with the file as its subject; the cause of a file that was lost says no more than that
  bool is_held = false;  ///< only its entry is refused: the file stays in the chain as it is
  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

/// Whether it is a failure of the cycle: not if the file is held, nor if its day is still to come.
bool is_failure(const LeftOut& file) noexcept;

/// Those of `actions` that leave a file out, in their order. `plan` says which files are held.
std::vector<LeftOut> left_out(std::span<const Action> actions, const Plan& plan);

/// The files of a plan for which the disk has no room beside `reserve`.
std::vector<Unfit> unfit(const Plan& plan, std::int64_t reserve);

}  // namespace vtmirror::core
