#include "mirror/tree.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/core/shortage.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

namespace vtmirror::mirror {
namespace {

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

/// Removes the first part from `path` and returns it.
std::string cut_part(std::string_view& path) {
  const auto slash = path.find('/');
  std::string part(path.substr(0, slash));
  path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  return part;
}

/// The last check: whatever was checked before, such parts never reach the kernel.
bool plain(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.find('\0') == std::string_view::npos;
}

Opened open_at(const base::Descriptor& in, std::string_view part, int flags, mode_t mode = 0) {
  if (!plain(part)) return {.error = EINVAL};
  const std::string name(part);
  const int all = flags | O_NOFOLLOW | O_CLOEXEC;
  const int fd = base::uninterrupted([&] { return ::openat(in.get(), name.c_str(), all, mode); });
  return {.descriptor = base::Descriptor(fd), .error = base::error_of(fd)};
}

Opened enter(const base::Descriptor& in, std::string_view part) { return open_at(in, part, directory_flags); }

Opened enter_or_make(const base::Descriptor& in, const std::string& part) {
  if (!plain(part)) return {.error = EINVAL};
  const bool made = ::mkdirat(in.get(), part.c_str(), 0755) == 0;
  if (!made && errno != EEXIST) return {.error = errno};
  Opened next = enter(in, part);
  if (next.error == 0 && made) next.error = base::error_of(::fchmod(next.descriptor.get(), 0755));
  if (next.error == 0) next.error = sync_directory(in);
  return next;
}

base::Result<base::Descriptor> checked(Opened opened, std::string_view path) {
  if (opened.error != 0) return failure(opened.error, path, "open");
  return std::move(opened.descriptor);
}

base::Descriptor directory_at(const std::string& path, int flags) {
  return base::Descriptor(base::uninterrupted([&] { return ::open(path.c_str(), flags); }));
}

/// mkdir -p for the mirror itself: each directory that it makes is durable before the next one is made.
int make_root(const std::string& path) {
  int error = base::error_of(::mkdir(path.c_str(), 0755));
  if (error == ENOENT && !parent_of(path).empty()) {
    error = make_root(std::string(parent_of(path)));
    if (error == 0) error = base::error_of(::mkdir(path.c_str(), 0755));
  }
  if (error == EEXIST) {
    // An earlier process may have died between making the directory and syncing it. It was another user's if this one
    // may not read the directory above.
    error = base::sync_above(path);
    return error == EACCES ? 0 : error;
  }
  if (error != 0) return error;
  const auto made = directory_at(path, directory_flags | O_NOFOLLOW);
  if (!made.valid() || ::fchmod(made.get(), 0755) != 0) return errno;
  return base::sync_above(path);
}

}  // namespace

std::string_view parent_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

base::Result<Tree> Tree::open_root(std::string directory) {
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  if (const int error = make_root(directory); error != 0) return failure(error, directory, "make the directory");
  auto root = directory_at(directory, directory_flags);
  if (!root.valid()) return failure(errno, directory, "open");
  return Tree(std::move(root));
}

base::Result<Tree> Tree::look(const std::string& directory) {
  auto root = directory_at(directory, directory_flags);
  if (!root.valid() && errno != ENOENT) return failure(errno, directory, "open");
  return Tree(std::move(root));
}

/// A separate descriptor for the root, so that a walk through the tree can own every descriptor on its way.
Opened Tree::again() const {
  if (!root_.valid()) return {.error = ENOENT};
  const int fd = base::uninterrupted([&] { return ::openat(root_.get(), ".", directory_flags); });
  return {.descriptor = base::Descriptor(fd), .error = base::error_of(fd)};
}

Opened Tree::try_directory(std::string_view path) const {
  Opened at = again();
  while (at.error == 0 && !path.empty()) at = enter(at.descriptor, cut_part(path));
  return at;
}

base::Result<base::Descriptor> Tree::directory(std::string_view path) const {
  return checked(try_directory(path), path);
}

base::Result<base::Descriptor> Tree::make_directory(std::string_view path) const {
  Opened at = again();
  for (auto rest = path; at.error == 0 && !rest.empty();) at = enter_or_make(at.descriptor, cut_part(rest));
  return checked(std::move(at), path);
}

Opened Tree::try_open(std::string_view path, int flags, mode_t mode) const {
  Opened parent = try_directory(parent_of(path));
  if (parent.error != 0) return parent;
  Opened file = open_at(parent.descriptor, base::leaf_of(path), flags | O_NONBLOCK | O_NOCTTY, mode);
  if (file.error != 0) return file;
  struct stat status {};
  if (::fstat(file.descriptor.get(), &status) != 0) return {.error = errno};
  if (!S_ISREG(status.st_mode)) return {.error = S_ISDIR(status.st_mode) ? EISDIR : ENXIO};
  return file;
}

base::Result<base::Descriptor> Tree::open(std::string_view path, int flags, mode_t mode) const {
  return checked(try_open(path, flags, mode), path);
}

base::Result<void> Tree::rename(std::string_view from, std::string_view to) const {
  if (!plain(base::leaf_of(from)) || !plain(base::leaf_of(to))) return failure(EINVAL, from, "rename");
  auto source = directory(parent_of(from));
  if (!source) return source.error();
  auto target = directory(parent_of(to));
  if (!target) return target.error();
  const std::string old_leaf(base::leaf_of(from));
  const std::string new_leaf(base::leaf_of(to));
  if (::renameat(source->get(), old_leaf.c_str(), target->get(), new_leaf.c_str()) != 0)
    return failure(errno, to, "rename");
  // The new name first: if the two directories do not reach the disk together, a power cut leaves two names, never
  // none.
  if (const int error = sync_directory(*target); error != 0) return failure(error, to, "sync the directory");
  if (parent_of(from) == parent_of(to)) return {};
  if (const int error = sync_directory(*source); error != 0) return failure(error, from, "sync the directory");
  return {};
}

base::Result<bool> Tree::make_name(std::string_view file, std::string_view second) const {
  if (!plain(base::leaf_of(file)) || !plain(base::leaf_of(second))) return failure(EINVAL, file, "link");
  auto source = directory(parent_of(file));
  if (!source) return source.error();
  auto target = directory(parent_of(second));
  if (!target) return target.error();
  const std::string old_leaf(base::leaf_of(file));
  const std::string new_leaf(base::leaf_of(second));
  int error = base::error_of(::linkat(source->get(), old_leaf.c_str(), target->get(), new_leaf.c_str(), 0));
  for (const int none : {EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EXDEV})
    if (error == none) return false;
  // An earlier process may have made the name without syncing it.
  if (error == 0 || error == EEXIST) error = sync_directory(*target);
  if (error != 0) return failure(error, file, "link");
  return true;
}

base::Result<bool> Tree::remove(std::string_view path) const {
  if (!plain(base::leaf_of(path))) return failure(EINVAL, path, "remove");
  Opened parent = try_directory(parent_of(path));
  if (parent.error == ENOENT) return false;
  if (parent.error != 0) return failure(parent.error, path, "remove");
  const std::string leaf(base::leaf_of(path));
  const int error = base::error_of(::unlinkat(parent.descriptor.get(), leaf.c_str(), 0));
  if (error == ENOENT) return false;
  if (error != 0) return failure(error, path, "remove");
  if (const int failed = sync_directory(parent.descriptor); failed != 0)
    return failure(failed, path, "sync the directory");
  return true;
}

base::Result<void> Tree::remove_empty_parents(std::string_view path, std::string_view top) const {
  for (auto at = parent_of(path); at.size() > top.size(); at = parent_of(at)) {
    Opened above = try_directory(parent_of(at));
    if (above.error == ENOENT) continue;
    if (above.error != 0) return failure(above.error, at, "remove the directory");
    const std::string leaf(base::leaf_of(at));
    const int error = base::error_of(::unlinkat(above.descriptor.get(), leaf.c_str(), AT_REMOVEDIR));
    if (error == ENOTEMPTY || error == EEXIST || error == EBUSY) return {};
    if (error != 0 && error != ENOENT) return failure(error, at, "remove the directory");
    if (const int failed = sync_directory(above.descriptor); failed != 0)
      return failure(failed, at, "sync the directory above");
  }
  return {};
}

base::Result<void> Tree::make_link(const std::string& target, std::string_view path) const {
  if (!plain(base::leaf_of(path))) return failure(EINVAL, path, "make the link");
  auto parent = directory(parent_of(path));
  if (!parent) return parent.error();
  const std::string leaf(base::leaf_of(path));
  if (::symlinkat(target.c_str(), parent->get(), leaf.c_str()) != 0) return failure(errno, path, "make the link");
  return {};
}

base::Result<std::optional<std::string>> Tree::link_target(std::string_view path) const {
  std::array<char, 4096> target{};
  Opened parent = try_directory(parent_of(path));
  if (parent.error == ENOENT) return std::optional<std::string>{};
  if (parent.error != 0) return failure(parent.error, path, "read the link");
  const std::string leaf(base::leaf_of(path));
  const auto length = ::readlinkat(parent.descriptor.get(), leaf.c_str(), target.data(), target.size());
  if (length >= 0) return std::optional<std::string>(std::string(target.data(), static_cast<std::size_t>(length)));
  if (errno == ENOENT || errno == EINVAL) return std::optional<std::string>{};  // EINVAL: not a symlink
  return failure(errno, path, "read the link");
}

/// The kernel's message when O_NOFOLLOW meets a symlink would mislead: "Not a directory", "Too many levels".
std::string words_of(int error) {
  if (error == ELOOP) return "it is a symlink, which is not followed";
  if (error == ENOTDIR) return "a part of the path is a symlink or not a directory";
  if (error == ENXIO) return "it is not a regular file";  // O_NONBLOCK returns this for a FIFO or a socket too
  return std::generic_category().message(error);
}

bool same_file(const base::Descriptor& a, const base::Descriptor& b) {
  struct stat one {};
  struct stat two {};
  if (::fstat(a.get(), &one) != 0 || ::fstat(b.get(), &two) != 0) return false;
  return one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

base::Error failure(int error, std::string_view object, std::string_view cannot) {
  std::string subject(object.empty() ? "." : object);
  auto detail = subject + ": cannot " + std::string(cannot) + ": " + words_of(error);
  base::Error failure{.code = base::is_full(error) ? base::Errc::no_space : base::Errc::io,
                      .detail = std::move(detail)};
  failure.diagnosis = core::lack_of_files(error);
  failure.subject = std::move(subject);
  return failure;
}

}  // namespace vtmirror::mirror
