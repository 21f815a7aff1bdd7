#include "mirror/libzip_archive.hpp"

#include <zip.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
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
    case ZIP_ER_EXISTS:
      return "two of its members have names that are the same in another encoding, and unpacked one would replace the "
             "other";
    default:
      return std::string("it cannot be read: ") + zip_error_strerror(error);
  }
}

base::Error translated(zip_error_t* error, const std::string& where) {
  if (zip_error_code_zip(error) == ZIP_ER_MEMORY) throw std::bad_alloc();
  return zip_damage(where, words_for(error));
}

/// The file as libzip reads it. What ended a reading is kept here: libzip would say only that reading failed, or that
/// the file is too short.
class Source {
 public:
  Source(const ZipFile& zip, Tally& tally) : zip_(zip), tally_(tally) {}

  const std::optional<base::Error>& failure() const { return failure_; }

  /// What libzip calls. -1: failed.
  static zip_int64_t call(void* source, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    return static_cast<Source*>(source)->answer(data, length, command);
  }

 private:
  zip_int64_t answer(void* data, zip_uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_OPEN:
        position_ = 0;
        return 0;
      case ZIP_SOURCE_READ:
        return read(data, length);
      case ZIP_SOURCE_SEEK:
        return seek(data, length);
      case ZIP_SOURCE_TELL:
        return static_cast<zip_int64_t>(position_);
      case ZIP_SOURCE_STAT:
        return stat(data, length);
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(failed_.get(), data, length);
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                              ZIP_SOURCE_SUPPORTS, -1);
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_FREE:
        return 0;
      default:
        return fail(ZIP_ER_OPNOTSUPP);
    }
  }

  zip_int64_t read(void* data, zip_uint64_t length) {
    const auto most =
        static_cast<std::size_t>(std::min<zip_uint64_t>(length, zip_.size - std::min(position_, zip_.size)));
    if (auto read = read_at(zip_, position_, std::span(static_cast<std::byte*>(data), most)); !read)
      failure_ = read.error();
    else if (!tally_.add(0, static_cast<std::int64_t>(most)))
      failure_ = cancelled(zip_.name);
    if (failure_) return fail(ZIP_ER_READ);
    position_ += most;
    return static_cast<zip_int64_t>(most);
  }

  zip_int64_t seek(void* data, zip_uint64_t length) {
    const auto to = zip_source_seek_compute_offset(position_, zip_.size, data, length, failed_.get());
    if (to < 0) return -1;
    position_ = static_cast<std::uint64_t>(to);
    return 0;
  }

  zip_int64_t stat(void* data, zip_uint64_t length) {
    if (length < sizeof(zip_stat_t)) return fail(ZIP_ER_INVAL);
    auto* found = static_cast<zip_stat_t*>(data);
    zip_stat_init(found);
    found->size = zip_.size;
    found->valid = ZIP_STAT_SIZE;
    return sizeof(zip_stat_t);
  }

  zip_int64_t fail(int code) {
    zip_error_set(failed_.get(), code, 0);
    return -1;
  }

  const ZipFile& zip_;
  Tally& tally_;
  std::uint64_t position_ = 0;
  ZipError failed_;
  std::optional<base::Error> failure_;
};

}  // namespace

struct LibzipArchive::Library {
  Library(const ZipFile& zip, Tally& tally) : source(zip, tally) {}

  Source source;
  Archive archive{};  ///< reads from the source until it is closed
};

LibzipArchive::LibzipArchive(std::unique_ptr<Library> library) : library_(std::move(library)) {}
LibzipArchive::LibzipArchive(LibzipArchive&&) noexcept = default;
LibzipArchive::~LibzipArchive() = default;

base::Error LibzipArchive::cause_of(zip_error* error, const std::string& where) const {
  return library_->source.failure().value_or(translated(error, where));
}

base::Result<LibzipArchive> LibzipArchive::open(const ZipFile& zip, Tally& tally) {
  LibzipArchive opened(std::make_unique<Library>(zip, tally));
  ZipError error;
  zip_source_t* source = zip_source_function_create(&Source::call, &opened.library_->source, error.get());
  if (source == nullptr) return translated(error.get(), zip.name);
  opened.library_->archive.reset(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error.get()));
  if (opened.library_->archive) return opened;
  auto failed = opened.cause_of(error.get(), zip.name);
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
  if (!member) return cause_of(zip_get_error(archive), where);
  std::vector<std::byte> block(zip_block_size);
  for (;;) {
    const auto got = zip_fread(member.get(), block.data(), block.size());
    if (got < 0) return cause_of(zip_file_get_error(member.get()), where);
    // The checksum is compared by the read that reaches the end, not by an earlier one.
    if (got == 0) return {};
    if (!take(std::span(block).first(static_cast<std::size_t>(got)))) return cancelled(where);
  }
}

}  // namespace vtmirror::mirror
