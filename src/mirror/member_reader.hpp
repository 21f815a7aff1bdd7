// Reads whole members of a ZIP file, unpacked, and a gzip file in one unpacked too, and checks them to their ends:
// size, checksum, the end of each stream, and that nothing follows it. Promises the memory of a few buffers, whatever a
// member's size is, and to stop within a few MiB of work. Changes nothing.
#pragma once

#include "mirror/gzip_reader.hpp"
#include "mirror/libzip_archive.hpp"
#include "mirror/tally.hpp"
#include "mirror/zip_layout.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::mirror {

/// What a ZIP of that size may inflate to, gzip files included: 256 MiB and 200 bytes for each of its own. JSON lines
/// inflate to 10 or 30 times their size.
std::uint64_t most_inflated(std::uint64_t size);

class MemberReader {
 public:
  /// `quick`: as the library ISA-L reads, which refuses some streams that are sound.
  enum class Engine { quick, strict };
  /// False: stop.
  using Feed = std::function<bool(std::span<const std::byte>)>;

  /// `allowed`: the bytes that all members together may inflate to. The file and the tally must outlive it.
  MemberReader(const ZipFile& zip, Tally& tally, Engine engine, std::uint64_t allowed);

  /// Whether this class can read it: libzip knows more ways to pack a member.
  static bool can_read(const ZipEntry& entry);

  /// `consumer` gets the contents, in order. Errors: integrity, with the member and the reason; io; cancelled.
  base::Result<void> read(const ZipEntry& entry, const Feed& consumer);
  /// The same by libzip, for which it is the member number `index`.
  base::Result<void> read_by(const LibzipArchive& archive, std::uint64_t index, const ZipEntry& entry,
                             const Feed& consumer);

 private:
  using Bytes = std::span<const std::byte>;
  void begin(const ZipEntry& entry, const Feed& consumer);
  base::Result<void> end(const ZipEntry& entry);
  base::Result<void> read_packed(const ZipEntry& entry);
  base::Result<void> feed(const ZipEntry& entry, Bytes slice, std::uint64_t at);
  void feed_contents(Bytes contents);
  void count(Bytes inflated);
  void pass(Bytes contents);
  base::Result<void> interrupted(const ZipEntry& entry, std::uint64_t at) const;
  std::string about_gzip() const;
  std::string verdict(const ZipEntry& entry) const;
  base::Error damage(const ZipEntry& entry, std::string_view what) const;

  const ZipFile& zip_;
  Tally& tally_;
  std::unique_ptr<StreamInflater> inflater_;
  GzipReader gzip_;
  std::uint64_t allowed_;
  std::vector<std::byte> buffer_;
  const Feed* consumer_ = nullptr;  ///< during a call of `read`, like all that follows
  bool in_gzip_ = false, gzip_is_sound_ = true;
  bool stopped_ = false, too_much_ = false, too_long_ = false;
  StreamInflater::State state_{};
  std::uint64_t size_ = 0;  ///< of the member so far
  std::uint64_t most_ = 0;  ///< that it may have
  std::uint32_t crc_ = 0;
};

}  // namespace vtmirror::mirror
