// Checks one whole file: size, digest, ZIP.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/ports/file_check.hpp"

#include <cstdint>
#include <string>

namespace vtmirror::mirror {

/// `path` is the file's place below the tree, `name` its name in errors. The Watch counts each pass over the file: with
/// digest and ZIP, up to twice its size. Errors: integrity, io, cancelled.
base::Result<ports::Checked> check_file(const Tree& tree, const std::string& path, const std::string& name,
                                        std::int64_t size, ports::CheckRules rules, const ports::Watch& watch);

}  // namespace vtmirror::mirror
