// A listed name as a path in one flat directory, and back: "v1/a.zip" is "v1%2Fa.zip".
// Promises that different names stay different and that the name can be restored. A name too long for one directory
// entry is split over several, in directories that end in `%`. Leaves room at the end for ".reason.txt", in which no
// flat name ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::mirror {

std::string flat_name(std::string_view name);
/// Empty if `flat` is not a result of `flat_name`.
std::optional<std::string> listed_name(std::string_view flat);

inline constexpr std::string_view reason_suffix = ".reason.txt";

}  // namespace vtmirror::mirror
