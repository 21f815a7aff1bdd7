// What `vtmirror prune` removes, or would remove: as a table, as a summary, and as the JSON of /v1/prune, written and
// parsed. Pure.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/pruning.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace vtmirror::report {

/// A row for each file that would be removed, what that frees, how long the disk lasts, and what a smaller
/// mirror.keep_cycles would free.
std::string removals_text(const core::Pruning& pruning, std::size_t width);

/// "removed bulk 8 Nov (38.2 GB): in an older chain than mirror.keep_cycles keeps"
std::string removed_line(const core::Action& action);
/// One line: "removed 8 files, 38.2 GB; ...".
std::string pruned_summary(const core::Pruning& pruning);

/// `done`: the files were removed; otherwise they would be.
std::string pruning_json(const core::Pruning& pruning, bool done);
/// What `pruning_json` wrote. Of an older daemon failures come back as sentences. Errors: protocol.
base::Result<core::Pruning> parse_pruning(std::string_view json);

}  // namespace vtmirror::report
