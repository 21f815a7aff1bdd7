// Checks one file from its first byte to its last: size, digest, ZIP.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/ports/file_check.hpp"

#include <cstdint>
#include <string>

namespace vtmirror::mirror {

/// `path` is where the file lies below the tree, `name` what it is called in errors. The Watch counts each pass over
/// the file: with digest and ZIP, up to twice its size. Errors: integrity, io, cancelled.
base::Result<ports::Checked> check_file(const Tree& tree, const std::string& path, const std::string& name,
                                        std::int64_t size, ports::CheckRules rules, const ports::Watch& watch);

}  // namespace vtmirror::mirror
