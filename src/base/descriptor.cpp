#include "vtmirror/base/descriptor.hpp"

#include <fcntl.h>

namespace vtmirror::base {

int sync_directory(const Descriptor& directory) {
  const int error = error_of(uninterrupted([&] { return ::fsync(directory.get()); }));
  return error == EINVAL ? 0 : error;
}

int sync_above(const std::string& path) {
  const auto slash = path.rfind('/');
  const auto above = slash == std::string::npos ? std::string(".") : path.substr(0, slash + 1);
  const Descriptor parent(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return parent.valid() ? sync_directory(parent) : errno;
}

}  // namespace vtmirror::base
