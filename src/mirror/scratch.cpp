#include "mirror/scratch.hpp"

#include "mirror/arrival_check.hpp"
#include "mirror/children.hpp"
#include "mirror/disk_partial.hpp"
#include "mirror/text_file.hpp"
#include "mirror/tree.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <limits>
#include <tuple>

namespace vtmirror::mirror {
namespace {

std::string quarantine_path(const std::string& name) { return own::below(own::quarantine, flat_name(name)); }

/// Sorted by name, of one name the larger first. What else lies there is not the program's own.
std::vector<core::LocalFile> by_listed_names(const std::vector<Child>& found) {
  std::vector<core::LocalFile> files;
  for (const Child& file : found) {
    auto name = listed_name(file.name);
    if (name && core::check_name(*name))
      files.push_back({.name = std::move(*name), .size = file.size, .allocated = file.allocated});
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return std::tie(a.name, b.size) < std::tie(b.name, a.size); });
  return files;
}

/// The program makes directories here only for names that are too long for one. One that cannot be read hides what lies
/// in it, which counts as missing.
base::Result<std::vector<Child>> readable_files_below(const Tree& tree, std::string_view top) {
  std::vector<core::Cause> unread;
  return files_below(
      tree, std::string(top), [](std::string_view) { return true; }, unread);
}

base::Result<void> drop_quarantined(Place& place, const std::string& name) {
  const std::string path = quarantine_path(name);
  const std::scoped_lock names(place.names);
  // The reason is removed last, because a file in the quarantine must always have one.
  for (const auto& each : {path, path + std::string(reason_suffix)})
    if (auto removed = place.tree.remove(each); !removed) return removed.error();
  return place.tree.remove_empty_parents(path, own::quarantine);
}

/// Status of the mirror's disk, or of the one on which a missing mirror would be created. Returns 0 or errno.
int look_at_disk(const Place& place, struct statvfs& status) {
  const base::Descriptor& root = place.tree.root();
  if (root.valid()) return base::error_of(base::uninterrupted([&] { return ::fstatvfs(root.get(), &status); }));
  for (std::string path = place.directory;;) {
    const int error = base::error_of(base::uninterrupted([&] { return ::statvfs(path.c_str(), &status); }));
    if (error != ENOENT || path == "." || path == "/") return error;
    const auto slash = path.rfind('/');
    path = slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(1, slash));
  }
}

/// Keeps the file's `Reading`, if the partial is open, and no more of the file in the page cache than is still to be
/// read.
class ScratchCheck final : public ports::PartialCheck {
 public:
  /// Opens the file that has the name now.
  using OpenAgain = std::function<base::Result<base::Descriptor>()>;

  ScratchCheck(ArrivalCheck check, OpenAgain open_again, std::shared_ptr<Reading> reading)
      : check_(std::move(check)), open_again_(std::move(open_again)), reading_(std::move(reading)) {}
  ~ScratchCheck() override {
    if (reading_) reading_->has_ended();
  }
  ScratchCheck(const ScratchCheck&) = delete;
  ScratchCheck& operator=(const ScratchCheck&) = delete;

  base::Result<void> advance(std::int64_t front, const ports::Watch& watch) override {
    auto advanced = check_.advance(front, watch);
    check_.drop_cached();
    if (reading_ && check_.needs_bytes()) reading_->is_at(front);
    if (reading_ && !check_.needs_bytes()) reading_->has_ended();
    return advanced;
  }

  /// The file that has the name now is published, so that one is checked, even if somebody has put another file there.
  base::Result<ports::Checked> finish(const ports::Watch& watch) override {
    auto now = open_again_();
    if (!now) return now.error();
    if (check_.reads(*now)) return check_.finish(watch);
    return check_.of_another(std::move(*now)).finish(watch);
  }

 private:
  ArrivalCheck check_;
  OpenAgain open_again_;
  std::shared_ptr<Reading> reading_;
};

}  // namespace

base::Result<std::vector<core::LocalFile>> Scratch::files() {
  const auto found = readable_files_below(place_->tree, own::partial);
  if (!found) return found.error();
  return by_listed_names(*found);
}

