#include "simulator/write_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace vtmirror::simulator {

base::Result<void> write_file(const std::string& path, std::string_view text, bool secret) {
  const mode_t mode = secret ? 0600 : 0644;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) return base::Error{base::Errc::io, "cannot write " + path};
  const bool narrowed = fchmod(file, mode) == 0;  // for a file that already existed
  const bool written = narrowed && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  if (!written) return base::Error{base::Errc::io, "cannot write " + path};
  return {};
}

base::Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return base::Error{base::Errc::io, "cannot read " + path};
  return text;
}

}  // namespace vtmirror::simulator
