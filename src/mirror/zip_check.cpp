#include "mirror/zip_check.hpp"

#include "mirror/tree.hpp"
#include "vtmirror/base/text.hpp"

#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace vtmirror::mirror {
namespace {

constexpr std::size_t zip_block_size = std::size_t{256} << 10;

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseMember {
  void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;
using OpenMember = std::unique_ptr<zip_file_t, CloseMember>;

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() { return &error_; }

 private:
  zip_error_t error_{};
};

base::Error integrity(const std::string& where, const std::string& what) {
  return {.code = base::Errc::integrity, .detail = where + ": " + what};
}

/// A disk that cannot be read says nothing about the file. EINVAL and EOVERFLOW come from impossible offsets in the
/// file.
base::Error translated(zip_error_t* error, const std::string& where) {
  const int code = zip_error_code_zip(error);
  const int system = zip_error_code_system(error);
  if (code == ZIP_ER_MEMORY) throw std::bad_alloc();
  const bool reading = code == ZIP_ER_READ || code == ZIP_ER_SEEK || code == ZIP_ER_OPEN || code == ZIP_ER_TELL;
  if (reading && system != 0 && system != EINVAL && system != EOVERFLOW) return failure(system, where, "read");
  return integrity(where, zip_error_strerror(error));
}

/// If a read fails, libzip takes the bytes before the failure for the whole file, and calls it too short.
base::Error unless_unread(base::Error error, FILE* stream, const std::string& name) {
  if (error.code != base::Errc::integrity || std::ferror(stream) == 0) return error;
  return failure(EIO, name, "read");
}

/// Reads through a FILE for its larger buffer: libzip reads 8 KiB at a time. `stream` lives as long as the archive.
base::Result<Archive> open_archive(base::Descriptor file, const std::string& name, FILE*& stream) {
  stream = ::fdopen(file.get(), "rb");
  if (stream == nullptr) return failure(errno, name, "open");
  file.release();
  std::setvbuf(stream, nullptr, _IOFBF, zip_block_size);
  ZipError error;
  zip_source_t* source = zip_source_filep_create(stream, 0, -1, error.get());
  if (source == nullptr) {
    std::fclose(stream);
    return translated(error.get(), name);
  }
  Archive archive(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error.get()));
  if (archive) return archive;
  auto failed = unless_unread(translated(error.get(), name), stream, name);
  zip_source_free(source);
  return failed;
}

/// Reports to the tally how far the file itself has been read, in proportion to the member's output so far.
class MemberTally {
 public:
  MemberTally(Tally& tally, const zip_stat_t& about) : tally_(&tally), about_(about) {}

  bool inflated(std::int64_t bytes) {
    done_ += static_cast<double>(bytes);
    const double part = about_.size == 0 ? 1.0 : std::min(1.0, done_ / static_cast<double>(about_.size));
    return advance(static_cast<std::int64_t>(part * static_cast<double>(about_.comp_size)), bytes);
  }
  /// Members without contents count as work too, because there may be millions.
  bool ended() { return advance(static_cast<std::int64_t>(about_.comp_size), 1024); }

 private:
  bool advance(std::int64_t read, std::int64_t work) { return tally_->add(read - std::exchange(told_, read), work); }
  Tally* tally_;
  zip_stat_t about_;
  double done_ = 0;
  std::int64_t told_ = 0;
};

base::Result<void> read_to_end(zip_file_t* member, const std::string& where, MemberTally tally,
                               std::vector<char>& block) {
  const base::Error cancelled{.code = base::Errc::cancelled, .detail = where};
  for (;;) {
    const auto got = zip_fread(member, block.data(), block.size());
    if (got < 0) return translated(zip_file_get_error(member), where);
    // The checksum is compared by the read that reaches the end, not by an earlier one.
    if (got == 0) break;
    if (!tally.inflated(got)) return cancelled;
  }
  if (!tally.ended()) return cancelled;
  return {};
}

base::Result<void> check_member(zip_t* archive, zip_uint64_t index, const std::string& name, Tally& tally,
                                std::vector<char>& block) {
  const char* raw = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
  const std::string label = raw == nullptr ? "number " + std::to_string(index + 1) : base::printable(raw);
  const std::string where = name + ": member " + label;
  zip_stat_t about{};
  if (zip_stat_index(archive, index, 0, &about) != 0) return translated(zip_get_error(archive), where);
  if (about.encryption_method != ZIP_EM_NONE) return integrity(where, "it is encrypted");
  const OpenMember member(zip_fopen_index(archive, index, 0));
  if (!member) return translated(zip_get_error(archive), where);
  return read_to_end(member.get(), where, MemberTally(tally, about), block);
}

}  // namespace

base::Result<void> check_zip(base::Descriptor file, const std::string& name, Tally& tally) {
  FILE* stream = nullptr;
  const auto archive = open_archive(std::move(file), name, stream);
  if (!archive) return archive.error();
  const auto members = zip_get_num_entries(archive->get(), 0);
  if (members < 1) return integrity(name, "the ZIP is empty");
  std::vector<char> block(zip_block_size);
  for (zip_uint64_t index = 0; index < static_cast<zip_uint64_t>(members); ++index) {
    if (auto checked = check_member(archive->get(), index, name, tally, block); !checked)
      return unless_unread(checked.error(), stream, name);
  }
  return {};
}

}  // namespace vtmirror::mirror
