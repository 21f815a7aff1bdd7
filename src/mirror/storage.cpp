#include "vtmirror/mirror/storage.hpp"

#include "mirror/check.hpp"
#include "mirror/children.hpp"
#include "mirror/failure.hpp"
#include "mirror/flat_name.hpp"
#include "mirror/own_names.hpp"
#include "mirror/partial.hpp"
#include "mirror/publication.hpp"
#include "mirror/remains.hpp"
#include "mirror/text_file.hpp"
#include "mirror/tree.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace vtmirror::mirror {
namespace {

std::string partial_path(const std::string& name) { return own::below(own::partial, flat_name(name)); }
std::string quarantine_path(const std::string& name) { return own::below(own::quarantine, flat_name(name)); }

/// Files of others are none of ours; where the mirror is the root of a file system, its own directory may not even be
/// read.
bool may_be_public(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path != "lost+found" && core::check_name(path).has_value();
}

class DirectoryStorage final : public ports::Storage {
 public:
  DirectoryStorage(Tree tree, StorageSettings settings) : tree_(std::move(tree)), settings_(std::move(settings)) {}

  base::Result<void> in_place() override;
  base::Result<std::vector<core::LocalFile>> public_files() override;
  base::Result<std::vector<core::LocalFile>> partial_files() override;
  base::Result<std::unique_ptr<ports::Partial>> open_partial(const std::string& name, std::int64_t size,
                                                             std::int64_t kept) override;
  base::Result<void> drop_partial(const std::string& name) override;
  base::Result<ports::Checked> check_partial(const std::string& name, std::int64_t size, ports::CheckRules rules,
                                             const ports::Watch& watch) override;
  base::Result<ports::Checked> check_public(const std::string& name, std::int64_t size, ports::CheckRules rules,
                                            const ports::Watch& watch) override;
  base::Result<void> publish(const std::string& name) override;
  base::Result<void> quarantine(const std::string& name, const std::string& reason) override;
  base::Result<void> remove_public(const std::string& name) override;
  base::Result<void> write_manifest(const ports::Manifest& manifest, const std::vector<core::Held>& held) override;
  std::optional<std::int64_t> manifest_generation() override;
  base::Result<ports::Remains> remains() override;
  base::Result<std::int64_t> free_space() override;

 private:
  base::Result<void> remove_with_parents(const std::string& path, std::string_view top);
  base::Result<void> make_readable(const std::string& path, const std::string& name);
  void drop_quarantined(const std::string& name);
  base::Result<void> look_at_place(const std::string& name);

