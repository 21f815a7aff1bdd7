#include "mirror/directory_shelf.hpp"

#include "mirror/arrival_check.hpp"
#include "mirror/children.hpp"
#include "mirror/held.hpp"
#include "mirror/lent.hpp"
#include "mirror/manifest.hpp"
#include "mirror/publication.hpp"
#include "mirror/tree.hpp"
#include "vtmirror/base/text.hpp"

#include <sys/stat.h>

namespace vtmirror::mirror {
namespace {

/// Files of other programs are skipped. If the mirror is the root of a file system, some of its directories may not
/// even be readable.
bool may_be_public(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path != "lost+found" && core::check_name(path).has_value();
}

ports::Loan below(const std::string& directory, ports::Loan loan) {
  for (auto& path : loan.paths) path = own::below(directory, path);
  return loan;
}

}  // namespace

base::Result<void> DirectoryShelf::in_place() {
  const std::string& directory = place_->directory;
  struct stat open {};
  struct stat named {};
  const int gone = base::error_of(::stat(directory.c_str(), &named));
  if (::fstat(place_->tree.root().get(), &open) != 0) return failure(errno, directory, "look at");
  // A process that may no longer resolve the path may still have the directory open.
  if (gone != 0 && gone != ENOENT && gone != ENOTDIR) return {};
  if (gone == 0 && open.st_dev == named.st_dev && open.st_ino == named.st_ino) return {};
  return base::Error{.code = base::Errc::io,
                     .detail = directory +
                               " is no longer the directory that was opened: it was removed, moved or mounted "
                               "over"};
}

base::Result<std::vector<core::LocalFile>> DirectoryShelf::files(std::vector<core::Cause>& unread) {
  auto found = files_below(place_->tree, "", may_be_public, unread);
  if (!found) return found.error();
  std::vector<core::LocalFile> files;
  for (auto& file : *found)
    files.push_back({.name = std::move(file.name), .size = file.size, .allocated = file.allocated});
  return files;
}

namespace {

/// What stands in the place of one of the directories above that path.
base::Error barred(const Tree& tree, const std::string& path) {
  for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    const auto part = path.substr(0, end);
    if (tree.try_directory(part).error == 0) continue;
    const auto target = tree.link_target(part);
    const bool is_link = target && target->has_value();
    base::Error error{
        .code = base::Errc::io, .detail = part + (is_link ? " is a symlink" : " is not a directory"), .subject = path};
    error.diagnosis = is_link ? base::Diagnosis::linked_directory : base::Diagnosis::obstructed_file;
    return error;
  }
  return failure(ENOTDIR, path, "publish it there");
}

}  // namespace

