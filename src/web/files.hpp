// The files of src/web, as CMake compiles them in.
// Promises the bytes of the source tree, unchanged. Never reads a file when the program runs.
#pragma once

#include <string_view>

namespace vtmirror::web {

extern const std::string_view page_template;
extern const std::string_view style_css;
extern const std::string_view script_js;
extern const std::string_view icon_svg;

}  // namespace vtmirror::web
