#include "mirror/check.hpp"

#include "mirror/digest.hpp"
#include "mirror/failure.hpp"
#include "mirror/zip_check.hpp"

#include <sys/stat.h>

#include <utility>

namespace vtmirror::mirror {
namespace {

base::Result<void> check_size(const base::Descriptor& file, const std::string& name, std::int64_t size) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return failure(errno, name, "read");
  if (status.st_size == size) return {};
  return base::Error{.code = base::Errc::integrity,
                     .detail = name + ": it has " + std::to_string(status.st_size) + " bytes, " + std::to_string(size) +
                               " were expected"};
}

}  // namespace

base::Result<ports::Checked> check_file(const Tree& tree, const std::string& path, const std::string& name,
                                        std::int64_t size, ports::CheckRules rules, const ports::Watch& watch) {
  Opened file = tree.try_open(path, O_RDONLY);
  if (file.error != 0) return failure(file.error, name, "open");
  if (auto sized = check_size(file.descriptor, name, size); !sized) return sized.error();
  Tally tally(watch);
  ports::Checked checked{.size = size, .sha256 = {}};
  if (rules.digest) {
    auto digest = sha256(file.descriptor, name, tally);
    if (!digest) return digest.error();
    checked.sha256 = std::move(*digest);
  }
  if (rules.zip) {
    if (auto zip = check_zip(std::move(file.descriptor), name, tally); !zip) return zip.error();
  }
  if (!tally.ask()) return base::Error{.code = base::Errc::cancelled, .detail = name};
  return checked;
}

}  // namespace vtmirror::mirror
