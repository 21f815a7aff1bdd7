// A line with a bar for each file that is on its way. Pure.
#pragma once

#include "vtmirror/core/status.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace vtmirror::core {

/// 0 to 100, rounded down: 100 only when all is there.
int percent(std::int64_t part, std::int64_t whole) noexcept;

/// Where the width (0: none) is short, names are cut, then the bars go; what is still too long is the caller's to cut.
std::vector<std::string> download_lines(const std::vector<DownloadStatus>& downloads, std::size_t width);

}  // namespace vtmirror::core
