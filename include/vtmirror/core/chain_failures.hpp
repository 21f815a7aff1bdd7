// Turns what the mirror lacks after a cycle into failures of that cycle: files and days that its chain lacks, and files
// that are lost and cannot be downloaded again. Each has a code and fields; `report` makes the sentence. Pure.
#pragma once

#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/plan.hpp"

#include <optional>
#include <vector>

namespace vtmirror::core {

/// Why the chain is not complete although the cycle did all that it was asked for, as failures of that cycle: one for
/// each missing file, and one for all days of which nothing is known. Empty if the chain is complete.
std::vector<Failure> failures_of(const Chain& chain);
/// Whether another cycle of the same day would fail in the same way: what is missing is not listed any more.
bool no_try_helps(const Failure& failure);

/// The file that such a failure is about, with reason and cause. Empty for any other cause, and for one stored by an
/// older version, which kept the sentence instead.
std::optional<Missing> missing_in(const Cause& cause);
/// The days of such a failure, ascending; none for any other cause.
std::vector<base::Date> unaccounted_in(const Cause& cause);

/// Why a file that is lost in this way is left out: the listing has no usable entry of it.
Cause lost_for_good(Reason reason);
/// How the file was lost, from a cause that `lost_for_good` made; empty for any other cause.
std::optional<Reason> loss_in(const Cause& cause);

}  // namespace vtmirror::core
