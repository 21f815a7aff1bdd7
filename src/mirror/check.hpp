// Checks one whole file: size, digest, ZIP.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/partials.hpp"

#include <cstdint>
#include <string>

namespace vtmirror::mirror {

/// `path` is the file's place below the tree, `name` its name in errors. The Watch counts the bytes read: up to twice
/// the file's size, if its ZIP needs a closer look. Errors: integrity, io, cancelled.
base::Result<ports::Checked> check_file(const Tree& tree, const std::string& path, const std::string& name,
                                        std::int64_t size, ports::CheckRules rules, const ports::Watch& watch);

}  // namespace vtmirror::mirror