/// Possible obstacles: a symlink or a file among the directories, a directory in the file's place.
base::Result<void> DirectoryShelf::accepts(const std::string& name) {
  if (auto fine = core::check_name(name); !fine) return fine;
  const Opened parent = place_->tree.try_directory(parent_of(name));
  if (parent.error == ENOENT) return {};
  if (parent.error == ENOTDIR || parent.error == ELOOP) return barred(place_->tree, name);
  if (parent.error != 0) return failure(parent.error, name, "publish it there");
  struct stat there {};
  const std::string leaf(base::leaf_of(name));
  const bool is_there = ::fstatat(parent.descriptor.get(), leaf.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  if (!is_there || !S_ISDIR(there.st_mode)) return {};
  base::Error error{.code = base::Errc::io, .detail = name + ": a directory is in its place", .subject = name};
  error.diagnosis = base::Diagnosis::obstructed_file;
  return error;
}

base::Result<void> DirectoryShelf::stage(const ports::VerifiedFile& file, const ports::Watch&) {
  if (auto fine = core::check_name(file.name); !fine) return fine;
  Opened partial = place_->tree.try_open(partial_path(file.name), O_RDONLY);
  if (partial.error != 0) return failure(partial.error, file.name, "open the partial file");
  // A file that was adopted by a hard link has another name elsewhere: it has a right mode already, which stays.
  struct stat status {};
  int error = base::error_of(::fstat(partial.descriptor.get(), &status));
  const bool is_right = (status.st_mode & 0444) == 0444 && (status.st_mode & 0022) == 0;
  if (error == 0 && !is_right) error = base::error_of(::fchmod(partial.descriptor.get(), 0644));
  if (error == 0) error = base::error_of(base::uninterrupted([&] { return ::fsync(partial.descriptor.get()); }));
  if (error != 0) return failure(error, file.name, "sync");
  return {};
}

base::Result<void> DirectoryShelf::publish(const ports::VerifiedFile& file) {
  if (auto fine = core::check_name(file.name); !fine) return fine;
  const std::string partial = partial_path(file.name);
  const Tree& tree = place_->tree;
  const std::scoped_lock names(place_->names);
  if (auto made = tree.make_directory(parent_of(file.name)); !made) return made.error();
  if (auto held = hold_verified(tree, partial, file.sha256); !held) return held;
  if (auto renamed = tree.rename(partial, file.name); !renamed) return renamed;
  return tree.remove_empty_parents(partial, own::partial);
}

base::Result<bool> DirectoryShelf::hold(const ports::VerifiedFile& promised) {
  if (auto fine = core::check_name(promised.name); !fine) return fine.error();
  const std::scoped_lock names(place_->names);
  return mirror::hold(place_->tree, promised);
}

base::Result<void> DirectoryShelf::release(base::Time now) {
  const std::scoped_lock names(place_->names);
  return mirror::release(place_->tree, now);
}

base::Result<std::int64_t> DirectoryShelf::releasable(base::Time now) {
  const std::scoped_lock names(place_->names);
  return mirror::releasable(place_->tree, now);
}

std::string DirectoryShelf::path_of(const std::string& name) const { return own::below(place_->directory, name); }

base::Result<ports::Loan> DirectoryShelf::lend(const std::string& consumer,
                                               const std::vector<ports::VerifiedFile>& files) {
  const std::scoped_lock names(place_->names);
  auto loan = mirror::lend(place_->tree, consumer, files);
  if (!loan) return loan;
  return below(place_->directory, std::move(*loan));
}

base::Result<std::optional<ports::Loan>> DirectoryShelf::lent(const std::string& consumer,
                                                              const std::vector<ports::VerifiedFile>& files) {
  const std::scoped_lock names(place_->names);
  auto loan = mirror::lent(place_->tree, consumer, files);
  if (!loan || !*loan) return loan;
  return std::optional(below(place_->directory, std::move(**loan)));
}

base::Result<void> DirectoryShelf::withdraw(const std::vector<std::string>& all_but) {
  const std::scoped_lock names(place_->names);
  return mirror::withdraw(place_->tree, all_but);
}

base::Result<ports::Checked> DirectoryShelf::check(const std::string& name, std::int64_t size, ports::CheckRules rules,
                                                   const ports::Watch& watch) {
  if (auto fine = core::check_name(name); !fine) return fine.error();
  return check_file(place_->tree, name, name, size, rules, watch);
}

base::Result<void> DirectoryShelf::remove(const std::string& name) {
  if (auto fine = core::check_name(name); !fine) return fine;
  return remove_with_parents(*place_, name, "");
}

base::Result<std::vector<core::Cause>> DirectoryShelf::write_manifest(const ports::Manifest& manifest,
                                                                      const std::vector<core::Held>& held) {
  const std::scoped_lock names(place_->names);
  return write_publication(place_->tree, manifest, held);
}

base::Result<std::optional<std::int64_t>> DirectoryShelf::generation() {
  const std::scoped_lock names(place_->names);
  return published_generation(place_->tree);
}

base::Result<ports::Remains> DirectoryShelf::remains() {
  const std::scoped_lock names(place_->names);
  return read_remains(place_->tree);
}

}  // namespace vtmirror::mirror
