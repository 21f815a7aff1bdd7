#include "mirror/disk_partial.hpp"

#include "mirror/tree.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace vtmirror::mirror {
namespace {

/// For smaller writes, direct I/O costs a wait for the disk and gains nothing.
constexpr std::size_t least_direct = std::size_t{64} * 1024;
constexpr std::size_t least_page = 4096;

std::size_t page_size() {
  const long size = ::sysconf(_SC_PAGESIZE);
  return std::max(least_page, size > 0 ? static_cast<std::size_t>(size) : least_page);
}

/// The bytes of a write before its first whole page, the whole pages, and the rest.
struct Split {
  std::size_t head = 0;
  std::size_t pages = 0;
};

Split split(std::int64_t offset, std::span<const std::byte> bytes, std::size_t page) {
  const auto start = static_cast<std::size_t>(offset) % page;
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  if (address % least_page != start % least_page) return {};
  const auto head = std::min((page - start) % page, bytes.size());
  const auto pages = (bytes.size() - head) / page * page;
  return pages < least_direct ? Split{} : Split{.head = head, .pages = pages};
}

/// Writes until everything is written or a call fails. `done` counts the bytes written in either case.
int write_all(const base::Descriptor& file, std::int64_t offset, std::span<const std::byte> bytes, std::size_t& done) {
  for (done = 0; done < bytes.size();) {
    const auto rest = bytes.subspan(done);
    const auto at = offset + static_cast<std::int64_t>(done);
    const auto written = base::uninterrupted([&] { return ::pwrite(file.get(), rest.data(), rest.size(), at); });
    if (written < 0) return errno;
    if (written == 0) return EIO;
    done += static_cast<std::size_t>(written);
  }
  return 0;
}

base::Error write_failure(int error, const std::string& name, std::int64_t offset) {
  return failure(error, name, "write at " + std::to_string(offset));
}

/// Sets the file's length, and reserves its blocks if the file system can: then a full disk shows here and not in the
/// middle of a transfer.
int reserve(const base::Descriptor& file, std::int64_t size) {
  struct stat before {};
  if (::fstat(file.get(), &before) != 0) return errno;
  if (before.st_size > size && ::ftruncate(file.get(), size) != 0) return errno;
  if (size == 0) return 0;
  const int error = base::error_of(base::uninterrupted([&] { return ::fallocate(file.get(), 0, 0, size); }));
  if (error == 0) return 0;
  if (error == EOPNOTSUPP || error == ENOSYS) return base::error_of(::ftruncate(file.get(), size));
  // A reservation that failed half-way keeps what it got: release it, so that others can use the space.
  static_cast<void>(::ftruncate(file.get(), std::min<std::int64_t>(before.st_size, size)) == 0);
  return error;
}

bool is_shorter(const base::Descriptor& file, std::int64_t length) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && status.st_size < length;
}

/// Some file systems refuse the flag here, others accept it and refuse the first write, which DiskPartial detects.
base::Descriptor open_direct(const Tree& tree, const std::string& path, const base::Descriptor& buffered) {
  Opened direct = tree.try_open(path, O_WRONLY | O_DIRECT);
  if (direct.error != 0 || !same_file(direct.descriptor, buffered)) return base::Descriptor();
  return std::move(direct.descriptor);
}

}  // namespace

DiskPartial::DiskPartial(base::Descriptor buffered, base::Descriptor direct, std::string name, std::int64_t size,
                         std::shared_ptr<const Reading> reading)
    : buffered_(std::move(buffered)),
      direct_(std::move(direct)),
      name_(std::move(name)),
      size_(size),
      page_(page_size()),
      direct_works_(direct_.valid()),
      reading_(std::move(reading)) {}

base::Result<void> DiskPartial::write(std::int64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  const auto length = static_cast<std::int64_t>(bytes.size());
  if (offset < 0 || length > size_ || offset > size_ - length) return write_failure(EFBIG, name_, offset);
  const bool directly = direct_works_.load(std::memory_order_relaxed) && !reading_->will_soon_read(offset);
  const Split parts = directly ? split(offset, bytes, page_) : Split{};
  if (parts.pages == 0) return write_buffered(offset, bytes);
  const auto pages_at = offset + static_cast<std::int64_t>(parts.head);
  const auto rest_at = pages_at + static_cast<std::int64_t>(parts.pages);
  if (auto head = write_buffered(offset, bytes.first(parts.head)); !head) return head;
  if (auto pages = write_direct(pages_at, bytes.subspan(parts.head, parts.pages)); !pages) return pages;
  return write_buffered(rest_at, bytes.subspan(parts.head + parts.pages));
}

base::Result<void> DiskPartial::write_buffered(std::int64_t offset, std::span<const std::byte> bytes) {
  std::size_t done = 0;
  const int error = write_all(buffered_, offset, bytes, done);
  if (error != 0) return write_failure(error, name_, offset + static_cast<std::int64_t>(done));
  return {};
}

base::Result<void> DiskPartial::write_direct(std::int64_t offset, std::span<const std::byte> bytes) {
  std::size_t done = 0;
  const int error = write_all(direct_, offset, bytes, done);
  if (error == 0) return {};
  const auto at = offset + static_cast<std::int64_t>(done);
  if (error != EINVAL && error != EOPNOTSUPP) return write_failure(error, name_, at);
  // The write was refused because it is direct. After a short write only the rest is unaligned; a refusal at the start
  // means that the file system cannot do direct I/O.
  if (done == 0) direct_works_.store(false, std::memory_order_relaxed);
  return write_buffered(at, bytes.subspan(done));
}

base::Result<void> DiskPartial::sync() {
  const int error = base::error_of(base::uninterrupted([&] { return ::fdatasync(buffered_.get()); }));
  if (error != 0) return failure(error, name_, "sync");
  return {};
}

base::Result<std::unique_ptr<ports::PartialFile>> open_disk_partial(const Tree& tree, const std::string& path,
                                                                    const ports::WantedPartial& wanted, bool direct_io,
                                                                    std::shared_ptr<const Reading> reading) {
  const auto& [name, size, kept] = wanted;
  const auto reserving = "reserve " + std::to_string(size) + " bytes";
  if (size < 0) return failure(EINVAL, name, reserving);
  auto directory = tree.make_directory(parent_of(path));
  if (!directory) return directory.error();
  Opened file = tree.try_open(path, O_RDWR | (kept > 0 ? 0 : O_CREAT), 0600);
  if (kept > 0 && (file.error == ENOENT || (file.error == 0 && is_shorter(file.descriptor, kept))))
    return std::unique_ptr<ports::PartialFile>();
  if (file.error != 0) return failure(file.error, path, "open");
  if (const int error = reserve(file.descriptor, size); error != 0) return failure(error, name, reserving);
  if (const int error = sync_directory(*directory); error != 0) return failure(error, name, "sync the directory");
  base::Descriptor direct = direct_io ? open_direct(tree, path, file.descriptor) : base::Descriptor();
  return std::make_unique<DiskPartial>(std::move(file.descriptor), std::move(direct), name, size, std::move(reading));
}

}  // namespace vtmirror::mirror
