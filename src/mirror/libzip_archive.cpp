#include "mirror/libzip_archive.hpp"

#include "mirror/tree.hpp"
#include "mirror/zip_layout.hpp"

#include <zip.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
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

std::string words_for(zip_error_t* error) {
  switch (zip_error_code_zip(error)) {
    case ZIP_ER_INCONS:
      return "its records contradict each other";
    case ZIP_ER_NOZIP:
      return "it is not a ZIP, or its end is missing";
    case ZIP_ER_CRC:
      return "its checksum is wrong";
    case ZIP_ER_COMPNOTSUPP:
      return "it uses a compression method that this program cannot read";
    case ZIP_ER_ENCRNOTSUPP:
      return "it is encrypted";
    default:
      return std::string("it cannot be read: ") + zip_error_strerror(error);
  }
}

/// A disk that cannot be read says nothing about the file. EINVAL and EOVERFLOW come from impossible offsets in the
/// file.
base::Error translated(zip_error_t* error, const std::string& where) {
  const int code = zip_error_code_zip(error);
  const int system = zip_error_code_system(error);
  if (code == ZIP_ER_MEMORY) throw std::bad_alloc();
  const bool reading = code == ZIP_ER_READ || code == ZIP_ER_SEEK || code == ZIP_ER_OPEN || code == ZIP_ER_TELL;
  if (reading && system != 0 && system != EINVAL && system != EOVERFLOW) return failure(system, where, "read");
  return zip_damage(where, words_for(error));
}

}  // namespace

struct LibzipArchive::Library {
  std::string name;
  FILE* stream = nullptr;  ///< lives as long as the archive
  Archive archive{};
};

LibzipArchive::LibzipArchive(std::unique_ptr<Library> library) : library_(std::move(library)) {}
LibzipArchive::LibzipArchive(LibzipArchive&&) noexcept = default;
LibzipArchive::~LibzipArchive() = default;

/// If a read fails, libzip mistakes the bytes before the failure for the whole file, and calls it too short.
base::Error LibzipArchive::unless_unread(base::Error error) const {
  if (error.code != base::Errc::integrity || std::ferror(library_->stream) == 0) return error;
  return failure(EIO, library_->name, "read");
}

/// Reads through a FILE for its larger buffer: libzip reads 8 KiB at a time.
base::Result<LibzipArchive> LibzipArchive::open(base::Descriptor file, const std::string& name) {
  LibzipArchive opened(std::make_unique<Library>(Library{.name = name}));
  FILE* stream = ::fdopen(file.get(), "rb");
  if (stream == nullptr) return failure(errno, name, "open");
  file.release();
  opened.library_->stream = stream;
  std::setvbuf(stream, nullptr, _IOFBF, zip_block_size);
  ZipError error;
  zip_source_t* source = zip_source_filep_create(stream, 0, -1, error.get());
  if (source == nullptr) {
    std::fclose(stream);
    return translated(error.get(), name);
  }
  opened.library_->archive.reset(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error.get()));
  if (opened.library_->archive) return opened;
  auto failed = opened.unless_unread(translated(error.get(), name));
  zip_source_free(source);
  return failed;
}

std::uint64_t LibzipArchive::members() const {
  return static_cast<std::uint64_t>(zip_get_num_entries(library_->archive.get(), 0));
}

base::Result<void> LibzipArchive::read(std::uint64_t index, const std::string& where,
                                       const std::function<bool(std::span<const std::byte>)>& take) const {
  zip_t* archive = library_->archive.get();
  const OpenMember member(zip_fopen_index(archive, index, 0));
  if (!member) return unless_unread(translated(zip_get_error(archive), where));
  std::vector<std::byte> block(zip_block_size);
  for (;;) {
    const auto got = zip_fread(member.get(), block.data(), block.size());
    if (got < 0) return unless_unread(translated(zip_file_get_error(member.get()), where));
    // The checksum is compared by the read that reaches the end, not by an earlier one.
    if (got == 0) return {};
    if (!take(std::span(block).first(static_cast<std::size_t>(got)))) return cancelled(where);
  }
}

}  // namespace vtmirror::mirror
