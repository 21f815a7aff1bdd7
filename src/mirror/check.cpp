#include "mirror/check.hpp"

#include "mirror/arrival_check.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <optional>
#include <utility>

namespace vtmirror::mirror {
namespace {

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

base::Result<ports::Checked> check_file(const Tree& tree, const std::string& path, const std::string& name,
                                        std::int64_t size, ports::CheckRules rules, const ports::Watch& watch) {
  Opened file = tree.try_open(path, O_RDONLY);
  if (file.error != 0) return failure(file.error, name, "open");
  std::optional<PatientReads> patient;
  if (rules.in_background) patient.emplace();
  return ArrivalCheck(std::move(file.descriptor), name, size, rules).finish(watch);
}

}  // namespace vtmirror::mirror
