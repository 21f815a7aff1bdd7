#include "vtmirror/mirror/contents.hpp"

#include "mirror/libzip_archive.hpp"
#include "mirror/member_reader.hpp"
#include "mirror/own_names.hpp"
#include "mirror/sha256.hpp"
#include "mirror/tree.hpp"
#include "mirror/zip_layout.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/listing.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::mirror {
namespace {

constexpr std::uint64_t without_limit = std::numeric_limits<std::uint64_t>::max();

/// Superseded bytes are held before they lose their name. So if they are not held after the name was opened, the name
/// still had them.
Opened open_edition(const Tree& tree, const Published& file) {
  Opened named = tree.try_open(file.name, O_RDONLY);
  if (file.sha256.empty()) return named;
  Opened held = tree.try_open(own::below(own::held, file.sha256), O_RDONLY);
  return held.error == 0 ? std::move(held) : std::move(named);
}

constexpr std::size_t buffer_size = std::size_t{256} << 10;

/// The SHA-256 of a file that something else reads: it follows that reading, so that it meets bytes that are still in
/// the page cache. Needs the memory of one buffer.
class FileDigest {
 public:
  /// The file must outlive it.
  explicit FileDigest(const ZipFile& file) : file_(file) {}

  /// Reads on to that byte of the file, if it is not there yet. Errors: io.
  base::Result<void> advance(std::uint64_t to);
  /// Reads the rest, and returns the digest in lower-case hex. To be called once. Errors: io.
  base::Result<std::string> finish();

 private:
  const ZipFile& file_;
  Sha256 digest_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> buffer_;
};

base::Result<void> FileDigest::advance(std::uint64_t to) {
  buffer_.resize(buffer_size);
  for (const auto end = std::min(to, file_.size); position_ < end;) {
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(end - position_, buffer_size));
    const auto part = std::span(buffer_).first(length);
    if (auto read = read_at(file_, position_, part); !read) return read;
    digest_.add(part);
    position_ += length;
  }
  return {};
}

base::Result<std::string> FileDigest::finish() {
  if (auto read = advance(file_.size); !read) return read.error();
  return hex(digest_.digest());
}

class Contents {
 public:
  Contents(const ZipFile& zip, ZipLayout layout, const ContentsReader& reader)
      : zip_(zip), layout_(std::move(layout)), reader_(reader), digest_(zip), tally_([this](std::int64_t read) {
          return follow(static_cast<std::uint64_t>(read));
        }) {}
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  base::Result<std::string> read(const std::optional<std::string>& member) {
    auto read = member ? read_named(*member) : read_all();
    if (followed_.has_error()) return followed_.error();
    if (!read) return read.error();
    if (!reader_.makes_digest) return std::string();
    return digest_.finish();
  }

 private:
  base::Result<void> read_all() {
    for (std::size_t index = 0; index < layout_.entries.size(); ++index)
      if (auto read = read_one(index); !read) return read;
    return {};
  }

  base::Result<void> read_named(const std::string& member) {
    const auto& entries = layout_.entries;
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const ZipEntry& entry) {
      return entry.member.name == member && !entry.is_directory();
    });
    if (found == entries.end()) return base::Error{.code = base::Errc::config, .detail = no_member(member)};
    return read_one(static_cast<std::size_t>(found - entries.begin()));
  }

  /// Called every few MiB of work: the digest stays behind the reading, and near it. False if the file cannot be read.
  bool follow(std::uint64_t read) {
    if (reader_.makes_digest) followed_ = digest_.advance(data_ + (read - read_before_));
    return followed_.has_value();
  }
  void begin(const ZipEntry& entry) {
    data_ = entry.data;
    read_before_ = static_cast<std::uint64_t>(tally_.read());
  }

  std::string no_member(const std::string& member) const {
    std::vector<std::string_view> names;
    for (const auto& entry : layout_.entries)
      if (!entry.is_directory()) names.push_back(entry.member.name);
    const auto text = zip_.name + " has no member " + base::printable(member, 120);
    if (names.empty()) return text;
    const auto near = base::nearest(member, names);
    if (!near.empty()) return text + "; did you mean " + base::printable(near, 120) + '?';
    const auto first = text + "; it has " + base::printable(names.front(), 120);
    return names.size() == 1 ? first : first + " and " + std::to_string(names.size() - 1) + " more";
  }

  /// What the quick inflater refuses is read once more by the strict one, whose verdict counts. What was passed on
  /// before is the same bytes.
  base::Result<void> read_one(std::size_t index) {
    const auto& entry = layout_.entries[index];
    if (entry.is_directory()) return {};
    if (reader_.begin_member) reader_.begin_member();
    begin(entry);
    if (!MemberReader::can_read(entry)) return read_by_libzip(index);
    std::uint64_t passed = 0;
    auto read = quick_.read(entry, [&](std::span<const std::byte> bytes) {
      passed += bytes.size();
      return reader_.feed(bytes);
    });
    if (read || read.error().code != base::Errc::integrity) return read;
    begin(entry);
    return strict_.read(entry, [&](std::span<const std::byte> bytes) {
      const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(passed, bytes.size()));
      passed -= known;
      return known == bytes.size() || reader_.feed(bytes.subspan(known));
    });
  }

  base::Result<void> read_by_libzip(std::size_t index) {
    if (auto open = open_libzip(); !open) return open;
    return strict_.read_by(*libzip_, index, layout_.entries[index], reader_.feed);
  }

  /// Once, because libzip reads the whole directory.
  base::Result<void> open_libzip() {
    if (libzip_) return {};
    auto archive = LibzipArchive::open(zip_, tally_);
    if (!archive) return archive.error();
    libzip_.emplace(std::move(*archive));
    return {};
  }

  const ZipFile& zip_;
  ZipLayout layout_;
  const ContentsReader& reader_;
  FileDigest digest_;
  base::Result<void> followed_;
  std::uint64_t data_ = 0;         ///< where the member begins that is read
  std::uint64_t read_before_ = 0;  ///< by the tally, when it began
  Tally tally_;
  std::optional<LibzipArchive> libzip_;
  MemberReader quick_{zip_, tally_, MemberReader::Engine::quick, without_limit};
  MemberReader strict_{zip_, tally_, MemberReader::Engine::strict, without_limit};
};

}  // namespace

base::Result<base::Descriptor> open_published(const std::string& directory, const Published& file) {
  const auto tree = Tree::look(directory);
  if (!tree) return tree.error();
  auto opened = open_edition(*tree, file);
  if (opened.error != 0) return failure(opened.error, file.name, "open");
  struct stat status {};
  if (::fstat(opened.descriptor.get(), &status) != 0) return failure(errno, file.name, "read");
  if (status.st_size == file.size) return std::move(opened.descriptor);
  return base::Error{.code = base::Errc::integrity,
                     .detail = core::short_name(file.name) + ": it has " + std::to_string(status.st_size) + " bytes, " +
                               std::to_string(file.size) + " were published",
                     .subject = file.name};
}

base::Result<std::string> read_contents(const base::Descriptor& file, const std::string& label,
                                        const std::optional<std::string>& member, const ContentsReader& reader) {
  const auto zip = zip_file(file, label);
  if (!zip) return zip.error();
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  Tally tally({});
  auto layout = read_layout(*zip, limits_of_reading, tally);
  if (!layout) return layout.error();
  Contents contents(*zip, std::move(*layout), reader);
  return contents.read(member);
}

}  // namespace vtmirror::mirror
