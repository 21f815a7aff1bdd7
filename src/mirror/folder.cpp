#include "vtmirror/mirror/folder.hpp"

#include "mirror/arrival_check.hpp"
#include "mirror/children.hpp"
#include "mirror/place.hpp"
#include "mirror/tree.hpp"
#include "vtmirror/base/text.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace vtmirror::mirror {
namespace {

using core::AdoptedBy;
using core::FolderFile;

constexpr std::size_t block = std::size_t{4} << 20;

std::string joined(const std::string& directory, const std::string& name) {
  return directory.empty() ? name : own::below(directory, name);
}

/// Why the file cannot be opened for reading; if it can, why reading failed.
std::string obstacle_of(const Tree& tree, const std::string& path, const base::Error& failed = {}) {
  const Opened file = tree.try_open(path, O_RDONLY);
  if (file.error == 0) return failed.detail;
  if (file.error == EACCES || file.error == EPERM)
    return "the user that the mirror works as may not read it: change its owner or mode, and run this again";
  return words_of(file.error);
}

/// Whether nobody but this process's user (and root) may change the file's bytes, and everybody may read them. An
/// access list shows in the group's bits.
bool may_be_shared(const base::Descriptor& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return false;
  return status.st_uid == ::geteuid() && (status.st_mode & 0022) == 0 && (status.st_mode & 0444) == 0444;
}

/// Whether the directory is that one, or lies in it.
bool is_within(const base::Descriptor& directory, const base::Descriptor& top) {
  base::Descriptor at(::openat(directory.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (at.valid()) {
    if (same_file(at, top)) return true;
    base::Descriptor above(::openat(at.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!above.valid() || same_file(above, at)) return false;
    at = std::move(above);
  }
  return false;
}

class DiskFolder final : public ports::Folder {
 public:
  DiskFolder(Tree folder, Tree mirror) : folder_(std::move(folder)), mirror_(std::move(mirror)) {}

  base::Result<std::vector<FolderFile>> files(const ports::Watch& watch) override {
    std::vector<FolderFile> found;
    std::vector<std::string> open{""};
    while (!open.empty()) {
      const std::string at = std::exchange(open.back(), {});
      open.pop_back();
      if (!watch(0)) return base::Error{base::Errc::cancelled, "the folder was not read to its end"};
      if (is_mirror(at)) continue;
      const auto entries = children(folder_, at);
      // What is below is not known, and the rest can still be adopted.
      if (!entries && !at.empty()) found.push_back({at, 0, obstacle_of(folder_, at, entries.error()), true});
      if (!entries && at.empty()) return entries.error();
      if (!entries) continue;
      for (const Child& child : *entries) {
        const auto path = joined(at, child.name);
        if (child.type == Child::Type::directory) {
          // Another mirror's: superseded bytes, second names, and what failed its checks.
          if (child.name != own::directory) open.push_back(path);
          continue;
        }
        found.push_back({path, child.size, obstacle_to(child, path)});
      }
    }
    std::ranges::sort(found, {}, &FolderFile::path);
    return found;
  }

  base::Result<ports::Checked> check(const std::string& path, std::int64_t size, ports::CheckRules rules,
                                     const ports::Watch& watch) override {
    return check_file(folder_, path, path, size, rules, watch);
  }

  base::Result<std::optional<AdoptedBy>> share(const std::string& path, const std::string& name,
                                               bool may_link) override {
    using Shared = std::optional<AdoptedBy>;
    if (auto fine = core::check_name(name); !fine) return fine.error();
    const Opened file = folder_.try_open(path, O_RDONLY);
    if (file.error != 0) return failure(file.error, path, "open");
    const auto partial = partial_path(name);
    const auto directory = mirror_.make_directory(parent_of(partial));
    if (!directory) return directory.error();
    const std::string leaf(base::leaf_of(partial));
    if (may_link && may_be_shared(file.descriptor) && link(file.descriptor, *directory, leaf))
      return Shared(AdoptedBy::link);
    return clone(file.descriptor, *directory, leaf) ? Shared(AdoptedBy::clone) : Shared();
  }

  base::Result<void> copy(const std::string& path, std::int64_t size, ports::PartialFile& to,
                          const ports::Watch& watch) override {
    const Opened file = folder_.try_open(path, O_RDONLY);
    if (file.error != 0) return failure(file.error, path, "open");
    static_cast<void>(::posix_fadvise(file.descriptor.get(), 0, 0, POSIX_FADV_SEQUENTIAL));
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::int64_t>(size, std::int64_t{block})));
    for (std::int64_t done = 0; done < size;) {
      if (!watch(done)) return base::Error{base::Errc::cancelled, path + ": stopped"};
      const auto most = std::min(bytes.size(), static_cast<std::size_t>(size - done));
      const auto got = base::uninterrupted([&] { return ::pread(file.descriptor.get(), bytes.data(), most, done); });
      if (got < 0) return failure(errno, path, "read");
      if (got == 0) return base::Error{base::Errc::integrity, "it became shorter while it was copied"};
      if (auto written = to.write(done, std::span(bytes).first(static_cast<std::size_t>(got))); !written)
        return written;
      done += got;
    }
    return to.sync();
  }

 private:
  /// Only what may be adopted is opened: to open a file can call it back from an archive, and a program that writes to
  /// a pipe would take this one for its reader.
  std::string obstacle_to(const Child& child, const std::string& path) const {
    if (!core::has_service_name(child.name)) return {};
    if (child.type == Child::Type::link) return words_of(ELOOP);
    return child.type == Child::Type::other ? words_of(ENXIO) : obstacle_of(folder_, path);
  }

  bool is_mirror(const std::string& path) const {
    const Opened directory = folder_.try_directory(path);
    return directory.error == 0 && mirror_.root().valid() && same_file(directory.descriptor, mirror_.root());
  }

  /// Links the file that is open, whatever its name leads to by now.
  static bool link(const base::Descriptor& file, const base::Descriptor& directory, const std::string& leaf) {
    const auto path = "/proc/self/fd/" + std::to_string(file.get());
    if (::linkat(AT_FDCWD, path.c_str(), directory.get(), leaf.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
    return ::fsync(directory.get()) == 0;
  }

  static bool clone(const base::Descriptor& file, const base::Descriptor& directory, const std::string& leaf) {
    const base::Descriptor made(
        ::openat(directory.get(), leaf.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!made.valid()) return false;
    if (::ioctl(made.get(), FICLONE, file.get()) == 0) return true;
    static_cast<void>(::unlinkat(directory.get(), leaf.c_str(), 0) == 0);
    return false;
  }

  Tree folder_;
  Tree mirror_;
};

}  // namespace

base::Result<std::unique_ptr<ports::Folder>> open_folder(const std::string& path, const std::string& mirror) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR))
    return base::Error{base::Errc::config, path + ": there is no such folder"};
  if (status.st_mode != 0 && !S_ISDIR(status.st_mode))
    return base::Error{base::Errc::config, path + " is not a folder"};
  auto folder = Tree::look(path);
  if (!folder) return folder.error();
  auto tree = Tree::look(mirror);
  if (!tree) return tree.error();
  if (tree->root().valid() && is_within(folder->root(), tree->root()))
    return base::Error{
        base::Errc::config,
        path + " is in the mirror itself: `vtmirror sync` adopts listed files that are put in their place"};
  return std::unique_ptr<ports::Folder>(std::make_unique<DiskFolder>(std::move(*folder), std::move(*tree)));
}

}  // namespace vtmirror::mirror
