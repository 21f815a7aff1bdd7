// Checks a whole ZIP file, whatever is unusual about it. Its verdict and reason are final.
// Changes nothing.
#pragma once

#include "mirror/tally.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::mirror {

/// Reads a ZIP file as a consumer would: its layout (mirror/zip_layout.hpp), what libzip thinks of its records, and
/// each whole member against its size and checksum, gzip files to their ends. Promises that a file that passes is
/// unpacked completely, and by every program to the same files. Bounded are the bytes that it inflates
/// (`most_inflated`), the members and the memory. Errors: integrity, with the member's name and a reason for people
/// (also for an empty ZIP); io; cancelled.
base::Result<void> check_zip(const base::Descriptor& file, const std::string& name, Tally& tally);

}  // namespace vtmirror::mirror
