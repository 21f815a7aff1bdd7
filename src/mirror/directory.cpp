#include "vtmirror/mirror/directory.hpp"

#include "mirror/directory_shelf.hpp"
#include "mirror/failure.hpp"
#include "mirror/scratch.hpp"

#include <sys/stat.h>

#include <utility>

namespace vtmirror::mirror {
namespace {

base::Result<void> make_private_directory(const Tree& tree, std::string_view path) {
  auto directory = tree.make_directory(path);
  if (!directory) return directory.error();
  if (::fchmod(directory->get(), 0700) != 0) return failure(errno, path, "change the mode");
  return {};
}

}  // namespace

base::Result<Directory> open_directory(const DirectorySettings& settings) {
  auto tree = Tree::open_root(settings.directory);
  if (!tree) return tree.error();
  for (const auto path : {own::partial, own::quarantine})
    if (auto made = make_private_directory(*tree, path); !made) return made.error();
  const auto place = std::make_shared<Place>(std::move(*tree), settings.directory);
  return Directory{.partials = std::make_unique<Scratch>(place, settings.direct_io),
                   .shelf = std::make_unique<DirectoryShelf>(place)};
}

}  // namespace vtmirror::mirror
