// Checks a whole ZIP file with libzip, whose verdict and reason are final.
// Changes nothing.
#pragma once

#include "mirror/tally.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::mirror {

/// Reads a ZIP file as a consumer would: its directory against its members, and each whole member against its checksum.
/// Promises that a file that passes can be unpacked completely. Holds the directory and a few buffers in memory, never
/// a member. Takes ownership of the descriptor. Errors: integrity, with the member's name (also for an empty or an
/// encrypted ZIP); io; cancelled.
base::Result<void> check_zip(base::Descriptor file, const std::string& name, Tally& tally);

}  // namespace vtmirror::mirror
