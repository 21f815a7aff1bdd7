// An unfinished file on disk, written at any offset from several threads.
// Promises that each byte is written in one way, direct or through the page cache, and that whole pages are written
// directly if the file system can, unless a check is about to read them: it would read them from the disk again.
#pragma once

#include "mirror/reading.hpp"
#include "mirror/tree.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/ports/partials.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace vtmirror::mirror {

/// Direct and buffered writes in one file are coherent on Linux as long as they do not share a page at one time: before
/// a direct write the kernel writes back the dirty pages of its range and waits for them, and before and after the
/// write it drops the pages of that range, and no others. Here a direct write covers whole pages that only the caller
/// may write then (no other write overlaps its bytes), and every page that two callers share is written by both through
/// the page cache, where the inode's lock keeps them apart.
class DiskPartial final : public ports::PartialFile {
 public:
  /// `direct` may be invalid: then everything is written through the page cache. `reading`: of the check that goes
  /// along.
  DiskPartial(base::Descriptor buffered, base::Descriptor direct, std::string name, std::int64_t size,
              std::shared_ptr<const Reading> reading);

  base::Result<void> write(std::int64_t offset, std::span<const std::byte> bytes) override;

  /// fdatasync of the inode, so it covers both kinds of writes. It writes the metadata needed to find the data again:
  /// the length, and the extents that fallocate reserved and a write filled; times are left out. After a failure the
  /// kernel has marked the lost pages clean, and a second call would succeed without writing them, so nothing since the
  /// last success counts.
  base::Result<void> sync() override;

 private:
  base::Result<void> write_buffered(std::int64_t offset, std::span<const std::byte> bytes);
  base::Result<void> write_direct(std::int64_t offset, std::span<const std::byte> bytes);

  base::Descriptor buffered_;
  base::Descriptor direct_;
  std::string name_;
  std::int64_t size_;
  std::size_t page_;
  std::atomic<bool> direct_works_;
  std::shared_ptr<const Reading> reading_;
};

/// Opens `path` below `tree`, with the file's bytes reserved; null if the bytes to keep do not exist. The directory
/// entry is durable when it returns.
base::Result<std::unique_ptr<ports::PartialFile>> open_disk_partial(const Tree& tree, const std::string& path,
                                                                    const ports::WantedPartial& wanted, bool direct_io,
                                                                    std::shared_ptr<const Reading> reading);

}  // namespace vtmirror::mirror
