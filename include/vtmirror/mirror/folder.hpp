// The folder that `vtmirror adopt` reads, on a real file system.
// Promises what ports/folder.hpp promises. Never links a file that anybody but the mirror's own user may change.
#pragma once

#include "vtmirror/ports/folder.hpp"

#include <memory>
#include <string>

namespace vtmirror::mirror {

/// Opens the folder `path`, for adoption into the mirror in `mirror`, which must exist. If the mirror lies in the
/// folder, it is left out. Errors: config, if there is no such folder, or it lies in the mirror itself; io.
base::Result<std::unique_ptr<ports::Folder>> open_folder(const std::string& path, const std::string& mirror);

}  // namespace vtmirror::mirror
