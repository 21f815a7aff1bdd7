#include "mirror/check.hpp"

#include "mirror/arrival_check.hpp"

#include <fcntl.h>

#include <utility>

namespace vtmirror::mirror {

base::Result<ports::Checked> check_file(const Tree& tree, const std::string& path, const std::string& name,
                                        std::int64_t size, ports::CheckRules rules, const ports::Watch& watch) {
  Opened file = tree.try_open(path, O_RDONLY);
  if (file.error != 0) return failure(file.error, name, "open");
  return ArrivalCheck(std::move(file.descriptor), name, size, rules).finish(watch);
}

}  // namespace vtmirror::mirror
