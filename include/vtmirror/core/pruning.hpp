// What `vtmirror prune` and POST /v1/prune remove, or would remove: what the policy no longer keeps, as the newest
// listing is known. Only values.
#pragma once

#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/forecast.hpp"
#include "vtmirror/core/plan.hpp"

#include <vector>

namespace vtmirror::core {

struct Pruning {
  std::vector<Action> removals;     ///< done, or to be done; each of kind prune
  std::vector<Failure> failures{};  ///< directories that cannot be read, while which nothing is planned to be removed;
                                    ///< and files that could not be removed
  Outlook outlook{};                ///< of the disk, with what is held before anything is removed
};

}  // namespace vtmirror::core
