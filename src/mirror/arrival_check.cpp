#include "mirror/arrival_check.hpp"

#include "mirror/member_reader.hpp"
#include "mirror/zip_check.hpp"
#include "mirror/zip_layout.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t buffer_size = std::size_t{256} << 10;
/// A highly repetitive slice inflates to a thousand times its size, so the Watch is asked after each slice.
constexpr std::size_t slice_size = std::size_t{32} << 10;
constexpr std::int64_t dropped_at_once = std::int64_t{8} << 20;

// As in linux/ioprio.h, which older systems do not install.
constexpr int of_this_thread = 1;               ///< IOPRIO_WHO_PROCESS, with the number 0
constexpr int lowest_priority = (2 << 13) | 7;  ///< best effort, the last level

/// The disk serves the reads of this thread after those of others, as far as its scheduler knows priorities. Where the
/// kernel refuses it, the reads are as urgent as any.
class PatientReads {
 public:
  PatientReads() : before_(::syscall(SYS_ioprio_get, of_this_thread, 0)) { set(lowest_priority); }
  ~PatientReads() {
    if (before_ >= 0) set(before_);
  }
  PatientReads(const PatientReads&) = delete;
  PatientReads& operator=(const PatientReads&) = delete;

 private:
  static void set(long priority) { static_cast<void>(::syscall(SYS_ioprio_set, of_this_thread, 0, priority) == 0); }
  long before_;
};

}  // namespace

ArrivalCheck::ArrivalCheck(base::Descriptor file, std::string name, std::int64_t size, ports::CheckRules rules)
    : file_(std::move(file)), name_(std::move(name)), size_(size), rules_(rules), pace_(rules.bytes_a_second) {
  if (rules_.zip) follower_.emplace(most_inflated(static_cast<std::uint64_t>(std::max<std::int64_t>(size_, 0))));
  ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  if (rules_.in_background) ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_DONTNEED);
}

base::Result<void> ArrivalCheck::advance(std::int64_t front, const ports::Watch& watch) {
  Tally tally(watch, read_, &pace_);
  auto read = read_to(std::min(front, size_), tally);
  read_ = tally.read();
  return read;
}

void ArrivalCheck::drop_cached() {
  ::posix_fadvise(file_.get(), dropped_, position_ - dropped_, POSIX_FADV_DONTNEED);
  dropped_ = position_;
}

base::Result<ports::Checked> ArrivalCheck::finish(const ports::Watch& watch) {
  Tally tally(watch, read_, &pace_);
  auto checked = conclude(tally);
  read_ = tally.read();
  return checked;
}

base::Result<ports::Checked> ArrivalCheck::conclude(Tally& tally) {
  if (auto sized = check_size(); !sized) return sized.error();
  if (auto read = read_to(size_, tally); !read) return read.error();
  if (rules_.digest && !digest_) digest_ = hex(sha256_.digest());
  if (auto members = check_members(tally); !members) return members.error();
  if (rules_.in_background) drop_cached();
  if (!tally.ask()) return cancelled(name_);
  return ports::Checked{.size = size_, .sha256 = digest_.value_or("")};
}

base::Result<void> ArrivalCheck::check_size() const {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) return failure(errno, name_, "read");
  if (status.st_size == size_) return {};
  return zip_damage(name_,
                    "it has " + std::to_string(status.st_size) + " bytes, " + std::to_string(size_) + " were expected");
}

base::Result<void> ArrivalCheck::read_to(std::int64_t front, Tally& tally) {
  while (position_ < front) {
    if (!needs_bytes()) break;
    buffer_.resize(buffer_size);
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(front - position_, buffer_size));
    const auto got = base::uninterrupted([&] { return ::pread(file_.get(), buffer_.data(), wanted, position_); });
    if (got < 0) return failure(errno, name_, "read at " + std::to_string(position_));
    // Another program has truncated the file meanwhile.
    if (got == 0) return failure(ENODATA, name_, "read at " + std::to_string(position_));
    if (!feed(Bytes(buffer_).first(static_cast<std::size_t>(got)), tally)) return cancelled(name_);
    if (rules_.in_background && position_ - dropped_ >= dropped_at_once) drop_cached();
  }
  position_ = std::max(position_, front);
  return {};
}

/// False if the Watch asked to stop. What was taken until then is counted.
bool ArrivalCheck::feed(Bytes bytes, Tally& tally) {
  while (!bytes.empty()) {
    const auto slice = bytes.first(std::min(bytes.size(), slice_size));
    bytes = bytes.subspan(slice.size());
    if (rules_.digest) sha256_.add(slice);
    const auto before = follower_ ? follower_->inflated() : 0;
    if (follower_) follower_->add(slice);
    const auto inflated = follower_ ? follower_->inflated() - before : 0;
    const auto length = static_cast<std::int64_t>(slice.size());
    position_ += length;
    if (!tally.add(length, length + static_cast<std::int64_t>(inflated))) return false;
  }
  return true;
}

/// As a whole, unless the follower has found the ZIP good.
base::Result<void> ArrivalCheck::check_members(Tally& tally) {
  if (!rules_.zip) return {};
  if (follows()) {
    const auto good = follower_->finish(file_, name_, size_, tally);
    if (!good) return good.error();
    if (*good) return {};
  }
  return check_zip(file_, name_, tally);
}

base::Result<ports::Checked> check_file(const Tree& tree, const std::string& path, const std::string& name,
                                        std::int64_t size, ports::CheckRules rules, const ports::Watch& watch) {
  Opened file = tree.try_open(path, O_RDONLY);
  if (file.error != 0) return failure(file.error, name, "open");
  std::optional<PatientReads> patient;
  if (rules.in_background) patient.emplace();
  return ArrivalCheck(std::move(file.descriptor), name, size, rules).finish(watch);
}

}  // namespace vtmirror::mirror
