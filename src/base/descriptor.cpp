#include "vtmirror/base/descriptor.hpp"

#include <fcntl.h>

namespace vtmirror::base {

int sync_directory(const Descriptor& directory) {
  const int error = error_of(uninterrupted([&] { return ::fsync(directory.get()); }));
  return error == EINVAL ? 0 : error;
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int sync_above(const std::string& path) {
  const Descriptor parent(::open(directory_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return parent.valid() ? sync_directory(parent) : errno;
}

}  // namespace vtmirror::base
