// The chain as the catalogue has it now, with the reason and the cause of each missing file: the manifest, the status,
// `vtmirror coverage` and what consumers get are all made of this one.
// Changes nothing.
#pragma once

#include "vtmirror/catalogue/files.hpp"
#include "vtmirror/core/chain.hpp"

#include <optional>
#include <vector>

namespace vtmirror::catalogue {

struct ChainNow {
  core::Chain chain;
  std::vector<core::Held> held;  ///< all that is public and whole
  std::vector<core::Held> lost;  ///< all that is published and is not whole on disk
  core::Calendar calendar;       ///< that the chain was made of
  std::optional<base::Time> listed_at{};
  std::vector<core::FileRecord> files{};  ///< all that is published, whole or not
};

/// Errors: catalogue, io.
base::Result<ChainNow> chain_now(const Files& catalogue);

}  // namespace vtmirror::catalogue