  Tree tree_;
  StorageSettings settings_;
  /// Held wherever names change: one thread must not remove a directory that has become empty while another is about to
  /// rename a file into it, and small texts share one temporary name.
  std::mutex names_;
};

base::Result<void> DirectoryStorage::in_place() {
  struct stat open {};
  struct stat named {};
  const int gone = base::error_of(::stat(settings_.directory.c_str(), &named));
  if (::fstat(tree_.root().get(), &open) != 0) return failure(errno, settings_.directory, "look at");
  // Whoever may not ask the way to it any more may still have it open.
  if (gone != 0 && gone != ENOENT && gone != ENOTDIR) return {};
  if (gone == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino) return {};
  return base::Error{.code = base::Errc::io,
                     .detail = settings_.directory +
                               " is not the directory any more that was opened here: it was removed, moved or mounted "
                               "over"};
}

base::Result<std::vector<core::LocalFile>> DirectoryStorage::public_files() {
  auto found = files_below(tree_, "", may_be_public);
  if (!found) return found.error();
  std::vector<core::LocalFile> files;
  for (auto& file : *found)
    files.push_back({.name = std::move(file.name), .size = file.size, .allocated = file.allocated});
  return files;
}

base::Result<std::vector<core::LocalFile>> DirectoryStorage::partial_files() {
  auto found = files_below(tree_, std::string(own::partial), [](std::string_view) { return true; });
  if (!found) return found.error();
  std::vector<core::LocalFile> files;
  for (const auto& file : *found) {
    auto name = listed_name(file.name);
    if (name && core::check_name(*name))
      files.push_back({.name = std::move(*name), .size = file.size, .allocated = file.allocated});
  }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

base::Result<std::unique_ptr<ports::Partial>> DirectoryStorage::open_partial(const std::string& name, std::int64_t size,
                                                                             std::int64_t kept) {
  if (auto fine = core::check_name(name); !fine) return fine.error();
  const std::string path = partial_path(name);
  const std::scoped_lock names(names_);
  if (auto free = look_at_place(name); !free) return free.error();
  // A new file rather than an emptied one: whoever has linked to the old one (a snapshot, say) keeps it as it was.
  if (kept <= 0) {
    if (auto removed = tree_.remove(path); !removed) return removed.error();
  }
  return open_partial_file(tree_, path, {.name = name, .size = size, .kept = kept}, settings_.direct_io);
}

base::Result<void> DirectoryStorage::remove_with_parents(const std::string& path, std::string_view top) {
  const std::scoped_lock names(names_);
  if (auto removed = tree_.remove(path); !removed) return removed.error();
  return tree_.remove_empty_parents(path, top);
}

base::Result<void> DirectoryStorage::drop_partial(const std::string& name) {
  if (auto fine = core::check_name(name); !fine) return fine;
  return remove_with_parents(partial_path(name), own::partial);
}

base::Result<void> DirectoryStorage::remove_public(const std::string& name) {
  if (auto fine = core::check_name(name); !fine) return fine;
  return remove_with_parents(name, "");
}

base::Result<ports::Checked> DirectoryStorage::check_partial(const std::string& name, std::int64_t size,
                                                             ports::CheckRules rules, const ports::Watch& watch) {
  if (auto fine = core::check_name(name); !fine) return fine.error();
  return check_file(tree_, partial_path(name), name, size, rules, watch);
}

base::Result<ports::Checked> DirectoryStorage::check_public(const std::string& name, std::int64_t size,
                                                            ports::CheckRules rules, const ports::Watch& watch) {
  if (auto fine = core::check_name(name); !fine) return fine.error();
  return check_file(tree_, name, name, size, rules, watch);
}

/// A partial is its owner's; a public file is everybody's to read. The mode must be on disk before the public name is.
base::Result<void> DirectoryStorage::make_readable(const std::string& path, const std::string& name) {
  Opened file = tree_.try_open(path, O_RDONLY);
  if (file.error != 0) return failure(file.error, name, "open the partial file");
  int error = base::error_of(::fchmod(file.descriptor.get(), 0644));
  if (error == 0) error = base::error_of(base::uninterrupted([&] { return ::fsync(file.descriptor.get()); }));
  if (error != 0) return failure(error, name, "sync");
  return {};
}

/// What a publication would meet in the end is met before 40 GB are fetched for it: a symlink or a file among the
/// directories, a directory in the file's place.
base::Result<void> DirectoryStorage::look_at_place(const std::string& name) {
  const Opened parent = tree_.try_directory(parent_of(name));
  if (parent.error == ENOENT) return {};
  int error = parent.error;
  struct stat there {};
  const std::string leaf(leaf_of(name));
  if (error == 0 && ::fstatat(parent.descriptor.get(), leaf.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISDIR(there.st_mode))
    error = EISDIR;
  if (error != 0) return failure(error, name, "publish it there");
  return {};
}

/// The order, so that a power cut at any point leaves the public name absent, old or whole: the file's bytes and mode;
/// then every directory down to its place, each synced into the one above; then the rename; then the directory that
/// gained the name; last the one that lost it.
base::Result<void> DirectoryStorage::publish(const std::string& name) {
  if (auto fine = core::check_name(name); !fine) return fine;
  const std::string path = partial_path(name);
  if (auto readable = make_readable(path, name); !readable) return readable;
  const std::scoped_lock names(names_);
  if (auto made = tree_.make_directory(parent_of(name)); !made) return made.error();
  if (auto renamed = tree_.rename(path, name); !renamed) return renamed;
  drop_quarantined(name);
  return tree_.remove_empty_parents(path, own::partial);
}

/// The catalogue forgets it with the publication, and nobody would ever hear again of the space that it takes. What
/// cannot be removed does no harm to the file that is public now.
void DirectoryStorage::drop_quarantined(const std::string& name) {
  const std::string path = quarantine_path(name);
  const auto dropped = tree_.remove(path);
  if (!dropped || !tree_.remove(path + std::string(reason_suffix))) return;
  static_cast<void>(tree_.remove_empty_parents(path, own::quarantine).has_value());
}

/// The reason first: a file in the quarantine is never without one.
base::Result<void> DirectoryStorage::quarantine(const std::string& name, const std::string& reason) {
  if (auto fine = core::check_name(name); !fine) return fine;
  const std::string from = partial_path(name);
  const std::string to = quarantine_path(name);
  const std::scoped_lock names(names_);
  if (auto made = tree_.make_directory(parent_of(to)); !made) return made.error();
  const std::string text = reason + "\nfile: " + name + "\n";
  if (auto written = replace_text(tree_, to + std::string(reason_suffix), text); !written) return written;
  if (auto renamed = tree_.rename(from, to); !renamed) return renamed;
  return tree_.remove_empty_parents(from, own::partial);
}

base::Result<void> DirectoryStorage::write_manifest(const ports::Manifest& manifest,
                                                    const std::vector<core::Held>& held) {
  const std::scoped_lock names(names_);
  return write_publication(tree_, manifest, held);
}

std::optional<std::int64_t> DirectoryStorage::manifest_generation() {
  const std::scoped_lock names(names_);
  return published_generation(tree_);
}

base::Result<ports::Remains> DirectoryStorage::remains() {
  const std::scoped_lock names(names_);
  return read_remains(tree_);
}

base::Result<std::int64_t> DirectoryStorage::free_space() {
  struct statvfs status {};
  if (base::uninterrupted([&] { return ::fstatvfs(tree_.root().get(), &status); }) != 0)
    return failure(errno, "", "ask for the free space");
  constexpr auto most = static_cast<unsigned long>(std::numeric_limits<std::int64_t>::max());
  const auto block = std::max<unsigned long>(1, status.f_frsize);
  return static_cast<std::int64_t>(std::min<unsigned long>(status.f_bavail, most / block) * block);
}

base::Result<void> make_private_directory(const Tree& tree, std::string_view path) {
  auto directory = tree.make_directory(path);
  if (!directory) return directory.error();
  if (::fchmod(directory->get(), 0700) != 0) return failure(errno, path, "change the mode");
  return {};
}

}  // namespace

base::Result<std::unique_ptr<ports::Storage>> open_storage(const StorageSettings& settings) {
  auto tree = Tree::open_root(settings.directory);
  if (!tree) return tree.error();
  for (const auto path : {own::partial, own::quarantine})
    if (auto made = make_private_directory(*tree, path); !made) return made.error();
  return std::make_unique<DirectoryStorage>(std::move(*tree), settings);
}

}  // namespace vtmirror::mirror