base::Result<std::vector<core::LocalFile>> Scratch::quarantined() {
  auto found = readable_files_below(place_->tree, own::quarantine);
  if (!found) return found.error();
  for (Child& file : *found) {
    if (!file.name.ends_with(reason_suffix)) continue;
    file.name.resize(file.name.size() - reason_suffix.size());
    file.size = file.allocated = 0;
  }
  auto files = by_listed_names(*found);
  // A file is before its reason, which has no size.
  const auto same = [](const auto& a, const auto& b) { return a.name == b.name; };
  files.erase(std::unique(files.begin(), files.end(), same), files.end());
  return files;
}

base::Result<std::unique_ptr<ports::PartialFile>> Scratch::open(const ports::WantedPartial& wanted) {
  if (auto fine = core::check_name(wanted.name); !fine) return fine.error();
  const std::string path = partial_path(wanted.name);
  const std::scoped_lock names(place_->names);
  // A new file rather than an emptied one: a hard link to the old one (a snapshot, say) keeps its contents.
  if (wanted.kept <= 0) {
    if (auto removed = place_->tree.remove(path); !removed) return removed.error();
  }
  auto reading = std::make_shared<Reading>();
  std::erase_if(place_->readings, [](const auto& each) { return each.second.expired(); });
  place_->readings[wanted.name] = reading;
  return open_disk_partial(place_->tree, path, wanted, direct_io_, std::move(reading));
}

base::Result<void> Scratch::drop(const std::string& name) {
  if (auto fine = core::check_name(name); !fine) return fine;
  return remove_with_parents(*place_, partial_path(name), own::partial);
}

base::Result<std::unique_ptr<ports::PartialCheck>> Scratch::begin_check(const std::string& name, std::int64_t size,
                                                                        ports::CheckRules rules) {
  if (auto fine = core::check_name(name); !fine) return fine.error();
  const std::scoped_lock names(place_->names);
  auto open = [place = place_, name]() -> base::Result<base::Descriptor> {
    Opened file = place->tree.try_open(partial_path(name), O_RDONLY);
    if (file.error != 0) return failure(file.error, name, "open");
    return std::move(file.descriptor);
  };
  auto file = open();
  if (!file) return file.error();
  const auto found = place_->readings.find(name);
  auto reading = found == place_->readings.end() ? nullptr : found->second.lock();
  return std::unique_ptr<ports::PartialCheck>(std::make_unique<ScratchCheck>(
      ArrivalCheck(std::move(*file), name, size, rules), std::move(open), std::move(reading)));
}

/// The reason is written before the file is moved, because a file in the quarantine must always have one.
base::Result<void> Scratch::quarantine(const std::string& name, const std::string& reason) {
  if (auto fine = core::check_name(name); !fine) return fine;
  const std::string from = partial_path(name);
  const std::string to = quarantine_path(name);
  const Tree& tree = place_->tree;
  const std::scoped_lock names(place_->names);
  if (auto made = tree.make_directory(parent_of(to)); !made) return made.error();
  const std::string text = reason + "\nfile: " + name + "\n";
  if (auto written = replace_text(tree, to + std::string(reason_suffix), text); !written) return written;
  if (auto renamed = tree.rename(from, to); !renamed) return renamed;
  return tree.remove_empty_parents(from, own::partial);
}

base::Result<void> Scratch::clear(const std::string& name) {
  if (auto dropped = drop(name); !dropped) return dropped;
  return drop_quarantined(*place_, name);
}

base::Result<std::int64_t> Scratch::free_space() {
  struct statvfs status {};
  if (const int error = look_at_disk(*place_, status); error != 0)
    return failure(error, "", "determine the free space");
  constexpr auto most = static_cast<unsigned long>(std::numeric_limits<std::int64_t>::max());
  const auto block = std::max<unsigned long>(1, status.f_frsize);
  return static_cast<std::int64_t>(std::min<unsigned long>(status.f_bavail, most / block) * block);
}

}  // namespace vtmirror::mirror
