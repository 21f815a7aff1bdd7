#include "web/files.hpp"

#include "vtmirror/web/page.hpp"

#include <algorithm>
#include <array>

namespace vtmirror::web {

const File* find_file(std::string_view path) noexcept {
  static const std::array<File, 3> files{{
      {"/style.css", "text/css; charset=utf-8", style_css},
      {"/script.js", "text/javascript; charset=utf-8", script_js},
      {"/icon.svg", "image/svg+xml", icon_svg},
  }};
  const auto found = std::ranges::find(files, path, &File::path);
  return found == files.end() ? nullptr : &*found;
}

}  // namespace vtmirror::web
