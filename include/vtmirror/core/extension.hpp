// Extends the plan of a running cycle by what a later listing adds.
// Pure: values in, values out. Never stops or repeats what still runs.
#pragma once

#include "vtmirror/core/left_out.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/plan.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <span>
#include <string>
#include <vector>

namespace vtmirror::core {

/// What a plan made of a later listing adds to the one that is being carried out: downloads, and files that are left
/// out, unless `running` itself acts on the file. A file that `running` keeps may have been replaced. `over`: files
/// whose download by `running` has ended, and which may be downloaded again: one that was published may have been
/// replaced since, and one that failed is due for another try.
std::vector<Action> additions(const Plan& running, const Plan& later, std::span<const std::string> over = {});

/// `running` with what `later` adds, and with the removals of `later`, which knows what is listed now. No unfinished
/// file that `running` downloads is removed.
Plan extended(const Plan& running, const Plan& later, std::span<const std::string> over = {});

struct Extension {
  Plan plan;                      ///< the extended one, to be carried out from now on
  std::vector<Action> added;      ///< in it
  std::vector<LeftOut> left_out;  ///< of `added`
};

/// `running` is being carried out, `later` was listed meanwhile, and `now` is what is there.
/// - Unfinished files that left the listing stay until the next cycle, because one may be downloading: their space is
///   not free.
/// - A bulk file that is quarantined is downloaded again once a day, not with each listing.
Extension extend(const Plan& running, const Listing& later, Inventory now, const Policy& policy,
                 std::span<const std::string> over);

}  // namespace vtmirror::core
