#include "mirror/text_file.hpp"

#include "mirror/own_names.hpp"
#include "mirror/tree.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t largest_text = std::size_t{64} << 20;

int write_whole(const base::Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const auto written = base::uninterrupted([&] { return ::write(file.get(), text.data(), text.size()); });
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

base::Result<std::optional<std::string>> read_text(const Tree& tree, std::string_view path) {
  Opened file = tree.try_open(path, O_RDONLY);
  if (file.error == ENOENT) return std::optional<std::string>{};
  if (file.error != 0) return failure(file.error, path, "open");
  std::string text;
  std::array<char, 65536> block{};
  for (;;) {
    const auto got = base::uninterrupted([&] { return ::read(file.descriptor.get(), block.data(), block.size()); });
    if (got < 0) return failure(errno, path, "read");
    if (got == 0) return std::optional<std::string>(std::move(text));
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > largest_text) return failure(EFBIG, path, "read");
  }
}

bool is_not_ours(const Tree& tree, std::string_view path) {
  const auto link = tree.link_target(path);
  if (link && *link) return true;
  const int error = tree.try_open(path, O_RDONLY).error;
  return error == EACCES || error == EISDIR || error == ENXIO;
}

base::Result<void> replace_text(const Tree& tree, std::string_view path, std::string_view text, mode_t mode) {
  if (auto removed = tree.remove(own::new_text); !removed) return removed.error();
  {
    auto file = tree.open(own::new_text, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!file) return file.error();
    int error = write_whole(*file, text);
    if (error == 0) error = base::error_of(::fchmod(file->get(), mode));
    if (error == 0) error = base::error_of(base::uninterrupted([&] { return ::fsync(file->get()); }));
    if (error != 0) return failure(error, path, "write");
  }
  return tree.rename(own::new_text, path);
}

}  // namespace vtmirror::mirror
