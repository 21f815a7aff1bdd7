// SHA-256 of a string and of a file, in lower-case hex.
#pragma once

#include "mirror/tally.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::mirror {

std::string sha256(std::string_view text);

/// Reads the whole file in blocks of 1 MiB. Errors: io, cancelled.
base::Result<std::string> sha256(const base::Descriptor& file, const std::string& name, Tally& tally);

}  // namespace vtmirror::mirror
