#include "vtmirror/mirror/directory.hpp"

#include "mirror/directory_shelf.hpp"
#include "mirror/lock_text.hpp"
#include "mirror/own_names.hpp"
#include "mirror/scratch.hpp"
#include "mirror/tree.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace vtmirror::mirror {
namespace {

base::Result<void> make_private_directory(const Tree& tree, std::string_view path) {
  auto directory = tree.make_directory(path);
  if (!directory) return directory.error();
  if (::fchmod(directory->get(), 0700) != 0) return failure(errno, path, "change the mode");
  return {};
}

Directory directory_over(Tree tree, const DirectorySettings& settings) {
  const auto place = std::make_shared<Place>(std::move(tree), settings.directory);
  return {.partials = std::make_unique<Scratch>(place, settings.direct_io),
          .shelf = std::make_unique<DirectoryShelf>(place)};
}

}  // namespace

base::Result<Directory> open_directory(const DirectorySettings& settings) {
  auto tree = Tree::open_root(settings.directory);
  if (!tree) return tree.error();
  for (const auto path : {own::partial, own::quarantine})
    if (auto made = make_private_directory(*tree, path); !made) return made.error();
  return directory_over(std::move(*tree), settings);
}

base::Result<Directory> look_at_directory(const DirectorySettings& settings) {
  auto tree = Tree::look(settings.directory);
  if (!tree) return tree.error();
  return directory_over(std::move(*tree), settings);
}

namespace {

/// 0 or errno.
int empty(const base::Descriptor& file) {
  return base::error_of(base::uninterrupted([&] { return ::ftruncate(file.get(), 0); }));
}

/// The kernel ties the lock to the open file, and so to the process: it ends with the process, in whatever way that
/// ends. The text only names the holder, and is erased when the lock is released normally.
class FileLock final : public Lock {
 public:
  explicit FileLock(base::Descriptor file) : file_(std::move(file)) {}
  ~FileLock() override { static_cast<void>(empty(file_) == 0); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  base::Descriptor file_;
};

class SharedLock final : public Lock {
 public:
  explicit SharedLock(base::Descriptor file) : file_(std::move(file)) {}

 private:
  base::Descriptor file_;
};

/// 0 or errno; EWOULDBLOCK if another process holds it.
int lock(const base::Descriptor& file, int how) {
  return base::error_of(base::uninterrupted([&] { return ::flock(file.get(), how | LOCK_NB); }));
}

base::Error held_by_another(const base::Descriptor& file) {
  std::array<char, 512> text{};
  const auto length = ::pread(file.get(), text.data(), text.size(), 0);
  const auto holder = read_lock_text({text.data(), length > 0 ? static_cast<std::size_t>(length) : 0});
  base::Error error{.code = base::Errc::locked, .detail = "held by " + in_words(holder)};
  if (holder && holder->holder != Holder::unknown) error.subject = name(holder->holder);
  return error;
}

int sign(const base::Descriptor& file, Holder holder, base::Time now) {
  const auto text = written({.holder = holder, .process = ::getpid(), .since = now});
  if (const int error = empty(file); error != 0) return error;
  return base::error_of(base::uninterrupted([&] { return ::pwrite(file.get(), text.data(), text.size(), 0); }));
}

/// The file may have been removed between opening and locking it; a lock on a file without a name excludes nobody.
/// Errors: io, if the name cannot be looked at, which says nothing about it.
base::Result<bool> still_named(const Tree& tree, std::string_view name, const base::Descriptor& file) {
  const Opened again = tree.try_open(name, O_RDONLY);
  if (again.error == ENOENT) return false;
  if (again.error != 0) return failure(again.error, name, "open");
  struct stat here {};
  struct stat there {};
  if (::fstat(file.get(), &here) != 0 || ::fstat(again.descriptor.get(), &there) != 0)
    return failure(errno, name, "look at");
  return here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

using Locked = base::Result<std::unique_ptr<Lock>>;

Locked acquire_lock_in(const Tree& tree, std::string_view name, Holder holder, base::Time now) {
  for (;;) {
    // 0600: a user who can open it, even read-only, could lock it and block the program.
    auto file = tree.open(name, O_RDWR | O_CREAT, 0600);
    if (!file) return file.error();
    const int error = lock(*file, LOCK_EX);
    if (error == EWOULDBLOCK) return held_by_another(*file);
    if (error != 0) return failure(error, name, "lock");
    const auto named = still_named(tree, name, *file);
    if (!named) return named.error();
    if (!*named) continue;
    // A full disk must not keep the mirror from being locked, and so from being pruned.
    if (const int failed = sign(*file, holder, now); failed != 0 && !base::is_full(failed))
      return failure(failed, name, "write");
    return std::make_unique<FileLock>(std::move(*file));
  }
}

Locked share_lock_in(const Tree& tree, std::string_view name) {
  Opened file = tree.try_open(name, O_RDONLY);
  if (file.error == ENOENT) return std::unique_ptr<Lock>();
  if (file.error != 0) return failure(file.error, name, "open");
  const int error = lock(file.descriptor, LOCK_SH);
  if (error == EWOULDBLOCK) return held_by_another(file.descriptor);
  if (error != 0) return failure(error, name, "lock");
  return std::unique_ptr<Lock>(std::make_unique<SharedLock>(std::move(file.descriptor)));
}

/// Two paths to one file, one of them through a symlink, have one lock.
std::filesystem::path lock_beside(const std::string& file) {
  std::error_code error;
  auto real = std::filesystem::weakly_canonical(file, error);
  if (error) real = file;
  return real += ".lock";
}

}  // namespace

base::Result<std::unique_ptr<Lock>> acquire_lock(const std::string& directory, Holder holder, base::Time now) {
  auto tree = Tree::open_root(directory);
  if (!tree) return tree.error();
  if (auto own_directory = tree->make_directory(own::directory); !own_directory) return own_directory.error();
  return acquire_lock_in(*tree, own::lock, holder, now);
}

base::Result<std::unique_ptr<Lock>> share_lock(const std::string& directory) {
  const auto tree = Tree::look(directory);
  if (!tree) return tree.error();
  return share_lock_in(*tree, own::lock);
}

base::Result<std::unique_ptr<Lock>> acquire_lock_beside(const std::string& file, Holder holder, base::Time now) {
  const auto path = lock_beside(file);
  auto tree = Tree::open_root(path.parent_path());
  if (!tree) return tree.error();
  return acquire_lock_in(*tree, path.filename().string(), holder, now);
}

base::Result<std::unique_ptr<Lock>> share_lock_beside(const std::string& file) {
  const auto path = lock_beside(file);
  const auto tree = Tree::look(path.parent_path());
  if (!tree) return tree.error();
  return share_lock_in(*tree, path.filename().string());
}

/// To try the lock would keep others from it for an instant, so the kernel's list is read.
bool is_locked(const std::string& directory) {
  struct stat file {};
  if (::stat((directory + '/' + std::string(own::lock)).c_str(), &file) != 0) return false;
  std::array<char, 64> place{};
  std::snprintf(place.data(), place.size(), "%02x:%02x:%ju", major(file.st_dev), minor(file.st_dev),
                std::uintmax_t{file.st_ino});
  // "1: FLOCK  ADVISORY  WRITE 4711 fe:00:10961430 0 EOF"
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    const std::vector<std::string> columns(std::istream_iterator<std::string>(words), {});
    if (columns.size() > 5 && columns[1] == "FLOCK" && columns[3] == "WRITE" && columns[5] == place.data()) return true;
  }
  return false;
}

}  // namespace vtmirror::mirror
