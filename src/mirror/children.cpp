#include "mirror/children.hpp"

#include "mirror/tree.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <utility>

namespace vtmirror::mirror {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

Child::Type type_of(mode_t mode) {
  if (S_ISREG(mode)) return Child::Type::file;
  if (S_ISDIR(mode)) return Child::Type::directory;
  return S_ISLNK(mode) ? Child::Type::link : Child::Type::other;
}

std::string joined(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty()) path += '/';
  return path.append(name);
}

using Found = std::variant<std::vector<Child>, Unread>;

Unread unread(int number, std::string_view object, std::string_view cannot) {
  return {number, failure(number, object, cannot)};
}

/// Fills `child`, whose name is known. Returns the errno of a failure.
int look_at(int directory, Child& child, LinkTargets links) {
  struct stat status {};
  if (::fstatat(directory, child.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return errno;
  child.type = type_of(status.st_mode);
  child.size = status.st_size;
  child.allocated = std::int64_t{status.st_blocks} * 512;  // st_blocks' unit on Linux, whatever the file system
  child.names = static_cast<int>(status.st_nlink);
  if (child.type != Child::Type::link || links != LinkTargets::read) return 0;
  std::array<char, 4096> target{};
  const auto length = ::readlinkat(directory, child.name.c_str(), target.data(), target.size());
  if (length < 0) return errno == EINVAL ? ENOENT : errno;  // EINVAL: the link was replaced since
  child.target.assign(target.data(), static_cast<std::size_t>(length));
  return 0;
}

Found read_all(DIR* directory, std::string_view path, LinkTargets links) {
  std::vector<Child> found;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory);
    if (entry == nullptr) break;
    Child child{.name = static_cast<const char*>(entry->d_name)};
    if (child.name == "." || child.name == "..") continue;
    const int error = look_at(::dirfd(directory), child, links);
    // An entry that was removed since the directory was read is skipped; an entry that cannot be read may still exist.
    if (error == ENOENT) continue;
    if (error != 0) return unread(error, joined(path, child.name), "look at");
    found.push_back(std::move(child));
  }
  if (errno != 0) return unread(errno, path, "read the directory");
  std::sort(found.begin(), found.end(), [](const Child& a, const Child& b) { return a.name < b.name; });
  return found;
}

/// A shortage ends whatever was begun; it says nothing about the directory.
bool is_shortage(int number) { return number == EMFILE || number == ENFILE || number == ENOMEM; }

}  // namespace

std::variant<std::vector<Child>, Unread> try_children(const Tree& tree, std::string_view path, LinkTargets links) {
  Opened opened = tree.try_directory(path);
  if (opened.error == ENOENT || opened.error == ENOTDIR || opened.error == ELOOP) return std::vector<Child>{};
  if (opened.error != 0) return unread(opened.error, path, "open");
  const Directory directory(::fdopendir(opened.descriptor.get()));
  if (!directory) return unread(errno, path, "read the directory");
  opened.descriptor.release();
  return read_all(directory.get(), path, links);
}

base::Result<std::vector<Child>> children(const Tree& tree, std::string_view path, LinkTargets links) {
  auto found = try_children(tree, path, links);
  if (const auto* failed = std::get_if<Unread>(&found)) return failed->error;
  return std::get<std::vector<Child>>(std::move(found));
}

base::Result<std::vector<Child>> files_below(const Tree& tree, const std::string& top,
                                             const std::function<bool(std::string_view path)>& is_wanted,
                                             std::vector<core::Cause>& unread) {
  std::vector<Child> files;
  std::vector<std::string> open{""};
  while (!open.empty()) {
    const std::string at = std::exchange(open.back(), {});
    open.pop_back();
    const auto found = try_children(tree, at.empty() ? top : joined(top, at));
    if (const auto* failed = std::get_if<Unread>(&found)) {
      if (at.empty() || is_shortage(failed->number)) return failed->error;
      unread.push_back(core::unread_directory(at, failed->error.detail));
      continue;
    }
    for (const Child& child : std::get<std::vector<Child>>(found)) {
      const std::string path = joined(at, child.name);
      if (child.type == Child::Type::directory && is_wanted(path + "/")) open.push_back(path);
      if (child.type == Child::Type::file && is_wanted(path))
        files.push_back({child.type, path, child.size, child.allocated, child.target, child.names});
    }
  }
  std::sort(files.begin(), files.end(), [](const Child& a, const Child& b) { return a.name < b.name; });
  return files;
}

base::Result<std::vector<Child>> files_below(const Tree& tree, const std::string& top) {
  std::vector<core::Cause> unread;
  const auto all = [](std::string_view) { return true; };
  auto files = files_below(tree, top, all, unread);
  if (unread.empty()) return files;
  return base::Error{
      .code = base::Errc::io, .detail = unread.front().detail, .subject = joined(top, unread.front().subject)};
}

}  // namespace vtmirror::mirror
