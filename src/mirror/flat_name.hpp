// A listed name as a path in one flat directory, and back: "v1/a.zip" is "v1%2Fa.zip".
// Promises that two names never meet and that the name can be read back; a name too long for one directory entry is cut
// into several, in directories that end in `%`. Leaves room behind it for ".reason.txt", which no flat name ends in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::mirror {

std::string flat_name(std::string_view name);
/// Empty when `flat` is nothing that `flat_name` gives.
std::optional<std::string> listed_name(std::string_view flat);

inline constexpr std::string_view reason_suffix = ".reason.txt";

}  // namespace vtmirror::mirror
